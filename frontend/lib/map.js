/**
 * The geometry of a map: great circles on a sphere, a part of the world that holds them, and points on the screen.
 *
 * The map is equirectangular with its own scale for longitudes, true in its middle: cheap, regular, and at home in
 * print. Longitudes are counted from the middle of what is shown, so that the Pacific is as whole as the Atlantic;
 * where a line crosses the back of the world it is cut in two. Pure, without DOM; degrees, kilometres and CSS pixels.
 *
 * @typedef {{latitude: number, longitude: number}} Place
 * @typedef {{x: number, y: number}} Point
 *
 * @typedef {object} View a part of the world on a rectangle of the screen
 * @property {number} width
 * @property {number} height
 * @property {number} longitude of the middle; the seam is on the other side of the world
 * @property {number} latitude of the middle
 * @property {number} across pixels for a degree of longitude
 * @property {number} down pixels for a degree of latitude
 */

const EARTH_RADIUS_KM = 6371;
const DEGREE = Math.PI / 180;

/** Degrees between two points of a drawn great circle, and the least number of its parts: so it looks round. */
const [STEP, LEAST_STEPS] = [1.5, 12];
/** The least degrees of latitude on a map: about the length of a country, so that one sees where one is. */
const LEAST_HEIGHT = 8;
/** The least scale of longitudes: further towards the poles land would be a few thin lines. */
const LEAST_SQUEEZE = 0.4;
/** Where land ends, more or less: maps show no more ice than their routes need. */
const [SOUTH, NORTH] = [-57, 80];
/** Pixels between what must be seen and the edge: left and right there is a name beside a point. */
const PADDING = { x: 54, top: 30, bottom: 34 };

/**
 * The distance on a sphere.
 *
 * @param {Place} from
 * @param {Place} to
 */
export function distanceKm(from, to) {
  return EARTH_RADIUS_KM * angle(vector(from), vector(to));
}

/**
 * The shortest way from one place to another, both included. Of the many between opposite ends of the world, the
 * straight one on the map.
 *
 * @param {Place} from
 * @param {Place} to
 * @returns {Place[]}
 */
export function greatCircle(from, to) {
  const [start, end] = [vector(from), vector(to)];
  const whole = angle(start, end);
  const steps = Math.max(LEAST_STEPS, Math.ceil(whole / DEGREE / STEP));
  if (Math.sin(whole) < 1e-6) return [from, to];
  const between = Array.from({ length: steps - 1 }, (_, at) => {
    const part = (at + 1) / steps;
    const [one, other] = [Math.sin((1 - part) * whole), Math.sin(part * whole)];
    return placeOf(start.map((value, axis) => value * one + (end[axis] ?? 0) * other));
  });
  return [from, ...between, to];
}

/**
 * The longitude around which places lie closest together: opposite the middle of the widest gap between them.
 *
 * @param {readonly Place[]} places
 */
export function middleLongitude(places) {
  const sorted = places.map(({ longitude }) => turned(longitude)).sort((one, other) => one - other);
  const gaps = sorted.map((east, at) => ({ east, width: at ? east - (sorted[at - 1] ?? 0) : 360 - span(sorted) }));
  const widest = gaps.reduce((best, gap) => (gap.width > best.width ? gap : best), { east: 0, width: -1 });
  return turned(widest.east - widest.width / 2 + 180);
}

/**
 * The part of the world that holds places, with room around them, on a rectangle of the screen.
 *
 * @param {readonly Place[]} places at least one
 * @param {{width: number, height: number}} size
 * @returns {View}
 */
export function viewOf(places, { width, height }) {
  const seam = middleLongitude(places);
  const [west, east] = ends(places.map(({ longitude }) => turned(longitude - seam)));
  const [south, north] = ends(places.map(({ latitude }) => latitude));
  const squeeze = Math.max(LEAST_SQUEEZE, Math.cos(((south + north) / 2) * DEGREE));
  const paddingX = Math.min(PADDING.x, width / 6);
  const down = Math.min(
    (width - 2 * paddingX) / Math.max(1e-9, (east - west) * squeeze),
    (height - PADDING.top - PADDING.bottom) / Math.max(1e-9, north - south),
    height / LEAST_HEIGHT,
  );
  const half = height / 2 / down;
  const middle = (south + north) / 2 + (PADDING.top - PADDING.bottom) / 2 / down;
  const lowest = Math.min(SOUTH, south - PADDING.bottom / down);
  const highest = Math.max(NORTH, north + PADDING.top / down);
  const latitude =
    2 * half > highest - lowest ? (lowest + highest) / 2 : Math.min(highest - half, Math.max(lowest + half, middle));
  return { width, height, longitude: turned(seam + (west + east) / 2), latitude, across: down * squeeze, down };
}

/**
 * @param {View} view
 * @param {Place} place
 * @returns {Point}
 */
export function project(view, { latitude, longitude }) {
  return {
    x: view.width / 2 + turned(longitude - view.longitude) * view.across,
    y: view.height / 2 + (view.latitude - latitude) * view.down,
  };
}

/**
 * A line of places as lines on the screen: one, or more where it crosses the seam. Each side of a cut goes on to the
 * edge of the world.
 *
 * @param {View} view
 * @param {readonly Place[]} places
 * @returns {Point[][]}
 */
export function linesOf(view, places) {
  const [first, ...rest] = places.map((place) => project(view, place));
  if (!first) return [];
  const world = 360 * view.across;
  const lines = [[first]];
  let last = first;
  for (const point of rest) {
    const line = /** @type {Point[]} */ (lines.at(-1));
    const jump = Math.abs(point.x - last.x) > world / 2 ? Math.sign(point.x - last.x) * world : 0;
    if (jump) {
      line.push({ x: point.x - jump, y: point.y });
      lines.push([{ x: last.x + jump, y: last.y }, point]);
    } else line.push(point);
    last = point;
  }
  return lines;
}

/** Lines as the `d` of an SVG path. @param {readonly Point[][]} lines */
export function pathOf(lines) {
  return lines.map((line) => `M${line.map(({ x, y }) => `${tenth(x)} ${tenth(y)}`).join("L")}`).join("");
}

/** A length in pixels to a tenth: more can't be seen. @param {number} value */
export function tenth(value) {
  return Math.round(value * 10) / 10;
}

/** Degrees between -180, included, and 180. @param {number} degrees */
export function turned(degrees) {
  return ((((degrees + 180) % 360) + 360) % 360) - 180;
}

/** @param {readonly number[]} sorted */
function span(sorted) {
  return (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
}

/** @param {readonly number[]} values @returns {[number, number]} */
function ends(values) {
  return [Math.min(...values), Math.max(...values)];
}

/** The direction from the middle of the earth. @param {Place} place */
function vector({ latitude, longitude }) {
  const level = Math.cos(latitude * DEGREE);
  return [
    level * Math.cos(longitude * DEGREE),
    level * Math.sin(longitude * DEGREE),
    Math.sin(latitude * DEGREE),
  ];
}

/** @param {readonly number[]} direction @returns {Place} */
function placeOf([x = 0, y = 0, z = 0]) {
  return { latitude: Math.atan2(z, Math.hypot(x, y)) / DEGREE, longitude: Math.atan2(y, x) / DEGREE };
}

/**
 * Stable for angles of all sizes, unlike an arc cosine.
 *
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
function angle(one, other) {
  const apart = Math.hypot(...one.map((value, axis) => value - (other[axis] ?? 0)));
  const together = Math.hypot(...one.map((value, axis) => value + (other[axis] ?? 0)));
  return 2 * Math.atan2(apart, together);
}
