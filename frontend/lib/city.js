/**
 * The geometry of a city: where its hotels are around its centre, with circles that tell how far. Pure.
 *
 * @typedef {import("./map.js").Place} Place
 * @typedef {import("./map.js").Point} Point
 *
 * @typedef {object} CityPlan
 * @property {Point} centre
 * @property {{km: number, radius: number, label: number}[]} circles inner one first, with the base line of its label
 * @property {{id: string, point: Point}[]} hotels
 */

import { distanceKm } from "./map.js";

const KM_PER_DEGREE = 111.2;
const CIRCLES_KM = [0.5, 1, 2, 5, 10, 20, 50];
const MOST_CIRCLES = 2;
/** Of the hotels so many are to be seen; a few far out would press all others into the middle. */
const SEEN = 0.95;
/** The least distance that is shown, so that two hotels in the middle don't seem far apart. */
const LEAST_KM = 1;
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
  const reach = Math.max(LEAST_KM, distances[Math.ceil(distances.length * SEEN) - 1] ?? 0);
  const level = Math.cos((centre.latitude * Math.PI) / 180);
  const spots = hotels.map((hotel) => ({
    id: hotel.offer_id,
    east: (hotel.longitude - centre.longitude) * level * KM_PER_DEGREE,
    south: (centre.latitude - hotel.latitude) * KM_PER_DEGREE,
  }));
  const seen = spots.filter(({ east, south }) => Math.hypot(east, south) <= reach * 1.01);
  const [left, right] = reachOf(seen.map(({ east }) => east));
  const [top, bottom] = reachOf(seen.map(({ south }) => south));
  const perKm = Math.min((width - 2 * MARGIN) / (right - left), (height - 2 * MARGIN) / (bottom - top));
  const middle = { x: width / 2 - ((left + right) / 2) * perKm, y: height / 2 - ((top + bottom) / 2) * perKm };
  const points = spots.map(({ id, east, south }) => ({
    id,
    point: { x: middle.x + east * perKm, y: middle.y + south * perKm },
  }));
  return {
    centre: middle,
    circles: CIRCLES_KM.filter((km) => km <= reach)
      .slice(-MOST_CIRCLES)
      .map((km) => ({ km, radius: km * perKm, label: labelAt(middle.y, km * perKm, height) })),
    hotels: points.filter(({ point: { x, y } }) => x > 2 && y > 2 && x < width - 2 && y < height - 2),
  };
}

/**
 * How far places are to either side of the centre, and no less than the least.
 *
 * @param {readonly number[]} kilometres
 */
function reachOf(kilometres) {
  const [least, most] = [Math.min(0, ...kilometres), Math.max(0, ...kilometres)];
  const more = Math.max(0, 2 * LEAST_KM - (most - least)) / 2;
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
