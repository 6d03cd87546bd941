"""What a later release writes into a record beside what this one knows is passed over."""

from typing import Any

import orjson
import pytest

from backend.conversation.accepted import Accepted
from backend.store import codec
from tests.contract.test_thread_index import a_thread
from tests.records import a_context, a_message, a_model_step, a_task, a_tool_call, an_input

pytestmark = pytest.mark.requirement("RELEASES-RUN-SIDE-BY-SIDE")

LATER = {"later": {"field": [1, 2]}}

RECORDS = [
    (a_task(), codec.task_from_json, ()),
    (a_message(), codec.message_from_json, ()),
    (an_input(), codec.input_from_json, ("question",)),
    (a_tool_call(effect="write"), codec.tool_call_from_json, ()),
    (a_model_step(), codec.model_step_from_json, ("usage",)),
    (a_thread("ann"), codec.saved_thread_from_json, ()),
]


@pytest.mark.parametrize(("record", "read", "inner"), RECORDS, ids=lambda each: type(each).__name__)
def test_a_field_of_a_record_that_is_not_known_is_passed_over(
    record: Any, read: Any, inner: tuple[str, ...]
) -> None:
    document = orjson.loads(codec.to_json(record))
    for name in inner:
        document[name] |= LATER
    assert read(orjson.dumps(document | LATER)) == record


def test_a_field_of_what_an_interrupted_task_left_is_passed_over_too() -> None:
    context = a_context()
    head, _, results = codec.context_to_json(context).partition(b"\n")
    later = orjson.dumps(orjson.loads(head) | LATER) + b"\n" + results
    assert codec.context_from_json(later) == context


def test_a_field_of_the_answer_that_is_kept_for_retries_is_passed_over_too() -> None:
    kept = Accepted.of(a_task(), superseded=None, epoch="e1").kept_for("c1", "hello").body
    later = orjson.dumps(orjson.loads(kept) | LATER)
    assert Accepted.again(7, later, "hello") == Accepted.again(7, kept, "hello")
