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
            "reference": "DEMO-E4VD3Z",
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
