"""The whole client in a pseudo-terminal, in front of a real server process."""

import os
import pty
import signal
import termios
from datetime import timedelta

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.output import DummyOutput

from backend.clients.cli.terminal import Terminal
from backend.domain.encoding import system_clock
from tests.browser.stage import staged_server
from tests.cli.pseudo_terminal import CTRL_C, CTRL_D, ENTER, TAB

DAY = (system_clock() + timedelta(days=30)).date().isoformat()
TOKYO = f"Find flights from Berlin to Tokyo on {DAY}"
SLOW = 30.0
"""Seconds between the batches of a source, for a search that is to be under way."""
WORKING = "of 3 sources"
"""A terminal is sent what changes of a line: of an agent that was seen to wait, no whole word."""

pytestmark = pytest.mark.requirement("A-TERMINAL-INTERRUPTS-TOO")


async def test_second_message_interrupts_the_first(process, terminal):
    server = process(demo_pace=SLOW)
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        await ada.shown("You: Find flights", WORKING)
        ada.say("Actually, make it Osaka")
        await ada.shown("You: Actually, make it Osaka", "Interrupted by a newer message", "Flight search: ")
        ada.say("hello")
        await ada.shown("You: hello", "Hello. I look for flights")
        ada.type(CTRL_D)
        await ada.shown("The task goes on")
        assert await ada.ended() == 0
    assert (await server.status("ada"))["status"] == "running"


async def test_best_offers_and_reply_are_shown(process, terminal):
    server = process()
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        shown = await ada.shown("I found ", "22 found, the best:", "HND", "Ready")
        assert shown.count("You: Find flights") == 1
        ada.say("/leave")
        assert await ada.ended() == 0


async def test_ctrl_c_stops_the_task_and_twice_leaves(process, terminal):
    server = process(demo_pace=SLOW)
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        await ada.shown(WORKING)
        ada.type(CTRL_C)
        await ada.shown("Stopped by the user")
        ada.say("Find flights from Berlin to Rome on " + DAY)
        await ada.shown("You: Find flights from Berlin to Rome", WORKING)
        ada.type(CTRL_C + CTRL_C)
        assert await ada.ended() == 0
    assert (await server.call("GET", "/history/ada")).status_code == 200


async def test_question_is_answered_field_by_field(process, terminal):
    server = process()
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(f"flights to Lisbon on {DAY}")
        await ada.shown("Please tell me where to fly from", "From>")
        ada.say("")
        await ada.shown("This is needed")
        ada.say("Berlin")
        await ada.shown("To [Enter: Lisbon, Portugal]")
        ada.type(ENTER)
        await ada.shown("Leaving on")
        ada.type(ENTER)
        await ada.shown("You: From: Berlin", "flights from Berlin to Lisbon")


async def test_permission_is_shown_with_its_facts_and_allowed(process, terminal):
    server = process()
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        await ada.shown("22 found, the best:", "Ready")
        ada.say("book the cheapest flight")
        await ada.shown(
            "Booking the flight needs your permission", "Refund rule:", "Total:", "allow or deny>"
        )
        ada.say("perhaps")
        await ada.shown("Please type allow or deny")
        ada.say("allow")
        await ada.shown("Allowed.", "Booked as DEMO-")


async def test_terminal_reconnects_after_a_kill_of_the_server(process, terminal):
    server = process(demo_pace=0.2)
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        await ada.shown(WORKING)
        await server.kill()
        await ada.shown("No connection to the server")
        ada.say("Actually, make it Osaka")
        await ada.shown("Not sent yet")
        await server.start()
        shown = await ada.shown(
            "Connected again", "You: Actually, make it Osaka", "flights from Berlin to Osaka", "KIX"
        )
        assert shown.count("You: Actually, make it Osaka") == 1
    said = (await server.history("ada"))["messages"]
    assert [one["text"] for one in said if one["role"] == "user"].count("Actually, make it Osaka") == 1


