"""Who leaves open where to fly gets places with fares, by all that was told before."""

import re

OPEN = "anywhere cheap from Berlin on 15 January"


async def test_places_that_are_not_wanted_are_not_put_forward_and_the_reply_says_so(house):
    first = await house.say("ada", OPEN)
    found = re.search(r"one way for one: (\w+) from .*? 2027, (\w+) from", first)
    assert found, first
    one, other = found.groups()
    then = await house.say("ada", f"not {one} or {other}")
    assert "Places to fly to from Berlin, one way for one: " in then
    assert f"not to {one} or {other}" in then
    assert f"{one} from" not in then
    assert f"{other} from" not in then
    later = await house.say("ada", "for 2 people")
    assert "one way for one of the 2: " in later
    assert f"{one} from" not in later


async def test_fares_are_there_and_back_once_it_is_known_when_to_fly_back(house):
    one_way = await house.say("ada", OPEN)
    both_ways = await house.say("ada", "back on the 17th")
    assert "Places to fly to from Berlin, there and back by one-way fares for one: " in both_ways
    assert _least(both_ways) > _least(one_way)
    within = await house.say("ada", f"max {_least(both_ways) + 1:.0f} euros")
    assert 0 < within.count(" from €") <= 2
    assert "there and back by one-way fares for one" in within


async def test_how_long_it_takes_tells_the_way_back_as_well(house):
    assert "there and back by one-way fares for one: " in await house.say("ada", f"{OPEN} for 3 nights")


def _least(reply):
    return float(re.search(r"from €([\d.]+)", reply).group(1))
