/** What cards and comparisons tell of offers of sellers: their terms, what is not told, who sells them, what is no real one. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { soldBy } from "../../frontend/lib/bookings.js";
import { placeOf, wordsOf } from "../../frontend/lib/city.js";
import { compared } from "../../frontend/lib/compare.js";
import { setClock } from "../../frontend/lib/expiry.js";
import { filtersOf } from "../../frontend/lib/filters.js";
import { hotelCost, kindOf, orderAsked, ORDERS } from "../../frontend/lib/offers.js";
import { factsOf, questionOf } from "../../frontend/lib/permissions.js";
import { markOf, sellerOf, viaSeller } from "../../frontend/lib/sellers.js";
import { bagsOf, cancellingOf, changesOf, endOf, forEach, furtherLines, partyOf } from "../../frontend/lib/terms.js";
import * as whole from "./whole.js";

const EUR = (amount) => ({ amount, currency: "EUR" });
const terms = (told) => ({ ...whole.TERMS, ...told });
const FLIGHT = { ...whole.FLIGHT, offer_id: "f", provider: "duffel", source: "Duffel", live: false, terms: whole.TERMS };
const UNTOLD_FLIGHT = { ...FLIGHT, checked_bags: null, refundable: null, changeable: null };
const HOTEL = { ...whole.HOTEL, offer_id: "h", provider: "liteapi", source: "LiteAPI", live: false, city: "Tokyo", terms: whole.TERMS };
const UNTOLD = { stars: null, score: null, distance_km: null, amenities: null };
const UNTOLD_HOTEL = { ...HOTEL, offer_id: "u", ...UNTOLD };

test("bags are those that are told, checked and carry-on", () => {
  assert.deepEqual([0, 1, 2].map((checked_bags) => bagsOf({ checked_bags })), ["No checked bag", "1 checked bag", "2 checked bags"]);
  assert.equal(bagsOf({ checked_bags: 1, terms: terms({ carry_on_bags: 0 }) }), "1 checked bag, no carry-on bag");
  assert.equal(bagsOf({ checked_bags: null, terms: terms({ carry_on_bags: 2 }) }), "2 carry-on bags");
  assert.equal(bagsOf(UNTOLD_FLIGHT), "");
});

test("what cancelling or changing a flight costs is told as far as its seller tells it", () => {
  const said = (refundable, changeable, told) => changesOf({ refundable, changeable, terms: told && terms(told) });
  assert.equal(said(true, true), "Refundable, changeable");
  assert.equal(said(false, true), "Changeable, no refund");
  assert.equal(said(true, false, { refund_fee: EUR("40.00") }), "Refundable for €40.00, no changes");
  assert.equal(said(true, null, { refund_fee: EUR("0.00") }), "Refundable");
  assert.equal(said(true, null, {}), "Refundable for a fee");
  assert.equal(said(null, true, { change_fee: EUR("80.00") }), "Changeable for €80.00");
  assert.equal(said(false, null, {}), "No refund");
  assert.equal(changesOf(UNTOLD_FLIGHT), "");
});

test("cancelling a stay is free until a day, and costs its fees after it", () => {
  const fees = [{ since: "2027-03-08T02:00:00Z", fee: EUR("60.00") }, { since: "2027-03-09T02:00:00Z", fee: EUR("120.00") }];
  const said = (free_cancellation_until, cancelling) => cancellingOf({ free_cancellation_until, terms: terms({ cancelling }) });
  assert.equal(said("2027-03-06", fees.slice(0, 1)), "Free cancellation until Sat 6 Mar, then €60.00");
  assert.match(said("2027-03-06", fees), /^Free cancellation until Sat 6 Mar, then €60\.00, €120\.00 from \w{3},? \d Mar, \d\d:\d\d$/);
  assert.match(said(null, fees.slice(0, 1)), /^Cancelling costs €60\.00 from \w{3},? \d Mar, \d\d:\d\d$/);
  assert.equal(cancellingOf({ free_cancellation_until: null, terms: terms({ refundable: false }) }), "No free cancellation");
  assert.equal(cancellingOf({ free_cancellation_until: null, terms: null }), "No free cancellation"); // the demo's
  assert.equal(said(null, []), "What cancelling costs is told later");
  assert.equal(cancellingOf({ free_cancellation_until: "2027-03-06" }), "Free cancellation until Sat 6 Mar");
});

test("until when an offer holds and can be held is told by the visitor's clock", () => {
  const now = new Date(2027, 2, 4, 14, 0);
  setClock(now.toISOString());
  const at = (day, hour) => new Date(2027, 2, day, hour, 20).toISOString();
  const lines = furtherLines({ terms: terms({ expires_at: at(4, 14), held_until: at(6, 9), paid_there: EUR("6.40") }) });
  assert.deepEqual(lines.filter(Boolean).map((line) => line.replace("Sat, ", "Sat ")), [
    "€6.40 more at the hotel",
    "Can be held until Sat 6 Mar, 09:20",
    "On offer until 14:20",
  ]);
  for (const untold of [{ terms: whole.TERMS }, { terms: null }, {}]) {
    assert.deepEqual(furtherLines(untold).filter(Boolean), []);
    assert.equal(endOf(untold), Infinity);
  }
  assert.equal(endOf({ terms: terms({ expires_at: at(4, 14) }) }), Date.parse(at(4, 14)));
});

test("party is told where children are priced as such, and papers where an airline wants some", () => {
  const said = (people, children) => partyOf({ ...people, terms: terms({ children }) });
  assert.equal(said({ passengers: 4 }, [0, 7]), "2 adults, a child under 1, a child of 7");
  assert.equal(said({ guests: 6 }, [0, 0, 4, 7, 9]), "1 adult, 2 children under 1, 3 children of 4, 7 and 9");
  assert.equal(said({ passengers: 2 }, []), "");
  assert.equal(partyOf({ passengers: 2, terms: null }), "");
  const [party, papers] = furtherLines({ passengers: 2, terms: terms({ children: [7], papers: "passports" }) });
  assert.deepEqual([party, papers], ["For 1 adult, a child of 7", "The airline wants a passport of each"]);
  assert.match(furtherLines({ terms: terms({ papers: "others" }) }).join(), /so it is not booked/);
  assert.deepEqual([forEach({ terms: terms({ children: [7] }) }), forEach({ terms: null })], ["a person on average", "each"]);
});

test("permission tells moments by the visitor's clock, as the cards do", () => {
  const now = new Date(2027, 2, 4, 14, 0);
  setClock(now.toISOString());
  const utc = (moment) => {
    const [day, date, month, year, time] = moment.toUTCString().split(" ");
    const months = { Mar: "March" };
    return `${day.slice(0, 3)} ${Number(date)} ${months[month]} ${year} ${time.slice(0, 5)} UTC`;
  };
  const until = new Date(2027, 2, 4, 14, 20);
  const facts = { "Price holds until": utc(until), Total: "€120.00" };
  const { rows } = factsOf({ facts });
  const card = furtherLines({ terms: terms({ expires_at: until.toISOString() }) }).find(Boolean);
  assert.deepEqual(rows, [["Price holds until", ["14:20"]]]);
  assert.equal(card, "On offer until 14:20");
  const request = { facts, prompt: `Shall I hold it until ${utc(new Date(2027, 2, 6, 9, 20))}?` };
  assert.equal(questionOf(request).replace("Sat, ", "Sat "), "Shall I hold it until Sat 6 Mar, 09:20?");
  assert.equal(factsOf({ facts: { What: "no moment 14:20 UTC" } }).rows[0][1][0], "no moment 14:20 UTC");
});

test("only what the demo invents is marked as that, and a seller's test mode as a test", () => {
  const marks = (sold) => [markOf(sold)?.mark, markOf(sold)?.means];
  const demo = { provider: "demo", source: "hotel chains", live: false };
  assert.deepEqual(marks(demo), ["demo", "Demo data: nothing is bought"]);
  assert.equal(viaSeller(demo), "");
  assert.deepEqual(marks(FLIGHT), ["test", "Test mode: nothing is bought"]);
  assert.equal(viaSeller(FLIGHT), "via Duffel");
  assert.equal(markOf({ ...FLIGHT, live: true }), null);
});

test("booking is marked and named as the offer that it is of", () => {
  const booking = (provider, demo, offer) => soldBy({ provider, demo, offer });
  assert.equal(markOf(booking("demo", true, { source: "hotel chains" }))?.mark, "demo");
  assert.equal(markOf(booking("duffel", true))?.mark, "test");
  assert.equal(markOf(booking("duffel", false)), null);
  assert.equal(sellerOf(booking("duffel", true, { source: "Duffel" })), "Duffel");
  assert.equal(sellerOf(booking("duffel", true)), "duffel");
});

test("offer of which little is told is what it is", () => {
  assert.equal(kindOf(UNTOLD_FLIGHT), "flight");
  assert.equal(kindOf(UNTOLD_HOTEL), "hotel");
  for (const part of Object.keys(UNTOLD)) assert.equal(kindOf({ ...HOTEL, [part]: null }), "hotel", part);
});

test("offer with terms that no card could tell is none", () => {
  const broken = [{ expires_at: "soon" }, { held_until: 7 }, { refund_fee: "40" }, { carry_on_bags: "one" }, { cancelling: [{}] }, { paid_there: {} }, { name: null }];
  for (const told of broken) {
    assert.equal(kindOf({ ...FLIGHT, terms: terms(told) }), null, JSON.stringify(told));
    assert.equal(kindOf({ ...HOTEL, terms: terms(told) }), null, JSON.stringify(told));
  }
});

test("hotel of which a value is not told stands last in its order, from either end", () => {
  const other = { ...HOTEL, offer_id: "o", price_total: EUR("900.00") };
  const orders = [ORDERS.hotel[1], ...["distance", "stars", "score"].flatMap((by) => [true, false].map((descending) => orderAsked("hotel", { by, descending })))];
  for (const order of orders) assert.deepEqual([UNTOLD_HOTEL, other].sort(order.by), [other, UNTOLD_HOTEL], order.name);
  const dear = { ...UNTOLD_HOTEL, price_total: EUR("101.00") };
  for (const order of orders) assert.equal(Math.sign(order.by(UNTOLD_HOTEL, dear)), order.key.startsWith("-") ? 1 : -1, order.name);
  assert.ok(hotelCost(UNTOLD_HOTEL) > hotelCost(HOTEL));
  assert.ok(Number.isFinite(hotelCost(UNTOLD_HOTEL)));
});

test("comparison tells what either seller tells, and leaves out what neither does", () => {
  const facts = ({ rows, common }) => [...rows.flatMap(({ name, values }) => [name, ...values]), ...common].join(" | ");
  const hotels = facts(compared("hotel", UNTOLD_HOTEL, { ...HOTEL, stars: 4 }));
  assert.match(hotels, /Stars \| – \| 4 stars/);
  assert.match(hotels, /Score \| – \| 8\.0/);
  assert.match(hotels, /Seller: LiteAPI/);
  const untold = facts(compared("hotel", UNTOLD_HOTEL, { ...UNTOLD_HOTEL, offer_id: "v" }));
  for (const name of ["Stars", "Score", "centre", "Amenities", "null", "NaN"]) assert.ok(!untold.includes(name), name);
  const flights = facts(compared("flight", UNTOLD_FLIGHT, { ...FLIGHT, terms: terms({ name: "Basic" }) }));
  assert.match(flights, /Bags \| – \| 1 checked bag/);
  assert.match(flights, /Sold as \| – \| Basic/);
});

test("filters are made of what is told, and an amenity that was asked for can be taken back", () => {
  const asked = { stars: null, min_score: null, amenities: ["pool"], max_price: null };
  const amenities = filtersOf("hotel", asked, [UNTOLD_HOTEL]).find(({ name }) => name === "amenities");
  assert.deepEqual(amenities.choices.map(({ name, chosen }) => [name, chosen]), [["Pool", true]]);
});

test("map of a city tells distances where they are told", () => {
  const far = { ...HOTEL, district: "Ueno", distance_km: 3.25 };
  assert.equal(placeOf(far, " from the centre"), "Ueno, 3.3 km from the centre");
  assert.equal(placeOf(UNTOLD_HOTEL, " from the centre"), "Tokyo");
  assert.equal(wordsOf({ name: "Tokyo", hotels: [far, HOTEL] }), "2 hotels within 4 km of the centre of Tokyo");
  assert.equal(wordsOf({ name: "Tokyo", hotels: [far, UNTOLD_HOTEL] }), "2 hotels in Tokyo");
});
