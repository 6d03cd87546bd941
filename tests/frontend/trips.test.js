import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import {
  allTrips,
  currentTrip,
  forgetTrip,
  isKept,
  keepOwnTrips,
  KEY,
  nameTrip,
  newTripId,
  openTrip,
  suggestName,
} from "../../frontend/lib/trips.js";

let stored = {};
let broken = false;
let entries = [];

function visit(address) {
  globalThis.location = new URL(address, "http://127.0.0.1:8000");
}

function go(kind) {
  return (_state, _title, address) => {
    entries.push([kind, address]);
    visit(address);
  };
}

globalThis.history = { pushState: go("push"), replaceState: go("replace") };
globalThis.localStorage = {
  getItem(key) {
    if (broken) throw new Error("no storage");
    return stored[key] ?? null;
  },
  setItem(key, value) {
    if (broken) throw new Error("no storage");
    stored[key] = value;
  },
};

beforeEach(() => {
  [stored, broken, entries] = [{}, false, []];
  forgetTrip("");
  visit("/");
});

test("first visit begins a trip, and the address names it", () => {
  const trip = currentTrip();
  assert.match(trip, /^trip-[0-9a-f]{32}$/);
  assert.deepEqual(entries, [["replace", `/?trip=${trip}`]]);
  assert.deepEqual(allTrips(), [{ userId: trip, name: "" }]);
  assert.equal(currentTrip(), trip);
  assert.equal(entries.length, 1);
});

test("missing address continues the newest trip", () => {
  const trip = currentTrip();
  visit("/");
  assert.equal(currentTrip(), trip);
});

test("naming the trip in the address leaves what else stands there, as the token to sign in with", () => {
  visit("/?x=1#token=s3cret");
  const trip = currentTrip();
  assert.deepEqual(entries, [["replace", `/?x=1&trip=${trip}#token=s3cret`]]);
});

test("link to a trip opens it and puts it into the list, the rest of the address stays", () => {
  const own = currentTrip();
  visit("/?trip=ann&x=1");
  assert.equal(currentTrip(), "ann");
  assert.deepEqual(allTrips().map((trip) => trip.userId), ["ann", own]);
  openTrip(own);
  assert.deepEqual(entries.at(-1), ["push", `/?trip=${own}&x=1`]);
});

test("invalid trip addresses and lists are ignored", () => {
  for (const bad of ["", "../admin", "a b", "x".repeat(65), "<img>"]) {
    visit(`/?trip=${encodeURIComponent(bad)}`);
    assert.match(currentTrip(), /^trip-/);
  }
  for (const bad of ["null", "{", '"x"', '[null, 1, {"userId": "../x", "name": ""}, {"userId": "ok"}]']) {
    stored[KEY] = bad;
    assert.deepEqual(allTrips(), []);
  }
});

test("trip has the name that it is given, on one line and not too long", () => {
  const trip = currentTrip();
  nameTrip(trip, `  Rome\n in  May ${"🗼".repeat(90)}`);
  const [{ name }] = allTrips();
  assert.match(name, /^Rome in May 🗼/u);
  assert.equal(Array.from(name).length, 60);
});

test("trip that is deleted is not in the list any more, and tells which one is next", () => {
  const first = currentTrip();
  openTrip(newTripId());
  const [{ userId: second }] = allTrips();
  assert.equal(forgetTrip(second), first);
  assert.deepEqual([isKept(first), isKept(second)], [true, false]);
  assert.match(forgetTrip(first), /^trip-/);
  assert.deepEqual(allTrips(), []);
});

test("trip may be opened in the place of the one before it, so that going back does not lead there", () => {
  currentTrip();
  openTrip("ann", { inPlace: true });
  assert.deepEqual(entries.at(-1), ["replace", "/?trip=ann"]);
});

test("trips last as long as the page without storage", () => {
  broken = true;
  const trip = currentTrip();
  nameTrip(trip, "Rome");
  assert.deepEqual(allTrips(), [{ userId: trip, name: "Rome", own: true }]);
});

test("trip is called by what is known of it last, until its user names it", () => {
  const trip = currentTrip();
  const suggested = ["Rome in May", "Berlin → Rome", "Berlin → Rome", ""].map((name) => suggestName(trip, name));
  assert.deepEqual(suggested, [true, true, false, false]);
  assert.deepEqual(allTrips(), [{ userId: trip, name: "Berlin → Rome" }]);
  nameTrip(trip, "Honeymoon");
  assert.equal(suggestName(trip, "Berlin → Oslo"), false);
  assert.equal(suggestName("nobody's", "Oslo"), false);
  assert.deepEqual(allTrips().map(({ name }) => name), ["Honeymoon"]);
});

test("list becomes that of the person who is signed in: another's is gone, given names stay", () => {
  stored = {};
  visit("/?trip=mine-2");
  currentTrip();
  nameTrip("mine-2", "My own name");
  openTrip("hers-1");
  openTrip("new-1");
  keepOwnTrips([
    { user_id: "mine-3", title: "Rome  in May" },
    { user_id: "mine-2", title: "Tokyo" },
    { user_id: "empty-1", title: "" },
  ]);
  assert.deepEqual(
    allTrips().map(({ userId, name }) => [userId, name]),
    [
      ["new-1", ""],
      ["mine-3", "Rome in May"],
      ["mine-2", "My own name"],
    ],
  );
  keepOwnTrips([{ user_id: "new-1", title: "" }]);
  assert.deepEqual(allTrips(), [{ userId: "new-1", name: "" }]);
});
