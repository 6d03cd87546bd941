import assert from "node:assert/strict";
import { test } from "node:test";

import { compared } from "../../frontend/lib/compare.js";
import { filtersOf } from "../../frontend/lib/filters.js";

const money = (amount) => ({ amount: String(amount), currency: "EUR" });
const segment = (carrier_name, more) => ({
  carrier_name,
  number: "1",
  origin: "BER",
  destination: "HND",
  departs_at: "2027-03-04T10:20:00+01:00",
  arrives_at: "2027-03-05T07:35:00+09:00",
  duration_minutes: 700,
  ...more,
});
const flight = (price, carrier = "Larch Demo", more = {}) => ({
  offer_id: `${carrier} ${price}`,
  slices: [{ segments: [segment(carrier)], duration_minutes: 700 }],
  price_total: money(2 * price),
  price_per_person: money(price),
  cabin_class: "economy",
  checked_bags: 1,
  refundable: false,
  changeable: false,
  ...more,
});
const FLIGHTS = [flight(100), flight(212, "Juniper Demo"), flight(390), flight(820)];
const OPEN = { max_stops: null, departs_after: null, departs_before: null, max_price: null };
const named = (filters, name) => filters.find((filter) => filter.name === name);

test("choice says what sets it, and the one that holds says what takes it back", () => {
  const open = named(filtersOf("flight", OPEN, FLIGHTS), "stops");
  assert.equal(open.chosen, "");
  assert.deepEqual(open.choices.map(({ say }) => say), ["Direct flights, please.", "Flights with at most 1 stop."]);
  const set = named(filtersOf("flight", { ...OPEN, max_stops: 0 }, FLIGHTS), "stops");
  assert.equal(set.chosen, "Nonstop");
  assert.deepEqual(set.choices.map(({ chosen, say }) => [chosen, say]), [
    [true, "Flights with any number of stops."],
    [false, "Flights with at most 1 stop."],
  ]);
});

test("limit that is none of the choices is shown as what holds, and taken back", () => {
  const asked = { ...OPEN, max_stops: 2, departs_after: "09:00", stars: 2, min_score: 8.5, amenities: [] };
  const filters = filtersOf("flight", asked, FLIGHTS);
  assert.deepEqual(["stops", "times"].map((name) => named(filters, name).chosen), ["2 stops at most", "From 09:00"]);
  assert.equal(named(filters, "times").choices[0].say, "Any departure time.");
  const stays = filtersOf("hotel", asked, []);
  assert.deepEqual(["stars", "score"].map((name) => named(stays, name).chosen), ["2 or more", "8.5 or better"]);
});

test("times of day are those of the request", () => {
  const { chosen, choices } = named(filtersOf("flight", { ...OPEN, departs_after: "12:00", departs_before: "18:00" }, FLIGHTS), "times");
  assert.equal(chosen, "12:00 to 18:00");
  assert.deepEqual(choices.map(({ say }) => say), ["Flights leaving before 12:00.", "Any departure time.", "Flights leaving after 18:00."]);
});

test("prices leave a quarter, half and three quarters of what was found, beside the limit that there is", () => {
  const names = (request) => named(filtersOf("flight", request, FLIGHTS), "price").choices.map(({ name }) => name);
  assert.deepEqual(names(OPEN), ["Up to €250", "Up to €400", "Up to €850"]);
  assert.deepEqual(names({ ...OPEN, max_price: money(300) }), ["Up to €250", "Up to €300", "Up to €400", "Up to €850"]);
  assert.equal(named(filtersOf("flight", OPEN, []), "price"), undefined);
});

test("filters exist only for what the request can hold", () => {
  assert.equal(named(filtersOf("flight", OPEN, FLIGHTS), "airline"), undefined);
  const { choices } = named(filtersOf("flight", { ...OPEN, airlines: ["Larch"] }, FLIGHTS), "airline");
  assert.equal(choices.find(({ chosen }) => chosen).say, "Any airline is fine.");
  assert.deepEqual(filtersOf("flight", null, FLIGHTS), []);
  assert.deepEqual(filtersOf("plan", {}, []), []);
});

test("two offers are compared by what differs, and what they share is told once", () => {
  const { titles, rows, common } = compared("flight", flight(100), flight(150, "Juniper Demo", { checked_bags: 0 }));
  assert.deepEqual(titles, ["Larch Demo", "Juniper Demo"]);
  assert.deepEqual(rows.map(({ name, values }) => [name, ...values]), [
    ["Price", "€200.00", "€300.00"],
    ["Each", "€100.00", "€150.00"],
    ["Bags", "1 checked bag", "No checked bag"],
  ]);
  assert.ok(common.includes("Stops: Nonstop"));
});

test("way back that only one of them has is told as that", () => {
  const back = { segments: [segment("Larch Demo", { origin: "HND", destination: "BER" })], duration_minutes: 700 };
  const both = flight(100, "Larch Demo");
  const { rows } = compared("flight", both, { ...both, slices: [...both.slices, back] });
  assert.deepEqual(rows.find(({ name }) => name === "Stops back").values, ["–", "Nonstop"]);
});

const CAR = {
  offer_id: "c1",
  live: false,
  model: "Finch",
  supplier: "Kestrel Demo",
  car_class: "suv",
  transmission: "manual",
  station: "airport",
  seats: 5,
  bags: 2,
  pick_up: "2027-03-10",
  drop_off: "2027-03-15",
  price_total: money(200),
  price_per_day: money(40),
};
const CARS = [CAR, { ...CAR, offer_id: "c2", car_class: "compact", transmission: "automatic", station: "centre" }, { ...CAR, offer_id: "c3", price_per_day: money(61) }];

test("rental cars are filtered by what there is of them, and by the price of a day", () => {
  const request = { car_class: "suv", transmission: null, station: null, max_price: null };
  const filters = filtersOf("car", request, CARS);
  assert.deepEqual(filters.map(({ label, chosen }) => [label, chosen]), [["Class", "SUV"], ["Gearbox", ""], ["Picked up", ""], ["Price", ""]]);
  const says = (name) => Object.fromEntries(named(filters, name).choices.map((choice) => [choice.name, choice.say]));
  assert.deepEqual(says("class"), { SUV: "A car of any size.", Compact: "A compact car, please." });
  assert.deepEqual(says("transmission"), { Manual: "A manual car, please.", Automatic: "An automatic car, please." });
  assert.deepEqual(says("station"), { "At the airport": "Pick up the car at the airport.", "In the centre": "Pick up the car in the centre." });
  assert.deepEqual(says("price"), { "Up to €40": "Cars under 40 EUR a day.", "Up to €70": "Cars under 70 EUR a day." });
});
