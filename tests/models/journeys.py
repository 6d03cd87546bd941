"""The travel graph with a scripted model over the real core, on virtual time."""

from dataclasses import replace
from typing import Any

from backend.travel.models.history import Message, Told, conversation
from backend.travel.values.travel import FlightOffer
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import EVERYTHING, Parts
from tests.records import a_message

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"


def offers(flights: str = "end", hotels: str = "end") -> Provider:
    """Two flights and one hotel, a batch a second, from sources that then end as told."""
    return Provider(
        [Source("one", [_on_the_day("612.40")], [_on_the_day("590.00", "Larch Demo")], then=flights)],
        [Source("chains", [a_hotel("120.00")], then=hotels)],
    )


def _on_the_day(price: str, carrier: str = "Aurora Demo") -> FlightOffer:
    """An offer of one nonstop flight on 10 December."""
    offer = a_flight(price, carrier)
    [segment] = offer.slices[0].segments
    moved = replace(segment, departs_at=segment.departs_at.replace(month=12, day=10))
    return replace(offer, slices=(replace(offer.slices[0], segments=(moved,)),))


def parts(
    model: Any,
    provider: Any = None,
    *,
    read_within_s: float = 1.5,
    searches_further: bool = False,
    **more: Any,
) -> Parts:
    """Return one process in which a model travels along."""

    def workflow(ledger: Any, _owner: Any) -> TravelWorkflow:
        return TravelWorkflow(
            provider or offers(),
            ledger,
            today=lambda: TODAY,
            model=model,
            read_within_s=read_within_s,
            searches_further=searches_further,
        )

    return Parts(workflow=workflow, **more)


async def told_from_store(core: Parts, agent: str | None, user: str = "ann") -> list[Message]:
    """Return what a model would be told at the user's next message, by what is stored and nothing else."""
    entries = [*await core.store.get_messages(user, limit=EVERYTHING), a_message(turn=EVERYTHING, text="So?")]
    steps = await core.store.get_model_steps(user, since_turn=0)
    turns = {step.turn for step in steps}
    calls = [call for turn in sorted(turns) for call in await core.store.get_tool_calls(user, turn)]
    return conversation(Told(entries=entries, steps=steps, calls=calls), agent=agent)
