/**
 * What an offer must have to be shown as what it seems to be. Other graphs find what they like: one that lacks a part
 * that its card shows is told in plain words instead. Pure.
 *
 * @typedef {(value: any) => boolean} Check
 */

/** @type {Check} */
const isText = (value) => typeof value === "string";
/** @type {Check} */
const isTime = (value) => isText(value) && /^\d{4}-\d\d-\d\d/.test(value) && !Number.isNaN(Date.parse(value));
/** @type {Check} */
const isMoney = shape({ amount: (value) => isText(value) && Number.isFinite(Number(value)), currency: isText });

const isTerms = shape({
  name: isText,
  expires_at: untold(isTime),
  held_until: untold(isTime),
  refund_fee: untold(isMoney),
  change_fee: untold(isMoney),
  carry_on_bags: untold(Number.isFinite),
  cancelling: each(shape({ since: isTime, fee: isMoney })),
  paid_there: untold(isMoney),
  children: (value) => value === undefined || each(Number.isFinite)(value),
});
/** What the demo has not. @type {Check} */
const isTermsOrNone = (value) => value === undefined || untold(isTerms)(value);

const isSegment = shape({ origin: isText, destination: isText, departs_at: isTime, arrives_at: isTime });
const isSlice = shape({ segments: filled(isSegment), duration_minutes: Number.isFinite });

export const isFlight = shape({
  slices: filled(isSlice),
  cabin_class: isText,
  price_total: isMoney,
  price_per_person: isMoney,
  terms: isTermsOrNone,
});

export const isHotel = shape({
  name: isText,
  check_in: isTime,
  check_out: isTime,
  stars: untold(Number.isFinite),
  score: untold(Number.isFinite),
  distance_km: untold(Number.isFinite),
  amenities: untold(each(isText)),
  price_total: isMoney,
  price_per_night: isMoney,
  terms: isTermsOrNone,
});

export const isCar = shape({
  model: isText,
  supplier: isText,
  car_class: isText,
  transmission: isText,
  station: isText,
  pick_up: isTime,
  drop_off: isTime,
  seats: Number.isFinite,
  bags: Number.isFinite,
  price_total: isMoney,
  price_per_day: isMoney,
});

export const isPlan = shape({
  order: each(isText),
  first_day: isTime,
  last_day: isTime,
  stays: each(shape({ city: isText, nights: Number.isFinite })),
  legs: each(isFlight),
  price_total: isMoney,
  price_per_person: isMoney,
});

/** An object with these parts. @param {Object<string, Check>} parts @returns {Check} */
function shape(parts) {
  const wanted = Object.entries(parts);
  return (value) => typeof value === "object" && value !== null && wanted.every(([name, fits]) => fits(value[name]));
}

/** Such a value, or null for what a seller does not tell. @param {Check} fits @returns {Check} */
function untold(fits) {
  return (value) => value === null || fits(value);
}

/** A list of such values. @param {Check} fits @returns {Check} */
function each(fits) {
  return (value) => Array.isArray(value) && value.every((item) => fits(item));
}

/** A list of at least one such value. @param {Check} fits @returns {Check} */
function filled(fits) {
  return (value) => each(fits)(value) && value.length > 0;
}
