/** What the rows of offers say, and the orders that they stand in. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { cabinName, carriersOf, directionOf, spokenDirection, stopCount, stopLine } from "../../frontend/lib/flights.js";
import { byKind, cheapest, citiesInOrder, countsOf, flightCost, hotelCost, kindOf, orderAsked, ORDERS } from "../../frontend/lib/offers.js";
import { others } from "../../frontend/lib/plain.js";
import * as whole from "./whole.js";

const EUR = (amount) => ({ amount, currency: "EUR" });
const segment = (origin, departs_at, destination, arrives_at, carrier_name = "Juniper Demo") => ({
  carrier: "demo-juniper",
  carrier_name,
  origin,
  departs_at,
  destination,
  arrives_at,
});
const flight = (total, minutes, segments = [segment("BER", "2027-03-04T10:00:00+01:00", "ARN", "2027-03-04T11:00:00+01:00")]) => ({
  ...whole.FLIGHT,
  offer_id: `f-${total}-${minutes}`,
  slices: [{ segments, duration_minutes: minutes }],
  price_total: EUR(total),
});
const hotel = (total, score, distance_km) => ({
  ...whole.HOTEL,
  offer_id: `h-${total}`,
  price_total: EUR(total),
  score,
  distance_km,
});
const TO_TOKYO = {
  duration_minutes: 795,
  segments: [
    segment("BER", "2027-03-04T10:20:00+01:00", "ARN", "2027-03-04T11:55:00+01:00"),
    segment("ARN", "2027-03-04T13:30:00+01:00", "HND", "2027-03-05T07:35:00+09:00", "Larch Demo"),
  ],
};

test("direction says its local times, the day it lands on, and how long one waits in between", () => {
  const there = directionOf(TO_TOKYO);
  assert.deepEqual([there.leaves, there.lands, there.shift, there.from, there.to], ["10:20", "07:35", 1, "BER", "HND"]);
  assert.deepEqual(there.stops, [{ airport: "ARN", leavesFrom: "", minutes: 95, overnight: false }]);
  assert.equal(stopCount(there), "1 stop");
  assert.equal(stopLine(there.stops[0]), "1 h 35 ARN");
});

test("flight over the date line lands the day before it left", () => {
  const home = { duration_minutes: 480, segments: [segment("AKL", "2027-03-05T01:00:00+13:00", "HNL", "2027-03-04T10:00:00-10:00")] };
  assert.equal(directionOf(home).shift, -1);
  assert.equal(stopCount(directionOf(home)), "Nonstop");
  assert.match(spokenDirection(directionOf(home)), /lands HNL at 10:00 the day before; 8 hours, nonstop\.$/);
});

test("wait over a night in which the clocks change is as long as it really is", () => {
  const slice = {
    duration_minutes: 600,
    segments: [
      segment("BER", "2027-03-27T21:00:00+01:00", "FRA", "2027-03-27T22:00:00+01:00"),
      segment("FRA", "2027-03-28T07:00:00+02:00", "LIS", "2027-03-28T09:00:00+01:00"),
    ],
  };
  const [stop] = directionOf(slice).stops;
  assert.equal(stop.minutes, 480);
  assert.equal(stopLine(stop), "8 h 00 FRA overnight");
});

test("change of airports is told", () => {
  const slice = {
    duration_minutes: 600,
    segments: [
      segment("BER", "2027-03-04T08:00:00+01:00", "HND", "2027-03-05T07:00:00+09:00"),
      segment("NRT", "2027-03-05T12:00:00+09:00", "CTS", "2027-03-05T14:00:00+09:00"),
    ],
  };
  assert.equal(stopLine(directionOf(slice).stops[0]), "5 h 00 HND → NRT");
});

test("directions can be read out as one sentence", () => {
  assert.equal(
    spokenDirection(directionOf(TO_TOKYO)),
    "Thu 4 Mar: leaves BER at 10:20, lands HND at 07:35 the next day; 13 hours 15 minutes, 1 stop: 1 hour 35 minutes in ARN.",
  );
});

test("carriers are named once, and cabins in words", () => {
  assert.equal(carriersOf({ slices: [TO_TOKYO, TO_TOKYO] }), "Juniper Demo, Larch Demo");
  assert.equal(cabinName("premium_economy"), "Premium economy");
});

test("offers are told apart by what they are, whichever agent found them", () => {
  const found = byKind({ planner: [whole.PLAN, flight("1", 1)], other: [hotel("1", 8, 1), { note: "something else" }] });
  assert.deepEqual([found.plan.length, found.flight.length, found.hotel.length], [1, 1, 1]);
  assert.equal(kindOf({ note: "something else" }), null);
  assert.equal(kindOf({ ...flight("1", 1), slices: [{ segments: [] }] }), null);
  assert.equal(kindOf({ ...flight("1", 1), price_total: null }), null);
  assert.equal(countsOf({ flight: [1, 2], hotel: [1], plan: [] }), "2 flights, 1 hotel");
});

const UNCHECKED = ["start", "returns", "checked_bags", "refundable", "changeable", "free_cancellation_until"];
/** What sellers may leave untold. */
const UNTOLD = ["stars", "score", "distance_km", "amenities"];

