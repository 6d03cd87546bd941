"""The examples in the OpenAPI document are what a server answers, and name what there is."""

import pytest

from backend.http.wire import recorded_examples
from backend.http.wire import recorded_operating as operating_examples
from backend.travel.routes import recorded_examples as travel_examples
from examples import rooms
from tests.api.recorded_run import operating_recorded, recorded, travel_recorded, without_what_varies
from tests.virtual_time import virtual_clock

pytestmark = pytest.mark.requirement("DOCUMENTED-WITH-EXAMPLES")


def constants(module):
    return {name: value for name, value in vars(module).items() if name.isupper()}


@pytest.mark.virtual_time  # the examples tell how long a task took
async def test_the_examples_are_what_a_server_answers(tmp_path):
    told = await recorded(tmp_path, clock=virtual_clock())
    assert without_what_varies(constants(recorded_examples)) == without_what_varies(told)


@pytest.mark.virtual_time
async def test_the_examples_of_the_operators_view_are_what_it_answers(tmp_path):
    told = await operating_recorded(tmp_path, clock=virtual_clock())
    assert without_what_varies(constants(operating_examples)) == without_what_varies(told)


async def test_the_examples_of_the_travel_assistant_are_what_it_answers(tmp_path):
    told = await travel_recorded(tmp_path)
    assert without_what_varies(constants(travel_examples)) == without_what_varies(told)


def test_the_tools_that_examples_name_exist():
    examples = constants(recorded_examples)
    calls = examples["RECEIPT_ANSWER"]["tool_calls"] + examples["STOPPED_AGENT_ANSWER"]["tool_calls"]
    named = {call["tool"] for call in calls} | {examples["STATUS_ANSWER"]["input_request"]["tool"]}
    assert named == {"find_rooms", "book_room"} <= set(vars(rooms))
