"""What the travel assistant's own routes answered; written by `scripts/record_examples.py`."""

from typing import Any

AIRPORT_CODES: str = "BER,HND"
AIRPORTS_ANSWER: dict[str, Any] = {
    "airports": {
        "BER": {
            "code": "BER",
            "name": "Berlin Brandenburg Airport",
            "city": "Berlin",
            "country": "DE",
            "latitude": 52.3622,
            "longitude": 13.5007,
        },
        "HND": {
            "code": "HND",
            "name": "Tokyo International Airport",
            "city": "Tokyo",
            "country": "JP",
            "latitude": 35.5523,
            "longitude": 139.78,
        },
    }
}
PLACE_TEXT: str = "lisb"
PLACES_ANSWER: dict[str, Any] = {
    "places": [{"name": "Lisbon, Portugal", "title": "Lisbon", "area": "Portugal", "codes": ["LIS"]}]
}
LAND_ANSWER: dict[str, Any] = {"step": 1, "rows": [{"latitude": -90, "longitudes": [0]}]}
FARES_ANSWER: dict[str, Any] = {
    "days": [
        {"date": "2026-12-09", "price_total": {"amount": "377.94", "currency": "EUR"}},
        {"date": "2026-12-10", "price_total": {"amount": "422.01", "currency": "EUR"}},
        {"date": "2026-12-11", "price_total": {"amount": "432.41", "currency": "EUR"}},
    ]
}
BOOKINGS_ANSWER: dict[str, Any] = {
    "bookings": [
        {
            "reference": "DEMO-WQYHD8",
            "kind": "hold",
            "title": "Larkspur Demo, LHR to JFK on Fri 4 December 2026",
            "state": "held",
            "price_total": {"amount": "342.71", "currency": "EUR"},
            "expires_at": "2026-11-20T12:20:00.000Z",
            "cancellable": True,
            "refund_rule": "not refundable",
            "refund": None,
            "travellers": [],
            "made_at": "2026-11-20T12:00:00.000Z",
            "provider": "demo",
            "demo": True,
            "offer": {
                "offer_id": "demo-flight-ea24dfe75db77c17",
                "provider": "demo",
                "source": "connections",
                "live": False,
                "slices": [
                    {
                        "segments": [
                            {
                                "carrier": "demo-larkspur",
                                "carrier_name": "Larkspur Demo",
                                "number": "1364",
                                "origin": "LHR",
                                "destination": "DUB",
                                "departs_at": "2026-12-04T20:55:00.000Z",
                                "arrives_at": "2026-12-04T22:00:00.000Z",
                                "duration_minutes": 65,
                                "aircraft": "turboprop",
                            },
                            {
                                "carrier": "demo-larkspur",
                                "carrier_name": "Larkspur Demo",
                                "number": "248",
                                "origin": "DUB",
                                "destination": "JFK",
                                "departs_at": "2026-12-05T10:40:00.000Z",
                                "arrives_at": "2026-12-05T12:45:00-05:00",
                                "duration_minutes": 425,
                                "aircraft": "wide-body jet",
                            },
                        ],
                        "duration_minutes": 1250,
                    }
                ],
                "passengers": 1,
                "cabin_class": "economy",
                "price_total": {"amount": "342.71", "currency": "EUR"},
                "price_per_person": {"amount": "342.71", "currency": "EUR"},
                "checked_bags": 0,
                "refundable": False,
                "changeable": False,
            },
        }
    ]
}
KEPT_REQUESTS_ANSWER: dict[str, Any] = {
    "user_id": "ada",
    "requests": [
        {
            "task_id": "01k0pfxwm402ts6cgmpsd5vqaq",
            "title": "London to New York, 4 December",
            "message": "hold the cheapest flight",
            "status": "completed",
            "relation": "refine",
            "from_task_id": "01k0pfxwm400qrz6a2erv0nzkt",
            "found_at": "2026-11-20T12:00:00.000Z",
            "partial_results": {"flight": 36},
            "cheapest": {"flight": {"amount": "342.71", "currency": "EUR"}},
            "requests": {
                "flight": {
                    "origin": {
                        "label": "London, GB",
                        "latitude": 51.51,
                        "longitude": -0.13,
                        "codes": ["LHR", "LGW", "STN", "LTN", "LCY"],
                    },
                    "destination": {
                        "label": "New York, New York, US",
                        "latitude": 40.71,
                        "longitude": -74.01,
                        "codes": ["JFK", "EWR", "LGA"],
                    },
                    "departure_date": "2026-12-04",
                    "return_date": None,
                    "passengers": 1,
                    "children": None,
                    "cabin_class": "economy",
                    "airlines": None,
                    "not_airlines": None,
                    "max_stops": None,
                    "max_price": None,
                    "max_total": None,
                    "departs_after": None,
                    "departs_before": None,
                    "arrives_after": None,
                    "arrives_before": None,
                    "returns_after": None,
                    "returns_before": None,
                    "max_minutes": None,
                    "max_layover": None,
                    "via": None,
                    "avoided": None,
                    "bags": None,
                    "refundable": None,
                    "changeable": None,
                    "seats": None,
                    "flexible_days": None,
                    "unused": [],
                    "assumed": ["cabin_class", "passengers"],
                    "words": {},
                }
            },
        }
    ],
}
KEPT_OFFERS_ANSWER: dict[str, Any] = {
    "task_id": "01k0pfxwm402ts6cgmpsd5vqaq",
    "title": "London to New York, 4 December",
    "message": "hold the cheapest flight",
    "status": "completed",
    "relation": "refine",
    "from_task_id": "01k0pfxwm400qrz6a2erv0nzkt",
    "found_at": "2026-11-20T12:00:00.000Z",
    "partial_results": {"flight": 36},
    "cheapest": {"flight": {"amount": "342.71", "currency": "EUR"}},
    "requests": {
        "flight": {
            "origin": {
                "label": "London, GB",
                "latitude": 51.51,
                "longitude": -0.13,
                "codes": ["LHR", "LGW", "STN", "LTN", "LCY"],
            },
            "destination": {
                "label": "New York, New York, US",
                "latitude": 40.71,
                "longitude": -74.01,
                "codes": ["JFK", "EWR", "LGA"],
            },
            "departure_date": "2026-12-04",
            "return_date": None,
            "passengers": 1,
            "children": None,
            "cabin_class": "economy",
            "airlines": None,
            "not_airlines": None,
            "max_stops": None,
            "max_price": None,
            "max_total": None,
            "departs_after": None,
            "departs_before": None,
            "arrives_after": None,
            "arrives_before": None,
            "returns_after": None,
            "returns_before": None,
            "max_minutes": None,
            "max_layover": None,
            "via": None,
            "avoided": None,
            "bags": None,
            "refundable": None,
            "changeable": None,
            "seats": None,
            "flexible_days": None,
            "unused": [],
            "assumed": ["cabin_class", "passengers"],
            "words": {},
        }
    },
    "offers": {
        "flight": [
            {
                "offer_id": "demo-flight-c6e3ea2125190f49",
                "provider": "demo",
                "source": "network carriers",
                "live": False,
                "slices": [
                    {
                        "segments": [
                            {
                                "carrier": "demo-hickory",
                                "carrier_name": "Hickory Demo",
                                "number": "2811",
                                "origin": "LHR",
                                "destination": "JFK",
                                "departs_at": "2026-12-04T13:35:00.000Z",
                                "arrives_at": "2026-12-04T16:15:00-05:00",
                                "duration_minutes": 460,
                                "aircraft": "wide-body jet",
                            }
                        ],
                        "duration_minutes": 460,
                    }
                ],
                "passengers": 1,
                "cabin_class": "economy",
                "price_total": {"amount": "519.25", "currency": "EUR"},
                "price_per_person": {"amount": "519.25", "currency": "EUR"},
                "checked_bags": 1,
                "refundable": False,
                "changeable": False,
            }
        ]
    },
}