test("offer lacking a part of its card is not of that kind", () => {
  const nothings = [undefined, null, 7, "x", [null], [{}], {}];
  for (const [kind, offer] of Object.entries({ flight: whole.FLIGHT, hotel: whole.HOTEL, plan: whole.PLAN })) {
    assert.equal(kindOf(offer), kind);
    const needed = Object.keys(offer).filter((part) => !UNCHECKED.includes(part));
    for (const part of needed)
      for (const nothing of UNTOLD.includes(part) ? nothings.filter((each) => each !== null) : nothings)
        if (typeof nothing !== typeof offer[part] || nothing === null || typeof nothing === "object")
          assert.equal(kindOf({ ...offer, [part]: nothing }), null, `${kind}: ${part} is ${JSON.stringify(nothing)}`);
  }
  for (const nothing of nothings) assert.equal(kindOf(nothing), null);
  const late = { ...whole.SEGMENT, departs_at: "some day" };
  assert.equal(kindOf({ ...whole.FLIGHT, slices: [{ segments: [late], duration_minutes: 1 }] }), null);
  assert.equal(kindOf({ ...whole.HOTEL, price_total: { amount: "much", currency: "EUR" } }), null);
});

test("offers without a card stand apart", () => {
  const found = others({ books: [{ title: "A" }, hotel("1", 8, 1), "text"], films: [null] });
  assert.deepEqual(found, [
    { key: "books 0", item: { title: "A" } },
    { key: "books 2", item: "text" },
    { key: "films 0", item: null },
  ]);
});

test("cheapest is found by number, and not among different currencies", () => {
  assert.deepEqual(cheapest([flight("1000", 1), flight("99.5", 1)]), EUR("99.5"));
  assert.equal(cheapest([flight("1", 1), { ...flight("1", 1), price_total: { amount: "1", currency: "USD" } }]), null);
  assert.deepEqual(cheapest([{ title: "no offer" }, flight("2", 1)]), EUR("2"));
  assert.equal(cheapest([]), null);
});

test("best weighs time and stops as it says: twice as long stands even at 30 percent less", () => {
  assert.ok(flightCost(flight("70", 200)) < flightCost(flight("100", 100)));
  assert.ok(flightCost(flight("72", 200)) > flightCost(flight("100", 100)));
  const stopping = { ...flight("100", 100), slices: [{ segments: TO_TOKYO.segments, duration_minutes: 100 }] };
  assert.ok(flightCost(stopping) > flightCost(flight("109", 100)));
  assert.ok(flightCost(stopping) < flightCost(flight("111", 100)));
});

