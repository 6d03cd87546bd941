/** Offers with every part that their cards show; tests put in what they are about. */

const EUR = (amount) => ({ amount, currency: "EUR" });

export const SEGMENT = {
  carrier: "demo-juniper",
  carrier_name: "Juniper Demo",
  number: "1",
  origin: "BER",
  destination: "HND",
  departs_at: "2027-03-04T10:20:00+01:00",
  arrives_at: "2027-03-05T07:35:00+09:00",
};
export const FLIGHT = {
  slices: [{ segments: [SEGMENT], duration_minutes: 795 }],
  cabin_class: "economy",
  price_total: EUR("100.00"),
  price_per_person: EUR("100.00"),
  checked_bags: 1,
  refundable: false,
  changeable: false,
};
export const HOTEL = {
  name: "Copperleaf Demo",
  check_in: "2027-03-04",
  check_out: "2027-03-05",
  stars: 4,
  score: 8,
  distance_km: 1,
  amenities: [],
  price_total: EUR("100.00"),
  price_per_night: EUR("100.00"),
  free_cancellation_until: null,
};
/** Terms of which a seller tells nothing. */
export const TERMS = {
  sold_as: "off_1",
  name: "",
  expires_at: null,
  held_until: null,
  refund_fee: null,
  change_fee: null,
  carry_on_bags: null,
  cancelling: [],
  paid_there: null,
};
export const PLAN = {
  start: "",
  order: ["Rome, IT"],
  returns: false,
  first_day: "2027-03-04",
  last_day: "2027-03-05",
  stays: [{ city: "Rome, IT", nights: 1 }],
  legs: [FLIGHT],
  price_total: EUR("100.00"),
  price_per_person: EUR("100.00"),
};
