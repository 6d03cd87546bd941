"""The day on which all tests of a session search, the seed of their inventory, and its markets."""

from datetime import date

TODAY = date(2026, 11, 20)
SEED = 7
FLIGHT_MARKETS = ("network carriers", "low-cost carriers", "connections")
HOTEL_MARKETS = ("hotel chains", "independent hotels")
