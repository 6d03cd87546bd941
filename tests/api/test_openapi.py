"""The OpenAPI document: every call, every status, and an example of everything."""

import json
import re
from collections import Counter

import httpx2
import pytest
from prometheus_client.parser import text_string_to_metric_families

from backend.http import operating as operating_answers
from backend.http.settings import TravelSettings
from backend.http.wire import answers
from backend.http.wire import bodies as output
from backend.http.wire import requests as schemas
from backend.http.wire.document import DocumentedApp
from backend.protocols.routes import groups_of
from backend.travel.routes import travel_schemas, travellers
from tests.api.live import running
from tests.shapes import check_shape

PENDING = {"200", "400", "404", "409", "413", "415", "422", "429", "503"}
CONTRACT = {
    ("post", "/v1/chat"): {"202", "400", "404", "409", "413", "415", "422", "429", "503"},
    ("post", "/v1/stop/{user_id}"): {"200", "202", "400", "404", "409", "413", "415", "422", "503"},
    ("post", "/v1/answer/{user_id}"): {"202", "400", "404", "409", "413", "415", "422", "429", "503"},
    ("get", "/v1/status/{user_id}"): {"200", "404", "422", "503"},
    ("get", "/v1/pending/{user_id}"): {"200", "404", "422", "503"},
    ("put", "/v1/pending/{user_id}/{message_id}"): PENDING,
    ("delete", "/v1/pending/{user_id}/{message_id}"): PENDING,
    ("post", "/v1/pending/{user_id}/{message_id}/now"): PENDING,
    ("post", "/v1/pending/{user_id}/{message_id}/later"): PENDING,
    ("get", "/v1/partial-results/{user_id}"): {"200", "304", "404", "422", "429", "503"},
    ("get", "/v1/history/{user_id}"): {"200", "404", "422", "429", "503"},
    ("get", "/v1/threads/{user_id}/history"): {"200", "404", "422", "503"},
    ("get", "/v1/threads/{user_id}/state"): {"200", "404", "422", "503"},
    ("get", "/v1/receipts/{user_id}/{task_id}"): {"200", "404", "422", "429", "503"},
    ("get", "/v1/calls/{user_id}/{task_id}"): {"200", "404", "422", "429", "503"},
    ("get", "/v1/events/{user_id}"): {"200", "422", "429", "503"},
    ("get", "/v1/ws/{user_id}"): {"101"},
    ("get", "/v1/bookings/{user_id}"): {"200", "404", "422", "502", "503"},
    ("get", "/v1/travellers/{user_id}"): {"200", "404", "422", "502", "503"},
    ("put", "/v1/travellers/{user_id}"): {"200", "400", "404", "413", "415", "422", "502", "503"},
    ("get", "/v1/requests/{user_id}"): {"200", "404", "422", "503"},
    ("get", "/v1/requests/{user_id}/{task_id}"): {"200", "404", "422", "503"},
    ("get", "/v1/airports"): {"200", "304", "422"},
    ("get", "/v1/places"): {"200", "304", "422"},
    ("get", "/v1/land"): {"200", "304"},
    ("get", "/v1/fares"): {"200", "422", "429", "502"},
    ("get", "/v1/users/{user_id}/export"): {"200", "404", "422", "429", "502", "503"},
    ("delete", "/v1/users/{user_id}"): {"204", "422", "503"},
    ("get", "/v1/health"): {"200"},
    ("get", "/v1/ready"): {"200", "503"},
    ("get", "/v1/metrics"): {"200"},
    ("get", "/v1/operate/tasks"): {"200"},
    ("get", "/v1/operate/tasks/{task_id}"): {"200", "404", "422", "503"},
    ("post", "/v1/operate/tasks/{task_id}/stop"): {"200", "202", "404", "422", "503"},
    ("post", "/v1/operate/drain"): {"200", "409", "503"},
    ("post", "/v1/operate/serve"): {"200", "409", "503"},
    ("get", "/v1/conversations"): {"200", "404", "422", "503"},
    ("post", "/v1/session"): {"204", "400", "401", "413", "415", "422", "429", "503"},
    ("delete", "/v1/session"): {"204", "503"},
    ("post", "/v1/tickets"): {"200", "401", "403", "503"},
    ("get", "/v1/sessions"): {"200", "401", "403", "503"},
    ("delete", "/v1/sessions/{session_id}"): {"204", "401", "403", "404", "422", "503"},
    ("post", "/v1/operate/sign-out"): {"200", "400", "401", "403", "404", "413", "415", "422", "503"},
}
OF_PROTOCOLS = {"LangGraph API", "AI SDK", "AG-UI", "CopilotKit"}
WITHOUT_BODY = {"101", "204", "304"}
SHAPES = {
    **vars(schemas), **vars(answers), **vars(operating_answers), **vars(output), **vars(travel_schemas),
    **vars(travellers),
}  # fmt: skip

