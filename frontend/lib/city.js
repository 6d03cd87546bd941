/**
 * The geometry of a city: where its hotels are around its centre, with circles that tell how far. Pure.
 *
 * @typedef {import("./map.js").Place} Place
 * @typedef {import("./map.js").Point} Point
 *
 * @typedef {object} CityPlan
 * @property {Point} centre
 * @property {{km: number, radius: number}[]} circles inner one first
 * @property {{id: string, point: Point}[]} hotels
 */

import { distanceKm } from "./map.js";

const KM_PER_DEGREE = 111.2;
const CIRCLES_KM = [0.5, 1, 2, 5, 10, 20, 50];
const MOST_CIRCLES = 2;
/** The least distance that is shown, so that two hotels in the middle don't seem far apart. */
const LEAST_KM = 1;
/** Of the hotels so many are to be seen; a few far out would press all others into the middle. */
const SEEN = 0.95;
const MARGIN = 12;

/**
 * @param {Place} centre
 * @param {readonly {offer_id: string, latitude: number, longitude: number}[]} hotels at least one
 * @param {{width: number, height: number}} size
 * @returns {CityPlan} hotels that lie outside of it are left out
 */
export function planOf(centre, hotels, { width, height }) {
  const distances = hotels.map((hotel) => distanceKm(centre, hotel)).sort((one, other) => one - other);
  const reach = distances[Math.ceil(distances.length * SEEN) - 1] ?? 0;
  const outer = CIRCLES_KM.findLast((km) => km <= Math.max(reach, LEAST_KM)) ?? LEAST_KM;
  const perKm = (Math.min(width, height) / 2 - MARGIN) / Math.max(outer, reach);
  const level = Math.cos((centre.latitude * Math.PI) / 180);
  const middle = { x: width / 2, y: height / 2 };
  const points = hotels.map(({ offer_id: id, latitude, longitude }) => ({
    id,
    point: {
      x: middle.x + (longitude - centre.longitude) * level * KM_PER_DEGREE * perKm,
      y: middle.y - (latitude - centre.latitude) * KM_PER_DEGREE * perKm,
    },
  }));
  return {
    centre: middle,
    circles: CIRCLES_KM.filter((km) => km <= outer)
      .slice(-MOST_CIRCLES)
      .map((km) => ({ km, radius: km * perKm })),
    hotels: points.filter(({ point: { x, y } }) => x > 2 && y > 2 && x < width - 2 && y < height - 2),
  };
}
