"""What narrows rental cars: class, gearbox, where they are picked up, the price of a day."""

from .filters import costs_at_most, is_of

PRICE_OF_A_DAY = costs_at_most("price_per_day")
OF_CLASS = is_of("car_class")
WITH_TRANSMISSION = is_of("transmission")
AT_STATION = is_of("station")
