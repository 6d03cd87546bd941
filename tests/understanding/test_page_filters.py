"""What the page says as a filter of airlines or amenities is clicked changes just that filter."""

import random
from dataclasses import replace

from backend.travel.providers.demo.hotels import AMENITIES
from backend.travel.understanding.english.details.airlines import AIRLINES, DEMO, DEMO_AIRLINES
from backend.travel.understanding.understand import understand
from tests.frontend.saying import said
from tests.understanding.conversation import TODAY
from tests.understanding.test_page_phrases import SEED, misread, situations

HELD_AS = {"air conditioning": "air_conditioning", "pets allowed": "pets", "step-free access": "step_free"}
UNDERSTOOD = tuple(amenity for amenity in AMENITIES if amenity != "spa")
"""A spa is a service of its own as well: "No spa needed." is taken for one that is not searched."""
CARRIERS = (*AIRLINES, *(name + DEMO for name in DEMO_AIRLINES))


def clicked(agent):
    """Yield each situation in which an agent is wanted, with dice to choose what is clicked."""
    dice = random.Random(SEED)
    for name, before in situations():
        if agent in before.wanted:
            yield name, before, dice


def faults(choices):
    """The clicks that change anything else than is meant: each is made, and then taken back."""
    choices = list(choices)
    made = said(call for _, _, call, _, _ in choices)
    undone = said(call for _, _, _, call, _ in choices)
    found = []
    for (name, before, _, _, meant), sentence, back in zip(choices, made, undone, strict=True):
        after = understand(sentence, previous=before, today=TODAY)
        found += [
            misread(name, before, sentence, meant),
            misread(name, after, back, (before.flight, before.hotel)),
        ]
    assert len(found) > 100
    return [fault for fault in found if fault]


def test_filter_of_airlines_asks_for_the_one_that_was_clicked_or_for_any():
    choices = [
        (
            name,
            before,
            ("airline", [airline]),
            ("airline", [""]),
            (replace(before.flight, airline=airline, airlines=(airline,)), before.hotel),
        )
        for name, before, dice in clicked("flight")
        for airline in dice.sample(CARRIERS, 3)
    ]
    assert faults(choices) == []


def test_filter_of_amenities_asks_for_the_one_that_was_clicked_or_leaves_it_out():
    choices = [
        (
            name,
            before,
            ("amenity", [amenity, True]),
            ("amenity", [amenity, False]),
            (before.flight, replace(before.hotel, amenities=(HELD_AS.get(amenity, amenity),))),
        )
        for name, before, dice in clicked("hotel")
        for amenity in dice.sample(UNDERSTOOD, 3)
    ]
    assert faults(choices) == []
