import assert from "node:assert/strict";
import { test } from "node:test";

import { factsOf, placesOf, tripName, unusedOf } from "../../frontend/lib/facts.js";

const FLIGHT = {
  origin: { label: "Berlin, DE" },
  destination: { label: "Tokyo, JP" },
  departure_date: "2026-12-10",
  return_date: "2026-12-20",
  passengers: 2,
  cabin_class: "economy",
  max_stops: null,
  max_price: null,
};
const HOTEL = {
  city: { label: "Tokyo, JP" },
  district: "",
  check_in: "2026-12-10",
  check_out: "2026-12-20",
  guests: 2,
  rooms: 1,
  stars: null,
  max_price: null,
};

function facts({ flight, hotel }) {
  const agents = { ...(flight && { flight: { request: flight } }), ...(hotel && { hotel: { request: hotel } }) };
  return { agents, by: Object.fromEntries(factsOf(agents).map((fact) => [fact.name, fact])) };
}

test("common fact of flight and stay is shown and edited once", () => {
  const { by } = facts({ flight: FLIGHT, hotel: HOTEL });
  for (const name of ["city", "check-in", "check-out", "guests"]) assert.equal(by[name], undefined);
  assert.equal(by.to.say("Osaka"), "Go to Osaka instead.");
  assert.equal(by.people.say("3"), "Make it 3 people.");
});

test("differing facts are separate, and an edit names its part", () => {
  const { by } = facts({ flight: FLIGHT, hotel: { ...HOTEL, city: { label: "Kyoto, JP" }, guests: 1 } });
  assert.equal(by.to.say("Osaka"), "Fly to Osaka instead.");
  assert.equal(by.city.say("Osaka"), "A hotel in Osaka instead.");
  assert.equal(by.people.say("3"), "Flights for 3 people.");
  assert.equal(by.guests.say("2"), "A hotel for 2 people.");
});

test("missing facts can be added here", () => {
  const { by, agents } = facts({ flight: { ...FLIGHT, origin: null, departure_date: null, return_date: null } });
  assert.equal(by.from.text, "Not set");
  assert.equal(by.from.say("Hamburg"), "Fly from Hamburg instead.");
  assert.equal(by.leave.control.value, "");
  assert.equal(placesOf(agents), "Tokyo");
  assert.deepEqual(factsOf({ hotel: { request: { ...HOTEL, city: null, check_in: null, check_out: null } } })[0].text, "Not set");
});

test("facts nobody asked for stand apart from stated ones", () => {
  const usual = (flight, hotel) => Object.values(facts({ flight, hotel }).by).filter((fact) => fact.usual).map(({ name }) => name);
  assert.deepEqual(usual(FLIGHT, HOTEL), ["cabin", "stops", "flight-budget", "rooms", "stars", "district", "hotel-budget"]);
  const said = { max_stops: 0, cabin_class: "business", max_price: { amount: "300", currency: "EUR" } };
  assert.deepEqual(usual({ ...FLIGHT, ...said }, { ...HOTEL, stars: 4, district: "Ginza" }), ["rooms", "hotel-budget"]);
});

test("trip is called by its way and its first day, or by what is known of them", () => {
  const { agents } = facts({ flight: FLIGHT, hotel: HOTEL });
  assert.match(tripName(agents), /^\S+\s→ \S+, \d+ \w{3}$/);
  assert.equal(tripName({ hotel: { request: { ...HOTEL, city: { label: "Kyoto, JP" }, check_in: null } } }), "Kyoto");
  assert.equal(tripName({ hotel: { request: HOTEL } }, "Berlin → Tokyo, 8 Dec"), "Berlin → Tokyo, 8 Dec");
  assert.equal(tripName({ hotel: { request: HOTEL } }, "Berlin → Osaka, 8 Dec"), "Tokyo, 10 Dec");
  assert.equal(tripName({ planner: { request: {} } }), "");
});

test("plan is asked for by no facts", () => {
  assert.deepEqual(factsOf({ planner: { request: {} } }), []);
});

test("assumed facts are marked unless the other agent was told", () => {
  const assumed = (flight, hotel) => Object.values(facts({ flight, hotel }).by).filter((fact) => fact.assumed).map(({ name }) => name);
  assert.deepEqual(assumed({ ...FLIGHT, assumed: ["cabin_class", "passengers"] }), ["people", "cabin"]);
  assert.deepEqual(assumed({ ...FLIGHT, assumed: [] }, { ...HOTEL, assumed: ["check_in", "check_out", "guests", "rooms"] }), ["rooms"]);
  assert.deepEqual(assumed(FLIGHT, HOTEL), [], "a server of an earlier version tells nothing");
});

test("unused wishes are listed once, whichever agent has them", () => {
  const unused = ["with a sea view", "near my aunt"];
  assert.deepEqual(unusedOf({ flight: { request: { ...FLIGHT, unused } }, hotel: { request: { ...HOTEL, unused } } }), unused);
  assert.deepEqual(unusedOf({ hotel: { request: { ...HOTEL, unused } } }), unused);
  assert.deepEqual(unusedOf({ planner: { request: {} } }), []);
  assert.deepEqual(unusedOf({ flight: { request: FLIGHT } }), []);
});

test("wish that the page has no input for is a fact in the server's words, and is changed in words", () => {
  const words = { passengers: "2 passengers", max_stops: "nonstop", airlines: "with Linden Demo only", bags: "with 1 checked bag" };
  const { by } = facts({ flight: { ...FLIGHT, words }, hotel: { ...HOTEL, words: { stars: "at least 4 stars", name: "called Heron" } } });
  const further = Object.values(by).filter(({ name }) => /^(flight|hotel)-(?!budget)/.test(name));
  assert.deepEqual(
    further.map(({ name, label, text, usual }) => [name, label, text, usual]),
    [
      ["flight-airlines", "Flights", "with Linden Demo only", false],
      ["flight-bags", "Flights", "with 1 checked bag", false],
      ["hotel-name", "Hotels", "called Heron", false],
    ],
  );
  assert.equal(by["flight-airlines"].say("with Pogo Demo only"), "Flights with Pogo Demo only.");
});

const CAR = { city: { label: "Tokyo, JP" }, pick_up: "2026-12-10", drop_off: "2026-12-20", max_price: null, words: { transmission: "automatic" } };
const carFacts = (car, agents = {}) => factsOf({ ...agents, car: { request: car } }).filter(({ name }) => /^(car|pick|drop)/.test(name));

test("rental car has only facts that differ from the trip, with its limits", () => {
  const beside = { flight: { request: FLIGHT } };
  assert.deepEqual(carFacts(CAR, beside).map(({ label, text }) => [label, text]), [["Day up to", "Any"], ["Rental cars", "automatic"]]);
  const apart = carFacts({ ...CAR, city: { label: "Kyoto, JP" }, drop_off: "2026-12-15" }, beside);
  assert.deepEqual(apart.slice(0, 2).map(({ label, say }) => [label, say("2026-12-16")]), [
    ["Car in", "A car in 2026-12-16 instead."],
    ["Return the car", "Return the car on 16 December 2026."],
  ]);
  assert.deepEqual(carFacts(CAR).slice(0, 3).map(({ label }) => label), ["To", "Pick up", "Return the car"]);
  assert.equal(tripName({ car: { request: CAR } }), "Tokyo, 10 Dec");
});
