/** What the map shows of a task: where the trip leads, the stops of a flight, a tour, the hotels of a city. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { airportsIn, kilometres, lengthOf, routeOf, stayOf } from "../../frontend/lib/route.js";
import * as whole from "./whole.js";

const AIRPORTS = Object.fromEntries(
  [
    ["BER", "Berlin", 52.37, 13.5],
    ["HND", "Tokyo", 35.55, 139.78],
    ["ARN", "Stockholm", 59.65, 17.92],
    ["VIE", "Vienna", 48.11, 16.57],
    ["FCO", "Rome", 41.8, 12.25],
    ["ATH", "Athens", 37.94, 23.94],
  ].map(([code, city, latitude, longitude]) => [code, { code, name: `${city} Airport`, city, latitude, longitude }]),
);

const flight = (id, amount, ...codes) => ({
  ...whole.FLIGHT,
  offer_id: id,
  price_total: { amount, currency: "EUR" },
  slices: [{ segments: codes.slice(1).map((to, at) => ({ ...whole.SEGMENT, origin: codes[at], destination: to })), duration_minutes: 60 }],
});
const hotel = (id, latitude, longitude) => ({
  ...whole.HOTEL,
  offer_id: id,
  city: "Lisbon",
  latitude,
  longitude,
  price_total: { amount: "1.00", currency: "EUR" },
});
const request = {
  origin: { label: "Berlin, DE", codes: ["BER"], latitude: 52.52, longitude: 13.4 },
  destination: { label: "Tokyo, JP", codes: ["HND", "NRT"], latitude: 35.68, longitude: 139.76 },
};
const task = (agents = {}, partials = {}) => ({ agents, partials });

test("route is there as soon as one knows where it leads", () => {
  const route = routeOf(task({ flight: { request } }), {});
  assert.equal(route.words, "Route from Berlin to Tokyo, 8,920 km");
  assert.deepEqual(route.cities.map(({ name }) => name), ["Berlin", "Tokyo"]);
  assert.deepEqual([route.stops, route.legs, route.ways.length], [[], [], 1]);
});

test("route follows the flights without a request, once airports are known", () => {
  const found = task({}, { flight: [flight("a", "500", "BER", "HND")] });
  assert.equal(routeOf(found, {}), null);
  assert.match(routeOf(found, AIRPORTS).words, /^Route from Berlin to Tokyo, 8,9\d\d km; the cheapest flight is nonstop$/);
});

test("route shows the stops of the cheapest flight or the one under the pointer", () => {
  const found = task(
    { flight: { request } },
    { flight: [flight("direct", "900", "BER", "HND"), flight("via", "500", "BER", "ARN", "HND")] },
  );
  const route = routeOf(found, AIRPORTS);
  assert.equal(route.words, "Route from Berlin to Tokyo, 8,920 km; the cheapest flight stops in Stockholm");
  assert.deepEqual(route.legs.map((leg) => leg.map(({ name }) => name)), [["Berlin", "Stockholm"], ["Stockholm", "Tokyo"]]);
  const looked = routeOf(found, AIRPORTS, "direct");
  assert.deepEqual([looked.stops, looked.words, looked.key], [[], route.words, route.key]);
  assert.deepEqual(routeOf(found, AIRPORTS, "gone").stops, route.stops);
});

test("stop of which nothing is known is left out, and asked for", () => {
  const found = task({ flight: { request } }, { flight: [flight("via", "500", "BER", "ARN", "HND")] });
  const { ARN, ...others } = AIRPORTS;
  assert.deepEqual(routeOf(found, others).stops, []);
  assert.equal(routeOf(found, others).words, "Route from Berlin to Tokyo, 8,920 km", "it is not said to be nonstop");
  assert.deepEqual(airportsIn(found), ["ARN", "BER", "HND"]);
  assert.deepEqual(airportsIn(null), []);
});

test("tour leads from city to city by number, and back", () => {
  const plan = {
    ...whole.PLAN,
    offer_id: "tour",
    start: "Vienna, AT",
    order: ["Rome, IT", "Athens, GR"],
    returns: true,
    stays: [],
    legs: [flight("1", "1", "VIE", "FCO"), flight("2", "1", "FCO", "ATH"), flight("3", "1", "ATH", "VIE")],
    price_total: { amount: "700", currency: "EUR" },
  };
  const route = routeOf(task({}, { plan: [plan] }), AIRPORTS);
  assert.deepEqual([route.kind, route.cities.map(({ name }) => name)], ["tour", ["Vienna", "Rome", "Athens"]]);
  assert.equal(route.ways.length, 3);
  assert.match(route.words, /^Tour from Vienna to Rome and Athens and back, 3,\d\d\d km$/);
  assert.equal(routeOf(task({}, { plan: [{ ...plan, returns: false }] }), AIRPORTS).ways.length, 2);
  assert.equal(routeOf(task({}, { plan: [plan] }), { VIE: AIRPORTS.VIE }), null);
});

test("unknown places have no route", () => {
  const nowhere = { origin: { label: "Nowhere", latitude: null, longitude: null }, destination: null };
  for (const each of [null, task(), task({ flight: { request: nowhere } }), task({ planner: { request: {} } })])
    assert.equal(routeOf(each, AIRPORTS), null);
  assert.equal(routeOf(task({ flight: { request: { origin: request.origin, destination: request.origin } } }), {}), null);
});

test("stay has its hotels around the middle of its city, or of themselves", () => {
  const hotels = [hotel("a", 38.7, -9.1), hotel("b", 38.8, -9.2), { ...hotel("c"), latitude: null }];
  const asked = { city: { label: "Lisbon, PT", latitude: 38.72, longitude: -9.14 } };
  const stay = stayOf(task({ hotel: { request: asked } }, { hotel: hotels }));
  assert.deepEqual([stay.name, stay.centre.latitude, stay.hotels.length], ["Lisbon", 38.72, 2]);
  assert.equal(stayOf(task({}, { hotel: hotels })).centre.latitude, 38.75);
  assert.equal(stayOf(task({ hotel: { request: asked } })), null);
});

test("lengths are written for people", () => {
  assert.equal(kilometres(8920.4), "8,920 km");
  assert.equal(kilometres(lengthOf({ ways: [[AIRPORTS.BER, AIRPORTS.BER]] })), "0 km");
});
