import assert from "node:assert/strict";
import { test } from "node:test";

import { factsOf, placesOf, tripName } from "../../frontend/lib/facts.js";

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

test("what flight and stay have in common is one fact, and one edit of it says so for both", () => {
  const { by } = facts({ flight: FLIGHT, hotel: HOTEL });
  for (const name of ["city", "check-in", "check-out", "guests"]) assert.equal(by[name], undefined);
  assert.equal(by.to.say("Osaka"), "Go to Osaka instead.");
  assert.equal(by.people.say("3"), "Make it 3 people.");
});

test("where they are apart, each has its own fact, and an edit says for which it is", () => {
  const { by } = facts({ flight: FLIGHT, hotel: { ...HOTEL, city: { label: "Kyoto, JP" }, guests: 1 } });
  assert.equal(by.to.say("Osaka"), "Fly to Osaka instead.");
  assert.equal(by.city.say("Osaka"), "A hotel in Osaka instead.");
  assert.equal(by.people.say("3"), "Flights for 3 people.");
  assert.equal(by.guests.say("2"), "A hotel for 2 people.");
});

test("what has not been said yet can be said here", () => {
  const { by, agents } = facts({ flight: { ...FLIGHT, origin: null, departure_date: null, return_date: null } });
  assert.equal(by.from.text, "Not said yet");
  assert.equal(by.from.say("Hamburg"), "Fly from Hamburg instead.");
  assert.equal(by.leave.control.value, "");
  assert.equal(placesOf(agents), "Tokyo");
  assert.deepEqual(factsOf({ hotel: { request: { ...HOTEL, city: null, check_in: null, check_out: null } } })[0].text, "Not said yet");
});

test("what nobody asked for is told apart from what was said", () => {
  const usual = (flight, hotel) => Object.values(facts({ flight, hotel }).by).filter((fact) => fact.usual).map(({ name }) => name);
  assert.deepEqual(usual(FLIGHT, HOTEL), ["cabin", "stops", "flight-budget", "rooms", "stars", "district", "hotel-budget"]);
  const said = { max_stops: 0, cabin_class: "business", max_price: { amount: "300", currency: "EUR" } };
  assert.deepEqual(usual({ ...FLIGHT, ...said }, { ...HOTEL, stars: 4, district: "Ginza" }), ["rooms", "hotel-budget"]);
});

test("a trip is called by its way and its first day, or by what is known of them", () => {
  const { agents } = facts({ flight: FLIGHT, hotel: HOTEL });
  assert.match(tripName(agents), /^\S+\s→ \S+, \d+ \w{3}$/);
  assert.equal(tripName({ hotel: { request: { ...HOTEL, city: { label: "Kyoto, JP" }, check_in: null } } }), "Kyoto");
  assert.equal(tripName({ hotel: { request: HOTEL } }, "Berlin → Tokyo, 8 Dec"), "Berlin → Tokyo, 8 Dec");
  assert.equal(tripName({ hotel: { request: HOTEL } }, "Berlin → Osaka, 8 Dec"), "Tokyo, 10 Dec");
  assert.equal(tripName({ planner: { request: {} } }), "");
});

test("a plan is asked for by no facts", () => {
  assert.deepEqual(factsOf({ planner: { request: {} } }), []);
});
