/** Rental cars in words: class, station. Pure. */

import { capitalised } from "./english.js";

/** @type {Object<string, string>} */
const STATIONS = { airport: "at the airport", centre: "in the centre" };

/** @type {Object<string, string>} */
const CLASSES = {
  small: "A small car",
  compact: "A compact car",
  estate: "An estate car",
  suv: "An SUV",
  convertible: "A convertible",
  van: "A van",
};

/** "An estate car" @param {string} name of a class */
export function aCar(name) {
  return CLASSES[name] ?? `A ${name} car`;
}

/** "SUV", "Compact" @param {string} name */
export function carClassName(name) {
  return name === "suv" ? "SUV" : capitalised(name);
}

/** "at the airport" @param {string} name */
export function stationName(name) {
  return STATIONS[name] ?? name;
}
