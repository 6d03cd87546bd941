/**
 * The geometry of a city: where its hotels are around its centre, with circles that tell how far. Pure.
 *
 * Directions are true; distances are drawn by their square root, for most hotels are within one or two kilometres, and
 * the few that are six away would else press them into one spot.
 *
 * @typedef {import("./map.js").Place} Place
 * @typedef {import("./map.js").Point} Point
 *
 * @typedef {object} CityPlan
 * @property {Point} centre
 * @property {{km: number, radius: number, label: number}[]} circles inner one first, with the base line of its label
 * @property {{id: string, point: Point}[]} hotels
 */

import { counted } from "./english.js";
import { distanceKm } from "./map.js";

const KM_PER_DEGREE = 111.2;
const CIRCLES_KM = [0.5, 1, 2, 5, 10, 20, 50];
const MOST_CIRCLES = 3;
/** Of the hotels so many are to be seen; a few far out would press all others into the middle. */
const SEEN = 0.95;
/** The least distance that is shown, in kilometres and their root, so that two hotels in the middle don't seem far apart. */
const LEAST = 1;
/** Of a label, in the size of the root's text: a letter's width, the room on both sides together, and its height. */
const [LETTER, PADDING, LINE] = [0.46, 0.6, 1.35];
/** Pixels around what must be seen, and so far above the lowest point of a circle is the foot of its label. */
const [MARGIN, LABEL] = [14, 4];

/**
 * The centre and nearly all hotels fill the size at hand, wherever in the city they are.
 *
 * @param {Place} centre
 * @param {readonly {offer_id: string, latitude: number, longitude: number}[]} hotels at least one
 * @param {{width: number, height: number}} size
 * @returns {CityPlan} hotels that lie outside of it are left out
 */
export function planOf(centre, hotels, { width, height }) {
  const distances = hotels.map((hotel) => distanceKm(centre, hotel)).sort((one, other) => one - other);
  const reach = Math.max(LEAST, distances[Math.ceil(distances.length * SEEN) - 1] ?? 0);
  const level = Math.cos((centre.latitude * Math.PI) / 180);
  const spots = hotels.map((hotel) => {
    const east = (hotel.longitude - centre.longitude) * level * KM_PER_DEGREE;
    const south = (centre.latitude - hotel.latitude) * KM_PER_DEGREE;
    const root = Math.sqrt(Math.hypot(east, south)) || 1;
    return { id: hotel.offer_id, east: east / root, south: south / root };
  });
  const seen = spots.filter(({ east, south }) => Math.hypot(east, south) <= Math.sqrt(reach * 1.01));
  const [left, right] = reachOf(seen.map(({ east }) => east));
  const [top, bottom] = reachOf(seen.map(({ south }) => south));
  const scale = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));
  const middle = { x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
  const points = spots.map(({ id, east, south }) => ({
    id,
    point: { x: middle.x + east * scale, y: middle.y + south * scale },
  }));
  return {
    centre: middle,
    circles: CIRCLES_KM.filter((km) => km <= reach)
      .slice(-MOST_CIRCLES)
      .map((km) => ({ km, radius: Math.sqrt(km) * scale }))
      .map(({ km, radius }) => ({ km, radius, label: labelAt(middle.y, radius, height) })),
    hotels: points.filter(({ point: { x, y } }) => x > 2 && y > 2 && x < width - 2 && y < height - 2),
  };
}

/**
 * Which hotels have room for their price, the first ones first, and by how many pixels each label is moved to be seen
 * whole: none covers another.
 *
 * @param {readonly {id: string, point: Point, text: string}[]} hotels in the order of their importance
 * @param {{width: number, rem: number}} size `rem` is the size of the root's text in pixels
 * @returns {Map<string, number>} by id
 */
export function labelsOf(hotels, { width, rem }) {
  /** @type {{left: number, right: number, top: number, bottom: number}[]} */
  const taken = [];
  const labels = new Map();
  for (const { id, point, text } of hotels) {
    const half = ((text.length * LETTER + PADDING) * rem) / 2;
    const shift = Math.max(half - point.x, 0) + Math.min(width - half - point.x, 0);
    const [middle, reach] = [point.x + shift, (LINE * rem) / 2];
    const box = { left: middle - half, right: middle + half, top: point.y - reach, bottom: point.y + reach };
    const isCovered = taken.some((it) => it.left < box.right && box.left < it.right && it.top < box.bottom && box.top < it.bottom);
    if (isCovered) continue;
    taken.push(box);
    labels.set(id, shift);
  }
  return labels;
}

/**
 * How far places are to either side of the centre, and no less than the least.
 *
 * @param {readonly number[]} distances
 */
function reachOf(distances) {
  const [least, most] = [Math.min(0, ...distances), Math.max(0, ...distances)];
  const more = Math.max(0, 2 * LEAST - (most - least)) / 2;
  return /** @type {const} */ ([least - more, most + more]);
}

/**
 * Where the label of a circle stands: on its lowest point, or on its highest where that is out of sight.
 *
 * @param {number} middle
 * @param {number} radius
 * @param {number} height
 */
function labelAt(middle, radius, height) {
  const base = middle + radius + LABEL;
  return base < height - LABEL ? base : middle - radius + LABEL;
}

// --- The same in words, as far as distances are told

/**
 * "Alfama, 0.9 km"
 *
 * @param {Pick<import("./types.js").HotelOffer, "district" | "city" | "distance_km">} hotel
 * @param {string} [from] said of the distance
 */
export function placeOf({ district, city, distance_km: km }, from = "") {
  return [district || city, km === null ? "" : `${km.toFixed(1)} km${from}`].filter(Boolean).join(", ");
}

/** "3 hotels within 2 km of the centre of Lisbon" @param {{name: string, hotels: {distance_km: number | null}[]}} stay */
export function wordsOf({ name, hotels }) {
  const far = hotels.map(({ distance_km: km }) => km).filter((km) => km !== null);
  const within = far.length === hotels.length ? `within ${Math.max(1, Math.ceil(Math.max(...far)))} km of the centre of` : "in";
  return `${counted(hotels.length, "hotel")} ${within} ${name}`;
}
