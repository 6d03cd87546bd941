"""Who names two places gets fares of both, flights or stays in one, and a step to the other."""

import pytest


@pytest.mark.parametrize(
    ("said", "goal", "other"),
    [
        ("flights from Brussels to geneva or innsbruck whatever is cheaper 20-27 feb", "Geneva", "Innsbruck"),
        ("London to Tenerife or Lanzarote, 5-12 December", "Tenerife", "Lanzarote"),
        ("fly from Berlin to Lisbon or Porto on 15 January, back on the 20th", "Lisbon", "Porto"),
        ("flights Munich - Athens or Ibiza on 2 March for a week", "Athens", "Ibiza"),
    ],
)
async def test_fares_to_both_are_compared(house, said, goal, other):
    reply = await house.say("ada", said)
    assert f'I search for one city at a time, here {goal}; "{other} instead" searches there.' in reply
    assert "By one-way fares there and back for one, cheapest first: " in reply
    assert f"{goal} from €" in reply
    assert f"{other} from €" in reply
    assert "did you mean" not in reply
    assert f"{other} instead" in await _suggested(house)
    then = await house.say("ada", f"{other} instead")
    assert f"to {other}" in then
    assert "one city at a time" not in then


@pytest.mark.parametrize("by", ["whichever is cheaper", "the cheaper of the two", "whatever costs less"])
async def test_fares_are_compared_where_the_choice_changes_a_request(house, by):
    await house.say("ada", "fly from Berlin to Lisbon on 15 January, back on the 20th")
    reply = await house.say("ada", f"Rome or Madrid instead, {by}")
    assert "By one-way fares there and back for one, cheapest first: " in reply
    assert "Rome from €" in reply
    assert "Madrid from €" in reply
    assert "left out" not in reply
    assert "Madrid instead" in await _suggested(house)


async def test_what_places_are_not_compared_by_is_told(house):
    await house.say("ada", "fly from Berlin to Lisbon on 15 January, back on the 20th")
    reply = await house.say("ada", "Rome or Madrid instead, whichever is nicer")
    assert 'I compare cities by what it costs to fly there, and leave "whichever is nicer" to you.' in reply
    assert "Madrid from €" in reply


async def test_of_stays_the_other_city_is_a_step_away(house):
    reply = await house.say("ada", "hotel in Rome or Florence from 12 to 15 February")
    assert 'here Rome; "Florence instead" searches there.' in reply
    assert "By one-way fares" not in reply
    assert "in Florence" in await house.say("ada", "Florence instead")


async def test_it_is_told_while_something_is_asked(house):
    asked = await house.say("ada", "flights from Leeds to Tenerife or Lanzarote in early February")
    assert 'here Tenerife; "Lanzarote instead" searches there.' in asked
    assert "Please tell me on which day" in asked


async def test_it_is_told_once(house):
    await house.say("ada", "flights from Brussels to Geneva or Innsbruck 20-27 February")
    later = await house.say("ada", "2 people")
    assert "Innsbruck" not in later


async def _suggested(house):
    response = await house.call("GET", "/history/ada")
    return response.json()["messages"][-1].get("suggestions", [])
