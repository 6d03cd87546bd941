"""What a map is drawn from: airports by their codes, and the cells of land; both may be kept."""

import pytest

from backend.travel.routes import travel_schemas
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


@pytest.mark.parametrize("path", ["/airports?codes=BER", "/land"])
async def test_what_a_client_has_already_costs_a_304(travel_api, path):
    first = await travel_api.call("GET", path)
    assert first.headers["cache-control"] == "private, max-age=86400"
    tag = first.headers["etag"]
    again = await travel_api.call("GET", path, headers={"If-None-Match": f"W/{tag}"})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    other = await travel_api.call("GET", path, headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.content) == (200, first.content)