pytestmark = pytest.mark.requirement("DOCUMENTED-WITH-EXAMPLES")


@pytest.fixture
async def document(travel_api):
    return (await travel_api.call("GET", "/openapi.json")).json()


def operations(document, *, own=True):
    """Return the server's own calls, or those of other protocols, whose paths have no version."""
    return {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if path.startswith("/v1/") == own
    }


def resolved(document, schema):
    """Return a schema behind its reference."""
    reference = schema.get("$ref")
    return document["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema


async def test_document_lists_every_call_and_status(document):
    found = {call: set(operation["responses"]) for call, operation in operations(document).items()}
    assert found == CONTRACT


async def test_every_call_has_a_description_and_an_id_of_its_own(document):
    described = operations(document).values()
    assert all(operation["description"] for operation in described)
    assert len({operation["operationId"] for operation in described}) == len(CONTRACT)


async def test_every_body_has_an_example_that_fits(document):
    for (method, path), operation in operations(document).items():
        bodies = [
            content
            for status, response in operation["responses"].items()
            if status not in WITHOUT_BODY
            for content in response["content"].items()
        ]
        bodies += operation.get("requestBody", {"content": {}})["content"].items()
        assert bodies or method == "delete" or "101" in operation["responses"], path
        for media_type, content in bodies:
            if media_type == "text/event-stream":
                assert re.fullmatch(r"id: \d+\ndata: \{.*\}\n\n", content["example"])
                continue
            if media_type == "text/plain":
                [family] = text_string_to_metric_families(content["example"])
                assert family.samples
                continue
            for one in content["schema"].get("anyOf", [content["schema"]]):
                schema = resolved(document, one)
                example = content["example"] if "example" in content else schema["examples"][0]
                check_shape(SHAPES[schema["title"]], json.dumps(example))


async def test_every_call_is_in_one_described_group(document):
    groups = {path: operation["tags"] for (_, path), operation in operations(document).items()}
    assert all(len(tags) == 1 for tags in groups.values()), groups
    described = {group["name"] for group in document["tags"] if "description" in group}
    assert {tag for [tag] in groups.values()} == {*(described - OF_PROTOCOLS), "Travel"}


async def test_every_call_has_a_title_of_its_own(document):
    for own in (True, False):
        calls = operations(document, own=own).values()
        titles = Counter((*each["tags"], each["summary"]) for each in calls)
        assert max(titles.values()) == 1
        # The framework makes "Partial Results" of the function `partial_results`.
        assert all(re.fullmatch(r"[A-Z][a-z]+ [a-z].*[^.]", title) for _, title in titles), titles


async def test_every_call_of_another_protocol_is_listed_or_not_implemented(travel_api, document):
    listed = operations(document, own=False)
    assert {name for each in listed.values() for name in each["tags"]} == OF_PROTOCOLS
    ids = [each["operationId"] for own in (True, False) for each in operations(document, own=own).values()]
    assert len(set(ids)) == len(ids)
    groups = groups_of(travel_api.detour._services, TravelSettings().protocols)
    calls = [call for group in groups for call in group.calls]
    assert {(method.upper(), path) for method, path in listed} == {
        (call.method, call.path.replace(":path}", "}")) for call in calls if call.title
    }
    for call in calls:
        if not call.title and not call.path.endswith("/"):
            answer = await travel_api.call(call.method, re.sub(r"{[^}]*}", "x", call.path), json={})
            assert answer.status_code == 501, call.path


async def test_protocol_that_is_not_served_is_not_listed(tmp_path):
    async with running(tmp_path, protocols="ai-sdk") as client:
        document = (await client.call("GET", "/openapi.json")).json()
    assert {tag for each in operations(document, own=False).values() for tag in each["tags"]} == {"AI SDK"}
    assert not OF_PROTOCOLS & {group["name"] for group in document["tags"]} - {"AI SDK"}


async def test_every_call_but_the_open_ones_needs_the_token(document):
    assert document["components"]["securitySchemes"].keys() == {"bearer", "api_key", "cookie"}
    assert document["security"] == [{"bearer": []}, {"api_key": []}, {"cookie": []}, {}]
    are_open = {
        path for (_, path), operation in operations(document).items() if operation.get("security") == []
    }
    assert are_open == {"/v1/health", "/v1/ready", "/v1/session"}


class Counted(DocumentedApp):
    made = 0

    def openapi(self):
        self.made += 1
        return {"openapi": "3.1.0"}


async def test_document_is_encoded_once():
    app = Counted()
    async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url="http://here") as http:
        told = [(await http.get("/openapi.json")).content for _ in range(3)]
    assert (told, app.made) == ([b'{"openapi":"3.1.0"}'] * 3, 1)


async def test_every_reference_resolves(document):
    references = set(re.findall(r'"#/components/schemas/(\w+)"', str(document).replace("'", '"')))
    assert references == set(document["components"]["schemas"])
