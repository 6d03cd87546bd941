"""Flights of airlines over the service of Duffel."""
