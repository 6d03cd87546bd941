"""The travel assistant as a plugin of the server: its workflow over an inventory, and its routes."""

import contextlib
from collections.abc import AsyncGenerator
from datetime import date
from functools import partial

import structlog

from ..http.plugin import Host, Plugin
from ..http.settings import Settings, TravelSettings, bookings_file
from .models.langchain_model import LangchainModel, load_model
from .providers.booking_database import PostgresBookings, SqliteBookings
from .providers.bookings import AllBookings
from .providers.demo.provider import DemoProvider
from .providers.inventory import Inventory, sellers
from .providers.seller_bookings import SellerBookings
from .providers.travellers import Travellers
from .routes.fares import fares_router
from .routes.of_users import all_bookings, bookings_router, requests_router
from .routes.places import map_router
from .routes.travel_schemas import RECORDED_TRAVEL
from .routes.travellers import travellers_router
from .stored_requests import KeptRequests
from .tools.itinerary import plan_itinerary
from .understanding.languages.glosses import load_glosses
from .understanding.places.gazetteer import load_gazetteer
from .workflow import TravelWorkflow

_log = structlog.get_logger(__name__)


def load_travel(settings: Settings, host: Host) -> Plugin:
    """Return the travel assistant, over an inventory in the folder of the server's data."""
    if not isinstance(settings, TravelSettings):
        raise TypeError("the travel assistant needs TravelSettings")
    load_gazetteer()
    load_glosses()
    if host.database is not None and bookings_file(settings.data_dir).exists():
        _log.warning(
            "bookings of a server without DETOUR_POSTGRES are not read, and nobody's deletion reaches them",
            file=str(bookings_file(settings.data_dir)),
        )

    def today() -> date:
        return host.clock().astimezone().date()

    kept = bookings_file(settings.data_dir) if settings.store != "memory" else None
    bookings = SqliteBookings(kept) if host.database is None else PostgresBookings(host.database)
    demo = DemoProvider(
        settings.data_dir / "inventory.sqlite",
        clock=host.clock,
        today=today,
        seed=settings.demo_seed,
        pace=settings.demo_pace,
        database=bookings,
    )
    of_sellers = sellers(settings, bookings, clock=host.clock)
    travellers = Travellers(bookings, key=settings.travellers_key)
    at_sellers = SellerBookings(of_sellers.desks, bookings, travellers, owner=host.owner, clock=host.clock)
    provider = Inventory(demo, of_sellers, AllBookings(demo.bookings, at_sellers))
    model = _model(settings) if settings.model else None
    workflow = TravelWorkflow(
        provider,
        host.ledger,
        today=today,
        goal_fares=provider.fares,
        plan_itinerary=plan_itinerary(demo.tour_program, owner=host.owner),
        model=model,
        read_within_s=settings.model_reading_s,
        searches_further=settings.model_searches,
        kept=KeptRequests(host.store),
        travellers=travellers,
    )

    @contextlib.asynccontextmanager
    async def life() -> AsyncGenerator[None]:
        try:
            yield
        finally:
            await provider.close()
            if model is not None:
                await model.close()

    return Plugin(
        workflow=workflow,
        advise=workflow.advise if model is not None else None,
        routers=[
            map_router(),
            fares_router(provider.fares),
            requests_router(store=host.store),
            bookings_router(provider.bookings, store=host.store, clock=host.clock),
            travellers_router(travellers),
        ],
        examples=RECORDED_TRAVEL,
        kept_beside={"bookings": partial(all_bookings, provider.bookings, clock=host.clock)},
        life=life,
    )


def _model(settings: TravelSettings) -> LangchainModel:
    return load_model(
        settings.model,
        base_url=settings.model_base_url,
        key=settings.model_key,
        streams=settings.model_streams,
        plain_hosts=settings.plain_hosts,
    )
