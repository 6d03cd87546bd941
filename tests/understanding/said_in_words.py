"""Words for all that a conversation may say, with the values that they mean."""

from datetime import date, timedelta

from backend.travel.understanding.result import FlightSlots, HotelSlots

ORIGINS = {"Berlin": "Berlin", "Oslo": "Oslo", "Madrid": "Madrid"}
GOALS = {"Tokyo": "Tokyo", "Lisbon": "Lisbon", "Rome": "Rome", "Vienna": "Vienna"}
STARTS = {
    "1 December": date(2026, 12, 1),
    "2026-12-03": date(2026, 12, 3),
    "the 5th of December": date(2026, 12, 5),
    "Dec 9": date(2026, 12, 9),
    "tomorrow": date(2026, 11, 21),
}
ENDS = {
    "20 December": date(2026, 12, 20),
    "2026-12-23": date(2026, 12, 23),
    "the 28th of December": date(2026, 12, 28),
}
PEOPLE = {"2 people": 2, "three adults": 3, "6 people": 6}
NIGHTS = {"4 nights": 4, "a week": 7, "ten nights": 10}
ROOMS = {"5 rooms": 5, "8 rooms": 8}
COUNTS = {"9": 9, "eleven": 11}
CABINS = {"business class": "business", "first class": "first", "economy": "economy"}
AIRLINES = {"Lufthansa": "Lufthansa", "KLM": "KLM", "Air France": "Air France"}
STOPS = {"nonstop": 0, "at most one stop": 1}
STARS = {"4 stars": 4, "5 stars": 5}
AMENITIES = {"a pool": "pool", "a gym": "gym", "parking": "parking"}
PRICES = {"under 410 euros": 410, "max 730 euros": 730}
NIGHT_PRICES = {"under 95 euros a night": 95, "max 140 euros per night": 140}

START, END = ("flight.departure_date", "hotel.check_in"), ("flight.return_date", "hotel.check_out")
GOAL, PRICE = ("flight.destination", "hotel.city"), ("flight.max_price", "hotel.max_price")
COUNT = ("flight.passengers", "hotel.guests", "hotel.nights", "hotel.rooms")
MEANT = {
    "origin": (("flight.origin",), ORIGINS),
    "goal": (GOAL, GOALS),
    "place": (("flight.origin", *GOAL), ORIGINS | GOALS),
    "start": (START, STARTS),
    "end": (END, ENDS),
    "day": ((*START, *END), STARTS | ENDS),
    "people": (COUNT[:2], PEOPLE),
    "nights": (("hotel.nights",), NIGHTS),
    "rooms": (("hotel.rooms",), ROOMS),
    "count": (COUNT, COUNTS),
    "cabin": (("flight.cabin_class",), CABINS),
    "airline": (("flight.airline", "flight.airlines"), AIRLINES),
    "stops": (("flight.max_stops",), STOPS),
    "stars": (("hotel.stars",), STARS),
    "amenity": (("hotel.amenities",), AMENITIES),
    "price": (PRICE, PRICES),
    "fare": (PRICE[:1], PRICES),
    "night_price": (PRICE[1:], NIGHT_PRICES),
}
OTHER_END = {
    "flight.destination": "hotel.city",
    "flight.departure_date": "hotel.check_in",
    "flight.return_date": "hotel.check_out",
    "flight.passengers": "hotel.guests",
}
OTHER_END |= {hotel: flight for flight, hotel in OTHER_END.items()}

FLIGHT = tuple(f"flight.{name}" for name in FlightSlots.__slots__)
HOTEL = tuple(f"hotel.{name}" for name in HotelSlots.__slots__)
TALK = (
    "thanks", "hello", "thank you so much!", "what's the weather like?", "tell me a joke", "who are you?",
    "how are you today?", "that's all, bye",
    "play some music", "lol", "???", "🎉🎉", "qwrtz plmk", "", "hmm ...",
)  # fmt: skip
STOPS_ALL = ("stop", "never mind", "cancel that", "forget it", "stop searching")
OPENING = (
    "fly from {origin} to {goal} {start}, returning {end}, {people}, {cabin}, {stops}, on {airline}, {fare}",
    "a hotel in {goal} from {start} to {end}, with {amenity}, {people}, {rooms}, {stars}, {night_price}",
    "a hotel in {goal} on {start} for {nights} with {amenity}, {people}, {stars}, {night_price}",
    "flights and hotels in {goal} from {origin}, {start} to {end}, {people}",
)
SAYING = (
    *OPENING, "flights from {origin} to {goal}", "find flights from {origin} to {goal} on {start}",
    "a flight to {goal} with {airline}", "hotels in {goal}", "I need a hotel in {goal} from {start} to {end}",
    "plan a trip to {goal} for {people}",
    "hotel with {amenity} in {goal}, {rooms}", "flights from {origin} to Japan",
    "hotels in Tuscany on {start}",
    "flights from {origin} to {goal} in early December", "fly from {origin} to Atlantis on {start}",
    "and hotels there", "and a hotel there for {nights}", "also a hotel with {amenity}, {stars}",
    "flights there from {origin} too", "a hotel for the same dates", "and flights from {origin}",
    "actually, make it {goal}", "make that {start}", "no, from {origin}", "not {place}, {place}", "{place}",
    "change the return to {end}", "return on {end}", "leave on {day}", "departing {day}", "{day}",
    "check out on {end}", "for {people}", "we are {people}", "{nights} instead", "stay for {nights}",
    "with {airline} please", "{cabin} please", "{stops} only", "{stars} at least", "with {amenity}",
    "{price}", "{night_price}", "{rooms} please", "anything cheaper?", "for {people} and {price}",
    "to {goal} instead, on {start}", "I'd rather stay in {goal}", "just {place}", "yes", "no", "show me more",
    "sorry, I meant {day}", "what about {goal}?", "the flights on {start} and the hotel from {start}",
    "my wife loves {place}", "is it warm in {goal}?", "a restaurant in {goal} for {people}",
    "you decide", "the first one", "flights after all", "a hotel after all",
)  # fmt: skip
BACK = (
    "go back to the {goal} flights", "back to {goal}", "the first one again",
    "go back to the previous search", "go back to the first request, {cabin}", "the hotel in {goal} again",
    "try again", "go on",
)  # fmt: skip
ASKED_FOR = ("{place}", "{day}", "{count}", "{people}", "it's {count}", "{place} on {day}")
AWAY = {
    "forget the price limit": (*PRICE, "flight.max_total", "hotel.max_total"),
    "one way": ("flight.return_date",),
    "any airline": ("flight.airline", "flight.airlines", "flight.not_airlines"),
    "forget the airline": ("flight.airline", "flight.airlines", "flight.not_airlines"),
    "without the nonstop": ("flight.max_stops",),
    "forget the star rating": ("hotel.stars",),
    "the class doesn't matter": ("flight.cabin_class",),
    "forget the flights": FLIGHT,
    "no hotel please": HOTEL,
}
MOVED = {
    "a day later": dict.fromkeys(START + END, timedelta(days=1)),
    "two days earlier": dict.fromkeys(START + END, timedelta(days=-2)),
    "one more night": dict.fromkeys(END, timedelta(days=1)) | {"hotel.nights": 1},
    "one more person": dict.fromkeys(COUNT[:2], 1),
}
