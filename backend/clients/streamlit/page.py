"""Draws a conversation with Detour in Streamlit.

The search runs in Detour's server and not in this script, so nothing here is long: a click is a short post,
and twice a second the script draws the events that a plain reader thread has received. Hence a rerun starts
nothing, a stop stops the server's task, and a reloaded page continues with the task. docs/streamlit.md
explains each of these.
"""

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import orjson
import streamlit as st

from ..api import User
from ..cli.chat import Field, Form
from ..cli.narrator import (
    OUTCOME_OF_REQUEST,
    TASK,
    agent_words,
    best,
    clean,
    elapsed,
    offer_line,
    offer_words,
    permission_lines,
    receipt_lines,
    tool_name,
)
from ..story import Frame, Task
from .conversation import Conversation, Drawn

# --- plain ---------------------------------------------------------------------------------------------
# Foreign text where Streamlit reads Markdown: in labels, captions and titles.


_MARKUP = re.compile(r"([\\`*_\[\]~$<])")
"""What begins markup within a line; no more, as a screen reader says each backslash of a label."""


def plain(text: str) -> str:
    """Return text in one line, without markup: it may be the name of a hotel or an agent."""
    return _MARKUP.sub(r"\\\1", clean(text).replace("\n", " "))


# --- cards ---------------------------------------------------------------------------------------------
# Offers as cards: a price, a title and a few lines each, in the words of the terminal client.


MOST_CARDS = 30
"""How many cards a page shows at once: all of them are sent anew with each refresh."""


@dataclass(frozen=True, slots=True)
class Card:
    """An offer as shown."""

    price: str
    title: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it but the price."""
        return "\n".join([self.title, *self.lines])


def cards_of(found: Mapping[str, list[Any]]) -> dict[str, list[Card]]:
    """Return the cheapest of what each agent found, `MOST_CARDS` in all."""
    agents = sorted(agent for agent, offers in found.items() if offers)
    each = MOST_CARDS // max(1, len(agents))
    return {agent: [card(offer) for offer in best(found[agent], each)] for agent in agents}


def card(offer: Any) -> Card:
    """Return an offer's card; anything but a flight, hotel or car is a line of text."""
    words = offer_words(offer)
    if words is None:
        return Card("", clean(offer_line(offer)), ())
    return Card(clean(words.price), clean(words.title), tuple(map(clean, (*words.lines, *words.more))))


# --- asking --------------------------------------------------------------------------------------------
# Requests of a task: a question as a form, a permission with its facts and two buttons.
#
# Drawn outside the part of the page that refreshes itself, so that half an answer survives each refresh;
# all keys begin with the request's id, so that no answer of one question shows up in the next.


def draw_request(talk: Conversation, request: Frame, more: int) -> None:
    """Draw a question as a form, or a permission with its facts and two buttons."""
    request_id = request["request_id"]
    if request["kind"] == "permission":
        with st.container(border=True):
            st.text(clean("\n".join(permission_lines(request))))
            allow, deny = st.columns(2)
            for column, label, decision in ((allow, "Allow", "allow"), (deny, "Don't", "deny")):
                column.button(
                    label,
                    key=f"{request_id}:{decision}",
                    on_click=talk.decide,
                    args=(request_id, decision),
                    width="stretch",
                )
    else:
        fields = Form.of(request).fields
        with st.form(f"{request_id}:form"):
            st.text(clean(request["prompt"]))
            for field in fields:
                draw_field(field, key=f"{request_id}:{field.name}")
            st.form_submit_button("Answer", on_click=submit, args=(talk, request_id, fields), type="primary")
    if more:
        st.caption(f"{more} more to answer after this.")


def draw_field(field: Field, *, key: str) -> None:
    """Draw a field with its default; its value is read by its key."""
    label = plain(field.title if field.required else f"{field.title} (optional)")
    match field.kind:
        case _ if field.choices or field.kind == "boolean":
            choices = choices_of(field)
            values = [value for value, _ in choices]
            index = values.index(field.default) if field.default in values else None
            titles = [title for _, title in choices]
            st.selectbox(label, range(len(choices)), index=index, format_func=titles.__getitem__, key=key)
        case "date":
            st.date_input(label, value=date.fromisoformat(field.default) if field.default else None, key=key)
        case "integer" | "number":
            number, step = (int, 1) if field.kind == "integer" else (float, 0.01)
            value = None if field.default is None else number(field.default)
            st.number_input(label, value=value, step=step, key=key)
        case "array" | "object":
            value = "" if field.default is None else orjson.dumps(field.default).decode()
            st.text_area(f"{label} (JSON)", value=value, key=key)
        case _:
            st.text_input(label, value=field.default or "", key=key)


