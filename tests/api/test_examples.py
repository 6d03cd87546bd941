"""The recorded examples of the OpenAPI document are the answers of a server."""

import pytest

from backend.http.wire.examples import RECORDED, RECORDED_OPERATING
from backend.travel.routes.travel_schemas import RECORDED_TRAVEL
from tests.api.recorded_run import operating_recorded, recorded, travel_recorded, without_what_varies
from tests.virtual_time import virtual_clock

pytestmark = pytest.mark.requirement("DOCUMENTED-WITH-EXAMPLES")


@pytest.mark.virtual_time  # the examples tell how long a task took
async def test_examples_are_what_a_server_answers(tmp_path):
    told = await recorded(tmp_path, clock=virtual_clock())
    assert without_what_varies(RECORDED) == without_what_varies(told)


@pytest.mark.virtual_time
async def test_examples_of_the_operators_view_are_what_it_answers(tmp_path):
    told = await operating_recorded(tmp_path, clock=virtual_clock())
    assert without_what_varies(RECORDED_OPERATING) == without_what_varies(told)


async def test_examples_of_the_travel_assistant_are_what_it_answers(tmp_path):
    told = await travel_recorded(tmp_path)
    assert without_what_varies(RECORDED_TRAVEL) == without_what_varies(told)