test("best weighs a point of score at 30 percent and a kilometre at 3", () => {
  assert.ok(hotelCost(hotel("129", 9, 1)) < hotelCost(hotel("100", 8, 1)));
  assert.ok(hotelCost(hotel("131", 9, 1)) > hotelCost(hotel("100", 8, 1)));
  assert.ok(hotelCost(hotel("102", 8, 1)) < hotelCost(hotel("100", 8, 2)));
});

test("orders with the same value put the cheaper one first", () => {
  const fastest = ORDERS.flight.find(({ name }) => name === "Fastest");
  assert.deepEqual([flight("20", 60), flight("10", 60), flight("99", 50)].sort(fastest.by).map((offer) => offer.offer_id), ["f-99-50", "f-10-60", "f-20-60"]);
});

test("best of each currency stand together, as what costs one can't be weighed against another", () => {
  const inYen = (offer, id) => ({ ...offer, offer_id: id, price_total: { ...offer.price_total, currency: "JPY" } });
  const lists = [
    [ORDERS.flight, flight("90", 100), inYen(flight("100", 10), "yen")],
    [ORDERS.hotel, hotel("90", 1, 9), inYen(hotel("100", 9, 1), "yen")],
  ];
  for (const [orders, euros, yen] of lists) {
    const best = orders.find(({ key }) => key === "best");
    assert.deepEqual([yen, euros].sort(best.by), [euros, yen]);
  }
});

test("order asked for in words is the chip's where there is one", () => {
  assert.equal(orderAsked("flight", { by: "duration", descending: false }), ORDERS.flight[1]);
  assert.equal(orderAsked("hotel", { by: "speed", descending: false }), undefined);
});

test("order asked for from its end is the other way round, and has a name of its own", () => {
  const dearest = orderAsked("flight", { by: "price", descending: true });
  assert.equal(dearest.name, "Dearest");
  assert.deepEqual([flight("10", 60), flight("20", 60)].sort(dearest.by).map((offer) => offer.offer_id), ["f-20-60", "f-10-60"]);
});

test("orders that only words ask for compare what they say", () => {
  const [low, high] = [hotel("100", 7.5, 1), hotel("90", 9, 1)];
  assert.ok(orderAsked("hotel", { by: "score", descending: true }).by(high, low) < 0);
  const at = (/** @type {string} */ departs_at) => ({ ...flight("10", 60), slices: [{ duration_minutes: 60, segments: [{ departs_at, arrives_at: departs_at, duration_minutes: 60 }] }] });
  const [early, late] = [at("2026-12-10T07:05:00+01:00"), at("2026-12-10T09:05:00+01:00")];
  for (const by of ["departure", "arrival"]) assert.ok(orderAsked("flight", { by, descending: false }).by(early, late) < 0);
});

test("plan's route names its cities in order, and where it ends", () => {
  assert.equal(citiesInOrder({ start: "Vienna", order: ["Rome", "Athens"], returns: true }), "Vienna → Rome → Athens → Vienna");
  assert.equal(citiesInOrder({ start: "", order: ["Rome", "Athens"], returns: true }), "Rome → Athens → Rome");
});

test("rental car is a kind of its own, and one that lacks what its card shows is none", () => {
  const car = {
    offer_id: "c1",
    live: false,
    model: "Finch",
    supplier: "Kestrel Demo",
    car_class: "compact",
    transmission: "automatic",
    station: "airport",
    seats: 5,
    bags: 2,
    pick_up: "2027-03-10",
    drop_off: "2027-03-15",
    price_total: EUR("200.00"),
    price_per_day: EUR("40.00"),
  };
  assert.equal(kindOf(car), "car");
  assert.equal(kindOf({ ...car, offer_id: "c2", seats: undefined }), null);
  assert.deepEqual(byKind({ car: [car] }).car, [car]);
  assert.equal(countsOf(byKind({ car: [car] })), "1 car");
  assert.equal(ORDERS.car[0].key, "price");
});