def choices_of(field: Field) -> tuple[tuple[Any, str], ...]:
    """Return the values to choose from, each with its title; none for other kinds of field."""
    if field.kind == "boolean" and not field.choices:
        return ((True, "Yes"), (False, "No"))
    return field.choices


def submit(talk: Conversation, request_id: str, fields: list[Field]) -> None:
    """Send a form; an empty field is left out, and keeps its default."""
    try:
        values = {each.name: value_of(each, st.session_state[f"{request_id}:{each.name}"]) for each in fields}
    except orjson.JSONDecodeError:
        talk.tell("Please give lists and objects as JSON.")
        return
    talk.answer(request_id, {name: value for name, value in values.items() if value not in (None, "")})


def value_of(field: Field, entered: Any) -> Any:
    """Return a widget's value in its wire form."""
    if isinstance(entered, date):
        return entered.isoformat()
    if choices := choices_of(field):
        place: int | None = entered
        return None if place is None else choices[place][0]
    return orjson.loads(entered) if field.kind in {"array", "object"} and entered else entered


# --- page ----------------------------------------------------------------------------------------------


REFRESH_S = 0.5
REFRESH_AT_REST_S = 2.0
TALK_HEIGHT = 400
CARDS_HEIGHT = 360
KEPT_SHOWN = 5
LONGEST_MESSAGE = 8000
AVATARS = {"user": ":material/person:", "assistant": ":material/explore:"}
HINT = "Where to? A new message interrupts the running task."
STEER = "Let the running task take in my next message instead of interrupting it"
EXAMPLES = (
    "Flights and a hotel from Berlin to Tokyo, 10 to 17 December, for two",
    "A weekend in Lisbon in March",
    "A tour of Rome, Vienna and Prague from Hamburg in May",
)


def draw() -> None:
    """Draw the page, at the script's every run."""
    st.set_page_config(page_title="Detour", layout="wide")
    talk = conversation()
    talk.take_in()
    drawn = Drawn(talk.edition, is_again=talk.edition == talk.drawn)
    title, anew = st.columns([4, 1], vertical_alignment="center")
    title.header("Detour")
    anew.button("New trip", on_click=begin_anew, width="stretch")
    said, work = st.columns([3, 2], gap="large")
    with said, st.container(height=TALK_HEIGHT, border=False, autoscroll=True):
        draw_messages(talk)
    with work:
        st.fragment(draw_work, run_every=REFRESH_S if talk.is_busy else REFRESH_AT_REST_S)(talk, drawn)
    if talk.notice:
        st.error(plain(talk.notice))
    if outcome := OUTCOME_OF_REQUEST.get(talk.story.outcome):
        st.caption(outcome)
    if talk.requests:  # right above the box: the page keeps to its end
        draw_request(talk, talk.requests[0], len(talk.requests) - 1)
    if talk.at_work is not None and talk.takes_in:
        st.toggle(STEER, key="steers")
    st.chat_input(HINT, key="message", max_chars=LONGEST_MESSAGE, on_submit=say, args=(talk,))
    talk.drawn = drawn.edition
    drawn.is_over = True


def conversation() -> Conversation:
    """Return this tab's conversation; its user is in the address, so that a reload finds it again."""
    if not st.query_params.get("user"):
        begin_anew()
    user_id = st.query_params["user"]
    current: Conversation | None = st.session_state.get("conversation")
    if current is None or current.user.user_id != user_id:
        if current is not None:
            current.close()
        url = os.environ.get("DETOUR_API") or "http://127.0.0.1:8000"
        current = Conversation(User(url=url, user_id=user_id, token=os.environ.get("DETOUR_TOKEN") or None))
        st.session_state.conversation = current
    return current


def begin_anew() -> None:
    """Begin another conversation, by another user id. The one before stays at its address."""
    st.query_params["user"] = f"guest-{secrets.token_hex(6)}"


# --- the conversation, drawn with the whole page ---------------------------------------------------------


