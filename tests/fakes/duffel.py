"""A stand-in of Duffel's flights API, version v2, and an account of what it has sold.

Any two airports or cities have flights; `script` says otherwise for a route. The routes of Duffel's test mode
(LHR to STN, and so on) behave as they do there. Offers leave out all that the service may leave out, on every
second one; where nobody knows what the service does, it does the worse.

    async with Duffel() as duffel:
        duffel.script("BER", "FCO", [[Flight(price="120.00")], [], [Flight(carrier="XY", holdable=False)]])
        ...                     # the server under test has `duffel.url` and `duffel.token`
        assert len(duffel.orders) == 1 and not duffel.payments
"""

import base64
import gzip
import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from email.utils import format_datetime
from typing import Any

from tests.fakes.duffel_offers import (
    Flight,
    Offer,
    known_places,
    make_offer,
    stamp,
    suggestion,
    usual_flights,
)
from tests.fakes.service import Answer, Refused, Request, Search, Service, route

BATCH_LIFE_S = 60
TYPES = {
    401: "authentication_error",
    403: "authentication_error",
    422: "validation_error",
    429: "rate_limit_error",
}
STATE = {
    "already_cancelled", "already_paid", "offer_expired", "offer_request_already_booked",
    "order_creation_already_attempted", "order_not_cancellable", "past_payment_required_by_date",
    "schedule_changed", "price_changed",
}  # fmt: skip
AIRLINE = {"offer_no_longer_available", "airline_internal", "airline_unknown", "duplicate_booking"}
CODE_OF = {429: "rate_limit_exceeded", 404: "not_found", 504: "gateway_timeout_error"}
ORDER_FILTERS = ("awaiting_payment", "booking_reference", "passenger_name[]", "user_id")
CABINS = {"first", "business", "premium_economy", "economy"}
NAME = re.compile(r"[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ '.-]{0,19}")
PERSON: dict[str, tuple[str, Callable[[Any], object]]] = {
    "title": ("validation_format", lambda value: value in {"mr", "ms", "mrs", "miss", "dr"}),
    "given_name": ("invalid_passenger_name", lambda value: NAME.fullmatch(str(value))),
    "family_name": ("invalid_passenger_name", lambda value: NAME.fullmatch(str(value))),
    "gender": ("validation_format", lambda value: value in {"m", "f"}),
    "born_on": ("validation_format", lambda value: _is_date(value)),
    "email": ("validation_format", lambda value: re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", str(value))),
    "phone_number": ("invalid_phone_number", lambda value: re.fullmatch(r"\+[1-9]\d{6,14}", str(value))),
}
"""What the service wants of a traveller in an order, and what it says otherwise."""
LEG: dict[str, Callable[[Any], object]] = {
    "origin": lambda value: value in known_places(),
    "destination": lambda value: value in known_places(),
    "departure_date": lambda value: _is_date(value),
}


class Duffel(Service):
    """The stand-in. `orders`, `payments` and `cancellations` are by id, as the service gives them now."""

    limit = 4000
    quote_life_s = 900.0
    poll_reads: Sequence[int] = (4, 1, 1)
    """How many batches each read of a search gets, where the test does not release them."""

    def __init__(self, *, token: str = "duffel_test_" + "fake", **settings: Any) -> None:
        super().__init__(**settings)
        self.token = token
        self.balance = Decimal(100_000)
        self.offers: dict[str, Offer] = {}
        self.orders: dict[str, dict[str, Any]] = {}
        self.payments: dict[str, dict[str, Any]] = {}
        self.cancellations: dict[str, dict[str, Any]] = {}
        self.pending: list[dict[str, Any]] = []
        """Orders that were answered with 200 or 202, until the test settles them."""
        self._answers: list[int] = []
        self._schedule_changed: set[str] = set()
        self._sold_as: dict[str, Offer] = {}
        self._scripts: dict[tuple[str, str], Sequence[Sequence[Flight]]] = {}
        self._by_id: dict[str, Search] = {}

    # What a test says

    def script(self, origin: str, destination: str, batches: Sequence[Sequence[Flight]]) -> None:
        """Have searches from here to there find these flights, in these batches."""
        self._scripts[origin, destination] = batches

    def raise_price(self, offer_id: str, by: str, *, each_look: bool = False) -> None:
        """Make an offer dearer, now or at each look at it."""
        offer = self.offers[offer_id]
        if each_look:
            offer.dearer = Decimal(by)
        else:
            _add(offer.data, Decimal(by))

    def withdraw(self, offer_id: str) -> None:
        """Have the airline sell an offer no more."""
        self.offers[offer_id].withdrawn = True

    def next_order(self, status: int) -> None:
        """Answer the next order with 202 (who knows) or 200 (booked, and not to be seen yet)."""
        self._answers.append(status)

    def settle(self, *, created: bool) -> None:
        """Have the order that has been pending longest be there after all, or never."""
        order = self.pending.pop(0)
        if created:
            self.orders[order["id"]] = order
        elif order["payment_status"]["paid_at"]:
            self.balance += Decimal(order["total_amount"])

    def change_schedule(self, order_id: str) -> None:
        """Have the airline change the flights of a held order: it cannot be paid any more."""
        self._schedule_changed.add(order_id)

    # Headers and errors

    @property
    def live(self) -> bool:
        return self.token.startswith("duffel_live_")

    def check(self, request: Request) -> None:
        headers = request.headers
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if not scheme:
            raise Refused(401, "missing_authorization_header")
        if scheme != "Bearer" or not token:
            raise Refused(401, "invalid_authorization_header")
        if token != self.token:
            raise Refused(401, "access_token_not_found")
        version = headers.get("duffel-version")
        if version is None:
            raise Refused(400, "missing_version_header")
        if version != "v2":
            is_one = re.fullmatch(r"v1|beta", version)
            raise Refused(400, "unsupported_version" if is_one else "invalid_version_header")
        if not re.search(r"application/(json|\*)|\*/\*", headers.get("accept", "*/*")):
            raise Refused(406, "unsupported_format")
        if request.method in {"POST", "PATCH"}:
            self._check_body(request)

    def _check_body(self, request: Request) -> None:
        kind = request.headers.get("content-type")
        if request.route.endswith("/actions/confirm") and not request.exchange.raw:
            return
        if kind is None:
            raise Refused(400, "missing_content_type_header")
        if kind.partition(";")[0].strip() != "application/json":
            raise Refused(400, "invalid_content_type_header")
        if not isinstance(request.body, dict):
            raise Refused(400, "malformed_data_param")
        if "data" not in request.body:
            raise Refused(400, "missing_data_param")
        if not isinstance(request.body["data"], dict):
            raise Refused(400, "invalid_data_param")

    def error(self, refused: Refused) -> Any:
        code = refused.code or CODE_OF.get(refused.status, "api_error")
        kind = TYPES.get(refused.status, "api_error" if refused.status >= 500 else "invalid_request_error")
        if code in STATE:
            kind = "invalid_state_error"
        elif code in AIRLINE:
            kind = "airline_error"
        title = code.replace("_", " ").capitalize()
        item: dict[str, Any] = {"type": kind, "code": code, "title": title, "message": refused.message}
        item["documentation_url"] = "https://duffel.com/docs/api/overview/errors"
        if pointer := refused.more.get("pointer"):
            item["source"] = {"field": pointer.rpartition("/")[2], "pointer": pointer}
        elif kind == "airline_error":
            item["source"] = "duffel_airways"
        meta = {"status": refused.status, "request_id": self.new_id("req")}
        return {"errors": [item], "meta": meta}

    def headers(self, reset_s: float | None) -> dict[str, str]:
        remaining = 0 if reset_s is not None else max(self.remaining or 0, 0)
        reset = self.now + timedelta(seconds=self.window_s if reset_s is None else reset_s)
        return {
            "x-request-id": self.new_id("req"),
            "ratelimit-limit": str(self.limit),
            "ratelimit-remaining": str(remaining),
            "ratelimit-reset": format_datetime(reset, usegmt=True),
        }

    def encoded(self, request: Request, body: bytes, headers: dict[str, str]) -> bytes:
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return body
        headers["content-encoding"] = "gzip"
        return gzip.compress(body, 1)

    # Searching

    @route("POST /air/batch_offer_requests")
    async def begin_batches(self, request: Request) -> Answer:
        _only(request, "supplier_timeout")
        search = self._search(request.body["data"])
        return Answer(201, {"data": {**self._batches(search), "client_key": "SFMyNTY.fake"}})

    @route("GET /air/batch_offer_requests/{id}")
    async def read_batches(self, request: Request) -> Answer:
        _only(request)
        search = self._by_id.get(request.ids[0])

        def has_expired() -> bool:
            return search is None or self.now >= search.at + timedelta(seconds=BATCH_LIFE_S)

        if search is None or has_expired():
            raise Refused(404, "not_found")
        if not search.held and search.read < len(search.pieces):
            reads = search.query["reads"]
            count = reads.pop(0) if reads else 1
            end = min(search.read + count, len(search.pieces))
        else:
            await search.until(
                lambda: has_expired() or search.answers_now or search.released > search.read
                or search.read == len(search.pieces)
            )  # fmt: skip
            if has_expired():
                raise Refused(404, "not_found")
            search.answers_now, end = False, search.released
        new, search.read = search.pieces[search.read : end], end
        offers = [offer.data for piece in new for offer in piece]
        return Answer(200, {"data": {**self._batches(search), "offers": offers}})

    def _batches(self, search: Search) -> dict[str, Any]:
        left = len(search.pieces) - search.read
        return {
            "id": search.query["id"], "total_batches": len(search.pieces), "remaining_batches": left,
            "live_mode": self.live, "created_at": stamp(search.at, 6),
        }  # fmt: skip

    def _search(self, asked: dict[str, Any]) -> Search:
        _check_search(asked, self.now.date())
        slices, people = asked["slices"], asked["passengers"]
        key = (slices[0]["origin"], slices[0]["destination"])
        if key == ("STN", "LHR"):
            raise Refused(504, "gateway_timeout_error")
        query = {
            "id": self.new_id("orq"), "slices": slices, "live": self.live,
            "booked": None, "reads": list(self.poll_reads),
            "passengers": [{"id": self.new_id("pas"), "type": None, "age": None, **each} for each in people],
            "cabin_class": asked.get("cabin_class") or "economy", "most": asked.get("max_connections", 1),
        }  # fmt: skip
        flights = self._scripts.get(key)
        if flights is None:
            flights = [] if key == ("PVD", "RAI") else usual_flights(key, people)
        search = self.begin_search(query, [[] for _ in flights] or [[], [], []])
        offers: list[Offer] = []
        for piece, batch in zip(search.pieces, flights, strict=False):
            for flight in batch:
                if flight.same_as is not None:
                    piece.append(offers[flight.same_as])
                elif flight.stops <= query["most"]:
                    offer = make_offer(search, flight, self.now, self.new_id)
                    offer.withdrawn = key == ("LGW", "LHR")
                    offer.dearer = Decimal("10.00") if key == ("LHR", "STN") else Decimal(0)
                    self.offers[offer.data["id"]] = offer
                    offers.append(offer)
                    piece.append(offer)
        self._by_id[query["id"]] = search
        return search

    def _found(self, search: Search) -> list[Offer]:
        """Return all offers that have come up to now, each once."""
        pieces = search.pieces[: search.released] if search.held else search.pieces
        return list({offer.data["id"]: offer for piece in pieces for offer in piece}.values())

    @route("GET /air/offers")
    async def list_offers(self, request: Request) -> Answer:
        _only(request, "offer_request_id", "sort", "limit", "after", "before", "max_connections")
        search = self._by_id.get(request.query.get("offer_request_id", ""))
        if search is None:
            raise Refused(404, "not_found")
        most = int(request.query.get("max_connections", "2"))
        # No order is promised without `sort`.
        offers = [offer for offer in reversed(self._found(search)) if offer.flight.stops <= most]
        sort = request.query.get("sort", "")
        if sort.removeprefix("-") == "total_amount":
            offers.sort(key=lambda offer: Decimal(offer.data["total_amount"]), reverse=sort.startswith("-"))
        elif sort == "total_duration":
            offers.sort(key=lambda offer: offer.minutes)
        elif sort:
            raise Refused(422, "validation_format", pointer="/sort")
        return self._page(request, [offer.data for offer in offers])

    def _page(self, request: Request, values: list[Any]) -> Answer:
        query = request.query
        try:
            limit, start = int(query.get("limit", "50")), 0
            if cursor := query.get("after") or query.get("before"):
                start = int(base64.urlsafe_b64decode(cursor).removeprefix(b"at:"))
        except ValueError:
            raise Refused(400, "bad_request") from None
        if not 1 <= limit <= 200:
            raise Refused(422, "validation_format", pointer="/limit")
        if "before" in query:
            start = max(start - limit, 0)
        end = start + limit
        before, after = (base64.urlsafe_b64encode(b"at:%d" % at).decode() for at in (start, end))
        meta: dict[str, Any] = {"limit": limit, "before": before if start else None}
        meta["after"] = after if end < len(values) else None
        return Answer(200, {"data": values[start:end], "meta": meta})

    @route("GET /air/offers/{id}")
    async def read_offer(self, request: Request) -> Answer:
        _only(request, "return_available_services")
        offer = self._sellable(request.ids[0])
        _add(offer.data, offer.dearer)
        offer.told = offer.data["total_amount"]
        told = dict(offer.data)
        if request.query.get("return_available_services") == "true":
            told["available_services"] = self._services(offer)
        return Answer(200, {"data": told})

    @route("POST /air/offers/{id}/actions/price")
    async def price_offer(self, request: Request) -> Answer:
        offer = self._sellable(request.ids[0])
        extra = self._extra(offer, request.body["data"].get("intended_services") or [])
        offer.told = offer.data["total_amount"]
        total = str(Decimal(offer.told) + extra)
        methods = request.body["data"].get("intended_payment_methods") or []
        charge = {
            "charge_amount": total,
            "charge_currency": offer.data["total_currency"],
            "surcharge_amount": "0.00",
        }
        charges = [{**method, **charge} for method in methods]
        priced = {**offer.data, "total_amount": total, "intended_payment_methods": charges}
        return Answer(200, {"data": priced})

    def _sellable(self, offer_id: str) -> Offer:
        offer = self.offers.get(offer_id)
        if offer is None:
            raise Refused(404, "not_found")
        if offer.withdrawn:
            raise Refused(422, "offer_no_longer_available")
        if self.now >= datetime.fromisoformat(offer.data["expires_at"]):
            raise Refused(422, "offer_expired")
        return offer

    def _services(self, offer: Offer) -> list[dict[str, Any]]:
        segments = [segment["id"] for leg in offer.data["slices"] for segment in leg["segments"]]
        service = {
            "type": "baggage", "maximum_quantity": 1, "passenger_ids": [offer.data["passengers"][0]["id"]],
            "total_amount": "35.50", "total_currency": offer.data["total_currency"], "segment_ids": segments,
            "metadata": {"type": "checked", "maximum_weight_kg": 23},
        }  # fmt: skip
        return [{**service, "id": f"ase_{offer.data['id'][4:]}{at}"} for at in range(offer.flight.services)]

    def _extra(self, offer: Offer, wanted: list[dict[str, Any]]) -> Decimal:
        prices = {service["id"]: Decimal(service["total_amount"]) for service in self._services(offer)}
        if any(each["id"] not in prices or each.get("quantity") != 1 for each in wanted):
            raise Refused(422, "ancillary_service_not_available")
        return sum((prices[each["id"]] for each in wanted), Decimal(0))

    # Booking

    @route("POST /air/orders", writes=True)
    async def create_order(self, request: Request) -> Answer:
        asked = request.body["data"]
        offer = self._wanted(asked)
        extra = self._extra(offer, asked.get("services") or [])
        total, money = Decimal(offer.data["total_amount"]) + extra, offer.data["total_currency"]
        self._check_people(asked.get("passengers"), offer)
        _check_metadata(asked.get("metadata") or {})
        is_hold = asked["type"] == "hold"
        if is_hold and ("payments" in asked or not offer.flight.holdable):
            raise Refused(422, "unsupported_action", pointer="/payments")
        if offer.told != offer.data["total_amount"]:
            raise Refused(422, "price_changed")
        if not is_hold:
            payments = asked.get("payments")
            if not isinstance(payments, list) or len(payments) != 1:
                raise Refused(422, "validation_required", pointer="/payments")
            self._pay(payments[0], total, money)
        order = self._order(asked, offer, total, paid=not is_hold)
        offer.search.query["booked"], self._sold_as[order["id"]] = order["id"], offer
        status = self._answers.pop(0) if self._answers else 201
        if status == 201:
            self.orders[order["id"]] = order
            return Answer(201, {"data": order})
        self.pending.append(order)
        return Answer(status, {"data": None})

    def _wanted(self, asked: dict[str, Any]) -> Offer:
        if asked.get("type") not in {"instant", "hold"}:
            raise Refused(422, "validation_format", pointer="/type")
        selected = asked.get("selected_offers")
        if not isinstance(selected, list) or len(selected) != 1:
            raise Refused(422, "validation_length", pointer="/selected_offers")
        offer = self.offers.get(selected[0])
        if offer is None:
            raise Refused(404, "not_found")
        if tried := offer.search.query["booked"]:
            code = (
                "offer_request_already_booked" if tried in self.orders else "order_creation_already_attempted"
            )
            raise Refused(422, code)
        return self._sellable(selected[0])

    def _check_people(self, people: Any, offer: Offer) -> None:
        expected = {person["id"]: person for person in offer.data["passengers"]}
        if not isinstance(people, list) or sorted(str(p.get("id")) for p in people) != sorted(expected):
            raise Refused(422, "order_passengers_incompatible_with_offer", pointer="/passengers")
        flies = offer.search.query["slices"][-1]["departure_date"]
        accompanied = [person.get("infant_passenger_id") for person in people]
        for at, person in enumerate(people):
            for name, (code, is_right) in PERSON.items():
                if name not in person or not is_right(person[name]):
                    raise Refused(422, code, pointer=f"/passengers/{at}/{name}")
            age, said = _age(person["born_on"], flies), expected[person["id"]]["age"]
            if age < 18 if said is None else age != said:
                code = "order_passengers_incompatible_with_offer"
                raise Refused(422, code, pointer=f"/passengers/{at}/born_on")
            documents = f"/passengers/{at}/identity_documents"
            if offer.data["passenger_identity_documents_required"] and not person.get("identity_documents"):
                raise Refused(422, "validation_required", pointer=documents)
            kinds = offer.data["supported_passenger_identity_document_types"]
            for each in person.get("identity_documents", ()):
                if each.get("type") not in kinds or not _is_document(each, flies):
                    raise Refused(422, "validation_format", pointer=documents)
            if age < 2 and accompanied.count(person["id"]) != 1:
                raise Refused(422, "validation_required", pointer="/passengers/0/infant_passenger_id")
            infant = expected.get(person.get("infant_passenger_id"), {})
            if "infant_passenger_id" in person and (age < 18 or (infant.get("age") or 0) >= 2 or not infant):
                raise Refused(422, "validation_format", pointer=f"/passengers/{at}/infant_passenger_id")
        names = [(person["given_name"], person["family_name"]) for person in people]
        if len(set(names)) < len(names):
            raise Refused(422, "duplicate_passenger_name", pointer="/passengers")

    def _pay(self, payment: dict[str, Any], total: Decimal, money: str) -> None:
        if payment.get("type") != "balance":
            raise Refused(422, "payment_declined")
        if payment.get("currency") != money:
            raise Refused(422, "payment_currency_does_not_match_order_currency")
        if not isinstance(payment.get("amount"), str) or Decimal(payment["amount"]) != total:
            raise Refused(422, "payment_amount_does_not_match_order_amount")
        if total > self.balance:
            raise Refused(422, "insufficient_balance")
        self.balance -= total

    def _order(self, asked: dict[str, Any], offer: Offer, total: Decimal, *, paid: bool) -> dict[str, Any]:
        data, order_id = offer.data, self.new_id("ord")
        needs = data["payment_requirements"]
        kept = ("owner", "slices", "conditions", "base_amount", "base_currency", "tax_amount", "tax_currency")
        people = {person["id"]: person for person in asked["passengers"]}
        return {
            **{key: data[key] for key in kept}, "id": order_id,
            "booking_reference": order_id[-6:].upper(), "live_mode": self.live, "content": "self_managed",
            "created_at": stamp(self.now, 6), "synced_at": stamp(self.now, 0), "cancelled_at": None,
            "total_amount": str(total), "total_currency": data["total_currency"],
            "passengers": [{**person, **people[person["id"]]} for person in data["passengers"]],
            "services": asked.get("services") or [], "metadata": asked.get("metadata") or {},
            "documents": _tickets(data["passengers"]) if paid else [],
            "available_actions": ["cancel", "update"],
            "payment_status": {
                "awaiting_payment": not paid, "paid_at": stamp(self.now, 3) if paid else None,
                "payment_required_by": None if paid else needs["payment_required_by"],
                "price_guarantee_expires_at": None if paid else needs["price_guarantee_expires_at"],
            },
            "cancellation": None, "airline_initiated_changes": [],
        }  # fmt: skip

    @route("GET /air/orders")
    async def list_orders(self, request: Request) -> Answer:
        _only(request, *ORDER_FILTERS, "limit", "after", "before")
        orders = list(self.orders.values())[::-1]
        if (awaiting := request.query.get("awaiting_payment")) is not None:
            orders = [o for o in orders if str(o["payment_status"]["awaiting_payment"]).lower() == awaiting]
        if reference := request.query.get("booking_reference"):
            orders = [order for order in orders if order["booking_reference"] == reference]
        if names := {value.lower() for name, value in request.pairs if name == "passenger_name[]"}:
            orders = [o for o in orders if names & {p["family_name"].lower() for p in o["passengers"]}]
        if "user_id" in request.query:
            orders = []  # no order belongs to a user of the service
        return self._page(request, orders)

    def _kept(self, order_id: str | None) -> dict[str, Any]:
        if order_id not in self.orders:
            raise Refused(404, "not_found")
        return self.orders[order_id]

    @route("GET /air/orders/{id}")
    async def read_order(self, request: Request) -> Answer:
        _only(request)
        return Answer(200, {"data": self._kept(request.ids[0])})

    @route("PATCH /air/orders/{id}", writes=True)
    async def update_order(self, request: Request) -> Answer:
        order, metadata = self._kept(request.ids[0]), request.body["data"].get("metadata")
        _check_metadata(metadata)
        order["metadata"] = metadata
        return Answer(200, {"data": order})

    @route("POST /air/payments", writes=True)
    async def pay_order(self, request: Request) -> Answer:
        asked = request.body["data"]
        order, payment = self._kept(asked.get("order_id")), asked.get("payment") or {}
        status = order["payment_status"]
        if order["cancelled_at"]:
            raise Refused(422, "already_cancelled")
        if not status["awaiting_payment"]:
            raise Refused(422, "already_paid")
        if self.now >= datetime.fromisoformat(status["payment_required_by"]):
            raise Refused(422, "past_payment_required_by_date")
        if order["id"] in self._schedule_changed:
            raise Refused(422, "schedule_changed")
        offer = self._sold_as[order["id"]]
        if offer.told != offer.data["total_amount"]:  # raised since it was held
            _add(order, Decimal(offer.data["total_amount"]) - Decimal(offer.told))
            offer.told = offer.data["total_amount"]
            raise Refused(422, "price_changed")
        self._pay(payment, Decimal(order["total_amount"]), order["total_currency"])
        status |= {"awaiting_payment": False, "paid_at": stamp(self.now, 3), "payment_required_by": None}
        order["documents"] = _tickets(order["passengers"])
        paid = {
            **payment, "id": self.new_id("pay"), "order_id": order["id"], "live_mode": self.live,
            "created_at": stamp(self.now, 6), "status": "succeeded",
        }  # fmt: skip
        self.payments[paid["id"]] = paid
        return Answer(201, {"data": paid})

    @route("POST /air/order_cancellations", writes=True)
    async def quote_cancellation(self, request: Request) -> Answer:
        order = self._kept(request.body["data"].get("order_id"))
        if order["cancelled_at"]:
            raise Refused(422, "already_cancelled")
        if "cancel" not in order["available_actions"]:
            raise Refused(422, "order_not_cancellable")
        rule, is_paid = order["conditions"]["refund_before_departure"], order["payment_status"]["paid_at"]
        refund: Decimal | None = Decimal("0.00")
        if is_paid and rule is None:
            refund = None
        elif is_paid and rule["allowed"]:
            refund = Decimal(order["total_amount"]) - Decimal(rule["penalty_amount"])
        quote = {
            "id": self.new_id("ore"), "order_id": order["id"], "live_mode": self.live,
            "refund_amount": None if refund is None else str(max(refund, Decimal("0.00"))),
            "refund_currency": None if refund is None else order["total_currency"],
            "refund_to": "balance" if is_paid else "awaiting_payment", "airline_credits": [],
            "created_at": stamp(self.now, 6), "confirmed_at": None,
            "expires_at": stamp(self.now + timedelta(seconds=self.quote_life_s), 0),
        }  # fmt: skip
        self.cancellations[quote["id"]] = quote
        return Answer(201, {"data": quote})

    @route("POST /air/order_cancellations/{id}/actions/confirm", writes=True)
    async def confirm_cancellation(self, request: Request) -> Answer:
        quote = self.cancellations.get(request.ids[0])
        if quote is None:
            raise Refused(404, "not_found")
        order = self.orders[quote["order_id"]]
        if order["cancelled_at"]:
            raise Refused(422, "already_cancelled")
        if self.now >= datetime.fromisoformat(quote["expires_at"]):
            raise Refused(422, "order_cancellation_expired")
        quote["confirmed_at"] = order["cancelled_at"] = stamp(self.now, 3)
        order |= {"cancellation": dict(quote), "available_actions": []}
        if quote["refund_to"] == "balance":
            self.balance += Decimal(quote["refund_amount"] or 0)
        return Answer(200, {"data": quote})

    # Places

    @route("GET /places/suggestions")
    async def suggest_places(self, request: Request) -> Answer:
        _only(request, "name")
        name = request.query.get("name", "").casefold()
        if not name:
            raise Refused(422, "validation_required", pointer="/name")
        called = {
            code: (code, place.get("city", ""), place["name"]) for code, place in known_places().items()
        }
        found = [code for code, names in called.items() if any(n.casefold().startswith(name) for n in names)]
        return Answer(200, {"data": [suggestion(code) for code in found[:20]]})


def _check_search(asked: dict[str, Any], today: date) -> None:
    slices, people = asked.get("slices"), asked.get("passengers")
    if not isinstance(slices, list) or not slices:
        raise Refused(422, "validation_required", pointer="/slices")
    if not isinstance(people, list) or not 1 <= len(people) <= 9:
        raise Refused(422, "validation_required", pointer="/passengers")
    if asked.get("cabin_class", "economy") not in CABINS:
        raise Refused(422, "validation_format", pointer="/cabin_class")
    if asked.get("max_connections", 1) not in (0, 1, 2):
        raise Refused(422, "validation_format", pointer="/max_connections")
    for at, leg in enumerate(slices):
        for name, is_right in LEG.items():
            if not is_right(leg.get(name)):
                raise Refused(422, "validation_format", pointer=f"/slices/{at}/{name}")
        if leg["departure_date"] < today.isoformat():
            raise Refused(422, "validation_format", pointer=f"/slices/{at}/departure_date")
    for at, person in enumerate(people):
        is_adult = person == {**person, "type": "adult"} and "age" not in person
        is_child = "type" not in person and isinstance(person.get("age"), int) and 0 <= person["age"] < 18
        if not (is_adult or is_child):
            raise Refused(422, "validation_format", pointer=f"/passengers/{at}/type")

    infants = sum(person.get("age", 18) < 2 for person in people)
    if infants > sum("age" not in person for person in people):
        raise Refused(422, "validation_format", pointer="/passengers")


def _only(request: Request, *names: str) -> None:
    """Refuse what nobody knows: a filter that is ignored would give too much."""
    if unknown := request.query.keys() - set(names):
        raise Refused(400, "bad_request", f"unknown parameters: {sorted(unknown)}")


def _add(data: dict[str, Any], by: Decimal) -> None:
    for amount in ("total_amount", "base_amount"):
        data[amount] = str(Decimal(data[amount]) + by)


def _is_date(value: Any) -> bool:
    try:
        return date.fromisoformat(value).isoformat() == value
    except (TypeError, ValueError):
        return False


def _is_document(told: dict[str, Any], flies: str) -> bool:
    is_number = re.fullmatch(r"[A-Z0-9]{5,20}", str(told.get("unique_identifier")))
    is_country = re.fullmatch("[A-Z]{2}", str(told.get("issuing_country_code")))
    return bool(is_number and is_country and _is_date(told.get("expires_on")) and told["expires_on"] >= flies)


def _age(born_on: str, at: str) -> int:
    born, day = date.fromisoformat(born_on), date.fromisoformat(at)
    return day.year - born.year - ((day.month, day.day) < (born.month, born.day))


def _tickets(passengers: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    ticket = {"type": "electronic_ticket", "unique_identifier": "1-1252106312810"}
    return [{**ticket, "passenger_ids": [passenger["id"]]} for passenger in passengers]


def _check_metadata(metadata: Any) -> None:
    is_right = isinstance(metadata, dict) and len(metadata) <= 50
    for key, value in metadata.items() if is_right else ():
        is_key = re.fullmatch(r"[A-Za-z0-9_-]{1,40}", key)
        is_right = is_right and is_key and isinstance(value, str) and len(value) <= 500
    if not is_right:
        raise Refused(422, "validation_format", pointer="/metadata")
