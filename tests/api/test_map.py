"""What a map is drawn from: airports by their codes, and the cells of land; both may be kept."""

import sys
from types import FrameType

import pytest

from backend.travel.routes import travel_schemas
from backend.travel.understanding.places.completion import complete_place
from tests.api.live import answer, refusal

MOST_BYTES = 40_000


async def airports(api, codes):
    found = await api.call("GET", "/airports", params={"codes": codes})
    return answer(found, 200, travel_schemas.AirportsAnswer)["airports"]


async def test_airports_are_where_they_are_and_of_the_city_that_people_say(travel_api):
    found = await airports(travel_api, "BER,hnd,NRT")
    assert list(found) == ["BER", "HND", "NRT"]
    assert [each["city"] for each in found.values()] == ["Berlin", "Tokyo", "Tokyo"]
    assert [each["country"] for each in found.values()] == ["DE", "JP", "JP"]
    assert found["BER"]["latitude"] == pytest.approx(52.37, abs=0.05)
    assert found["BER"]["longitude"] == pytest.approx(13.5, abs=0.05)


async def test_codes_of_no_airport_are_left_out(travel_api):
    assert await airports(travel_api, "ZZQ,QQQ") == {}
    assert list(await airports(travel_api, "ZZQ,BER,BER")) == ["BER"]


@pytest.mark.parametrize("codes", ["", "BERLIN", "BER,", "BE R", "BER;HND", ",".join(["BER"] * 51), "B\0R"])
async def test_what_are_no_codes_is_refused_by_name(travel_api, codes):
    refused = await travel_api.call("GET", "/airports", params={"codes": codes})
    assert refusal(refused, 422, "bad_input")["message"].startswith("codes: ")


async def test_the_land_is_every_continent_in_rows_from_south_to_north(travel_api):
    response = await travel_api.call("GET", "/land")
    land = answer(response, 200, travel_schemas.LandAnswer)
    assert len(response.content) < MOST_BYTES
    latitudes = [row["latitude"] for row in land["rows"]]
    assert latitudes == sorted(set(latitudes))
    cells = {(row["latitude"], longitude) for row in land["rows"] for longitude in row["longitudes"]}
    assert len(cells) == sum(len(row["longitudes"]) for row in land["rows"])
    assert all(-90 <= latitude < 90 and -180 <= longitude < 180 for latitude, longitude in cells)
    assert {(52, 13), (35, 139), (-34, 150), (40, -74), (-24, -47), (-2, 36)} <= cells, "where people live"
    assert not {(0, -30), (40, -40), (-30, 80)} & cells, "in the middle of the oceans"


@pytest.mark.parametrize("path", ["/airports?codes=BER", "/places?text=lis", "/land"])
async def test_what_a_client_has_already_costs_a_304(travel_api, path):
    first = await travel_api.call("GET", path)
    assert first.headers["cache-control"] == "private, max-age=86400"
    tag = first.headers["etag"]
    again = await travel_api.call("GET", path, headers={"If-None-Match": f"W/{tag}"})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await travel_api.call("GET", path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("lis", "Lisbon, Portugal"),
        ("  New Y", "New York, United States"),
        ("münch", "Munich, Germany"),
        ("muench", "Munich, Germany"),
        ("st pet", "Saint Petersburg, Russia"),
        ("bari", "Bari, Italy"),
        ("san", "San Diego, California"),
        ("saigon", "Ho Chi Minh City, Vietnam"),
        ("Lisbom", "Lisbon, Portugal"),
        ("paris, t", "Paris, Tennessee"),
        ("London, GB", "London, United Kingdom"),
        ("heathr", "LHR"),
        ("jfk", "JFK"),
        ("LIS", "Lisbon, Portugal"),
    ],
)
async def test_a_name_is_completed_to_the_likeliest_place_first(travel_api, text, first):
    response = await travel_api.call("GET", "/places", params={"text": text})
    found = answer(response, 200, travel_schemas.PlacesAnswer)["places"]
    assert found[0]["name"] == first
    assert len(found) <= 8
    assert len({each["name"] for each in found}) == len(found)


@pytest.mark.parametrize("text", ["zzzq", "?", "5", ", ", "a\0b", "lisbon, x"])
async def test_what_begins_no_name_is_completed_to_nothing(travel_api, text):
    response = await travel_api.call("GET", "/places", params={"text": text})
    assert answer(response, 200, travel_schemas.PlacesAnswer) == {"places": []}


@pytest.mark.parametrize(
    ("text", "misread", "others"),
    [
        ("semarang", "Semarang, Java Island, Indonesia", set()),
        ("park c", "Park City, Utah", set()),
        ("fort w", "Fort Worth, Texas", {"Fort Wayne, Indiana"}),
        ("springfield", "Springfield, Massachusetts", {"Springfield, Missouri", "Springfield, Illinois"}),
    ],
)
async def test_a_place_that_its_own_name_does_not_lead_to_is_not_proposed(travel_api, text, misread, others):
    response = await travel_api.call("GET", "/places", params={"text": text})
    names = {each["name"] for each in answer(response, 200, travel_schemas.PlacesAnswer)["places"]}
    assert misread not in names
    assert names >= others


@pytest.mark.parametrize("text", ["", "x" * 61])
async def test_no_text_and_an_overlong_one_are_refused_by_name(travel_api, text):
    refused = await travel_api.call("GET", "/places", params={"text": text})
    assert refusal(refused, 422, "bad_input")["message"].startswith("text: ")


@pytest.mark.parametrize("text", ["lis\x00", "\u202elis", "LIS\n", "\tlis "])
async def test_what_cannot_be_seen_in_a_text_is_overlooked(travel_api, text):
    response = await travel_api.call("GET", "/places", params={"text": text})
    [first, *_] = answer(response, 200, travel_schemas.PlacesAnswer)["places"]
    assert first["name"] == "Lisbon, Portugal"


async def test_names_are_completed_in_a_thread_since_reading_them_takes_longer_than_a_message_may_wait(
    travel_api,
):
    def record(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is complete_place.__code__:
            on_the_loop.append(frame.f_code.co_name)

    on_the_loop: list[str] = []
    sys.setprofile(record)  # of this thread alone
    try:
        response = await travel_api.call("GET", "/places", params={"text": "vil"})
    finally:
        sys.setprofile(None)
    assert answer(response, 200, travel_schemas.PlacesAnswer)["places"]
    assert on_the_loop == []