def draw_messages(talk: Conversation) -> None:
    """Draw the messages, the leftovers of interruptions, and the outbox."""
    if talk.story.synced and not talk.story.messages and not talk.outbox:
        st.caption("For example:")
        for example in EXAMPLES:
            st.button(example, key=f"example:{example}", on_click=talk.say, args=(example,))
    for message in talk.story.messages:
        if message.get("steer") == "pending":
            continue
        if message["role"] == "system":
            st.caption(plain(message["text"]))
            draw_left(talk, message["task_id"])
            continue
        with st.chat_message(message["role"], avatar=AVATARS[message["role"]]):
            st.text(clean(message["text"]))
            if message.get("interrupted"):
                st.caption("interrupted here")
            if message.get("steer") == "taken_in":
                st.caption("taken in while it worked")
    draw_pending(talk)
    for item in talk.outbox:
        with st.chat_message("user", avatar=AVATARS["user"]):
            st.text(clean(item.text))
            if item.state == "unsent":
                st.error(plain(f"Not sent. {item.error}"))
                with st.container(horizontal=True):
                    st.button(
                        "Send again", key=f"again:{item.client_id}", on_click=talk.say_again, args=(item,)
                    )
                    st.button("Drop it", key=f"drop:{item.client_id}", on_click=talk.drop, args=(item,))
            else:
                st.caption("sending")


def draw_pending(talk: Conversation) -> None:
    """Draw the pending messages."""
    for message in talk.story.pending:
        message_id = message["message_id"]
        with st.chat_message("user", avatar=AVATARS["user"]):
            st.text(clean(message["text"]))
            st.caption("waiting to be taken in")
            with st.container(horizontal=True):
                st.button(
                    "Withdraw", key=f"withdraw:{message_id}", on_click=talk.withdraw, args=(message_id,)
                )
                st.button("Now", key=f"now:{message_id}", on_click=talk.send_now, args=(message_id,))


def draw_left(talk: Conversation, task_id: str) -> None:
    """Draw the leftovers of an interrupted task: the outcome of its calls, and its best results."""
    left, receipt = talk.story.left.get(task_id), talk.receipt(task_id)
    lines = receipt_lines(receipt) if receipt else []
    if not left and not lines:
        return
    with st.expander("What was kept, and the outcome of each call"):
        for line in lines:
            st.text(clean(line))
        for agent, cards in cards_of(left.found if left else {}).items():
            st.text(clean(f"{agent.capitalize()}: {len(left.found[agent]) if left else 0} kept"))
            for one in cards[:KEPT_SHOWN]:
                st.text(f"{one.price}  {one.text}")


# --- what goes on: refreshed by itself -------------------------------------------------------------------


def draw_work(talk: Conversation, drawn: Drawn) -> None:
    """Draw the active task and its results; the whole page only if something else has changed."""
    talk.take_in()
    if drawn.is_stale(talk.edition):
        st.rerun()
    if talk.connection is not None and not talk.connection.is_open:
        st.warning(plain(f"No connection to the server; trying again. {talk.connection.sentence}"))
    if task := talk.story.task_to_show:
        draw_task(talk, task)
        draw_found(task)


def draw_task(talk: Conversation, task: Task) -> None:
    """Draw a task's state, its button, a bar for each agent, and the reply as far as it has come."""
    state, button = st.columns([3, 1], vertical_alignment="center")
    since = f", {elapsed(talk.elapsed_s(task))}" if task.is_active else ""
    state.text(clean(f"{TASK.get(task.status, task.status)}{since}"))
    if task.is_active:
        label = "Stopping…" if talk.is_stopping else "Stop"
        button.button(
            label,
            key="stop",
            on_click=talk.stop,
            args=(task.task_id,),
            disabled=talk.is_stopping,
            width="stretch",
        )
    for name, agent in task.agents.items():
        share = min(1.0, agent.done / agent.total) if agent.total else float(agent.state == "done")
        st.progress(share, text=plain(agent_words(name, agent)))
    if task.taken_over:
        tools = ", ".join(tool_name(tool).lower() for tool in task.taken_over)
        st.caption(plain(f"Goes on from your previous message: {tools}."))
    if task.text:
        with st.chat_message("assistant", avatar=AVATARS["assistant"]):
            st.text(clean(task.text))


def draw_found(task: Task) -> None:
    """Draw the cheapest results of each agent, a tab each."""
    found = cards_of(task.found)
    if not found:
        return
    for tab, (agent, cards) in zip(
        st.tabs([plain(agent.capitalize()) for agent in found]), found.items(), strict=True
    ):
        with tab, st.container(height=CARDS_HEIGHT, border=False, autoscroll=False):
            st.caption(f"{len(task.found[agent])} found, cheapest first")
            for one in cards:
                draw_card(one)


def draw_card(one: Card) -> None:
    """Draw an offer."""
    with st.container(border=True):
        if one.price:
            st.markdown(f"**{plain(one.price)}**")
        st.text(one.text)


def say(talk: Conversation) -> None:
    """Send what was typed: it interrupts the active task, or steers it."""
    steers = talk.at_work is not None and bool(st.session_state.get("steers"))
    talk.say(st.session_state.message, steers=steers)