@pytest.mark.requirement("AN-EARLY-YES-ALLOWS-NOTHING")
async def test_line_begun_before_a_permission_does_not_allow_it(tmp_path, terminal):
    async with staged_server(tmp_path) as (server, stage), terminal(server) as ada:
        await ada.shown("Ready")
        stage.hold()
        ada.say(f"Book the cheapest flight from Berlin to Tokyo on {DAY}")
        await ada.shown(WORKING)
        ada.type("yes")
        await ada.shown("yes")
        stage.free()
        await ada.shown("Booking the flight needs your permission", "Refund rule:")
        ada.type(ENTER)
        await ada.shown("That was typed before the permission was asked for")
        ada.say("deny")
        await ada.shown("Not allowed.")


@pytest.mark.requirement("CLIENTS-STEER")
async def test_tab_steers_without_interrupting(process, terminal):
    server = process(graph="tests.steered_graph:graph")
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say("tools")
        await ada.shown("Go on?", "answer>")
        ada.type("and use the company card" + TAB)
        await ada.shown("(1) waits to be taken in: and use the company card")
        ada.say("/edit 1 and use my own card")
        await ada.shown("(1) is now: and use my own card")
        ada.type("an aisle seat" + TAB)
        await ada.shown("(2) waits to be taken in: an aisle seat")
        ada.say("/withdraw 2")
        await ada.shown("(2) is withdrawn: an aisle seat")
        ada.say("/withdraw 2")
        await ada.shown("/withdraw needs the number", "(1) waits to be taken in")
        ada.say("1")
        await ada.shown(
            "You: and use my own card", "Taken in; it is read next.", "Read: tools | and use my own card"
        )
    (said,) = [each for each in (await server.history("ada"))["messages"] if each.get("steer") == "taken_in"]
    assert said["text"] == "and use my own card"


@pytest.mark.requirement("CLIENTS-STEER")
async def test_pending_message_is_sent_now_later_or_withdrawn_by_a_stop(process, terminal):
    server = process(graph="tests.steered_graph:graph")
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say("tools")
        await ada.shown("answer>")
        ada.say("/steer card")
        await ada.shown("(1) waits")
        ada.say("/now 1")
        await ada.shown(
            "Interrupted by a newer message", "It is now a message of its own.", "Read: tools | card"
        )
        ada.say("tools")
        await ada.shown("answer>")
        ada.say("/steer seat")
        await ada.shown("(2) waits")
        ada.say("/later 2")
        await ada.shown("It is now a message of its own.", "Waiting its turn.")
        ada.say("/enqueue meal")
        await ada.shown("Waiting its turn.")
        ada.say("1")
        await ada.shown("Read: tools", "Read: seat", "Read: meal")
        ada.say("tools")
        await ada.shown("answer>")
        ada.say("/steer bag")
        await ada.shown("(3) waits")
        ada.say("/stop")
        await ada.shown("Stopped by the user", "(3) is withdrawn: bag", "Ready")


@pytest.mark.requirement("CLIENTS-STEER")
async def test_agent_that_cannot_be_steered_is_announced(process, terminal):
    server = process(graph="tests.scripted_graph:graph")
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say("hold")
        await ada.shown("Working on it")
        ada.type("card" + TAB)
        await ada.shown("This agent cannot be steered: your message waits for the end.")


async def test_sigint_acts_like_ctrl_c(process, terminal):
    server = process(demo_pace=SLOW)
    await server.start()
    async with terminal(server) as ada:
        await ada.shown("Ready")
        ada.say(TOKYO)
        await ada.shown(WORKING)
        ada.process.send_signal(signal.SIGINT)
        await ada.shown("Stopped by the user")
        ada.type(CTRL_D)
        assert await ada.ended() == 0


def test_keys_are_not_lost_while_lines_are_printed():
    main, other = pty.openpty()
    with os.fdopen(other) as tty, create_app_session(output=DummyOutput()):
        keyboard = Vt100Input(tty)
        Terminal(keyboard)
        with keyboard.raw_mode():
            with keyboard.cooked_mode():  # as the library does around all that is printed
                assert not termios.tcgetattr(tty)[3] & termios.ICANON
            assert not termios.tcgetattr(tty)[3] & termios.ICANON
        assert termios.tcgetattr(tty)[3] & termios.ICANON
    os.close(main)
