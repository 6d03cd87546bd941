"""Currencies that demo prices are quoted in.

Prices are made in EUR and quoted in the currency of the price limit that somebody gives. The rates are
round, invented figures near those of recent years: nothing here is sold, so nothing depends on them.
"""

from decimal import Decimal

from ...values.travel import Money

HOME_CURRENCY = "EUR"

_PER_EUR = {
    "EUR": 1.0, "USD": 1.1, "GBP": 0.85, "CHF": 0.95, "JPY": 165.0, "CAD": 1.5, "AUD": 1.7, "NZD": 1.85,
    "SEK": 11.3, "NOK": 11.6, "DKK": 7.46, "PLN": 4.3, "CZK": 25.0, "HUF": 400.0, "TRY": 40.0, "AED": 4.0,
    "SGD": 1.48, "HKD": 8.6, "CNY": 7.9, "INR": 95.0, "THB": 38.0, "KRW": 1500.0, "BRL": 6.0, "MXN": 20.0,
    "ZAR": 20.0, "ILS": 4.0,
}  # fmt: skip
_WITHOUT_CENTS = {"JPY", "KRW", "HUF"}


def quotable(currency: str) -> bool:
    """Return whether prices can be quoted in a currency (ISO 4217)."""
    return currency in _PER_EUR


def in_currency(eur: float, currency: str) -> Money:
    """Return an amount of EUR in a currency, rounded to its smallest common unit."""
    digits = 0 if currency in _WITHOUT_CENTS else 2
    return Money(amount=Decimal(f"{eur * _PER_EUR[currency]:.{digits}f}"), currency=currency)


def in_eur(money: Money) -> Decimal:
    """Return an amount of a currency that is quoted in, in EUR, not rounded."""
    return money.amount / Decimal(str(_PER_EUR[money.currency]))
