/** The geometry of maps: distances, great circles, what part of the world is shown, land, and where names stand. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { labelsOf, planOf } from "../../frontend/lib/city.js";
import { boxOf, placedAround, placedLabels } from "../../frontend/lib/labels.js";
import { dotsOf, Land } from "../../frontend/lib/land.js";
import { distanceKm, greatCircle, linesOf, middleLongitude, pathOf, project, turned, viewOf } from "../../frontend/lib/map.js";

const PLACES = {
  berlin: { latitude: 52.52, longitude: 13.4 },
  tokyo: { latitude: 35.68, longitude: 139.76 },
  sanFrancisco: { latitude: 37.77, longitude: -122.42 },
  auckland: { latitude: -36.85, longitude: 174.76 },
  santiago: { latitude: -33.45, longitude: -70.67 },
  oslo: { latitude: 59.91, longitude: 10.75 },
  bergen: { latitude: 60.39, longitude: 5.32 },
  newYork: { latitude: 40.71, longitude: -74.01 },
  singapore: { latitude: 1.35, longitude: 103.82 },
  london: { latitude: 51.51, longitude: -0.13 },
};
const SIZE = { width: 640, height: 280 };
const TRIPS = [
  ["berlin", "tokyo"],
  ["tokyo", "sanFrancisco"],
  ["auckland", "santiago"],
  ["oslo", "bergen"],
  ["newYork", "singapore"],
  ["london", "auckland"],
].map((names) => names.map((name) => PLACES[name]));

const near = (one, other, margin) => assert.ok(Math.abs(one - other) <= margin, `${one} is not ${other} ± ${margin}`);

test("distances are those of the globe", () => {
  near(distanceKm(PLACES.berlin, PLACES.tokyo), 8920, 20);
  near(distanceKm(PLACES.auckland, PLACES.santiago), 9670, 20);
  near(distanceKm({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }), 20015, 1);
  assert.equal(distanceKm(PLACES.oslo, PLACES.oslo), 0);
});

test("great circle goes from end to end in equal steps, by the shortest way", () => {
  for (const [from, to] of TRIPS) {
    const line = greatCircle(from, to);
    assert.deepEqual([line[0], line.at(-1)], [from, to]);
    const steps = line.slice(1).map((place, at) => distanceKm(line[at], place));
    near(Math.max(...steps), Math.min(...steps), 0.001);
    near(steps.reduce((sum, step) => sum + step), distanceKm(from, to), 0.01);
  }
  assert.ok(Math.max(...greatCircle(PLACES.berlin, PLACES.tokyo).map(({ latitude }) => latitude)) > 65);
});

test("antipodes, and a place and itself, still have a line", () => {
  const ends = [
    { latitude: 10, longitude: 20 },
    { latitude: -10, longitude: -160 },
  ];
  assert.deepEqual(greatCircle(ends[0], ends[1]), ends);
  assert.deepEqual(greatCircle(ends[0], ends[0]), [ends[0], ends[0]]);
});

test("middle is opposite the widest gap, also across the date line", () => {
  near(middleLongitude([PLACES.tokyo, PLACES.sanFrancisco]), -171.3, 0.1);
  near(middleLongitude([PLACES.berlin, PLACES.tokyo]), 76.6, 0.1);
  assert.equal(middleLongitude([{ latitude: 0, longitude: 33 }]), 33);
});

test("longitudes turn into a world", () => {
  assert.deepEqual([0, 180, -180, 190, 540, -541].map(turned), [0, -180, -180, -170, -180, 179]);
});

test("map contains every point of a trip with room around, at any size", () => {
  for (const size of [SIZE, { width: 328, height: 190 }, { width: 1200, height: 525 }]) {
    for (const [from, to] of TRIPS) {
      const line = greatCircle(from, to);
      const view = viewOf(line, size);
      for (const place of line) {
        const { x, y } = project(view, place);
        assert.ok(x > 30 && x < size.width - 30 && y > 20 && y < size.height - 20, `${x} ${y}`);
      }
    }
  }
});

test("trips over the Pacific are in the middle of the map, and their lines are not cut", () => {
  for (const [from, to] of [TRIPS[1], TRIPS[2]]) {
    const line = greatCircle(from, to);
    const view = viewOf(line, SIZE);
    near((project(view, from).x + project(view, to).x) / 2, SIZE.width / 2, 1);
    assert.equal(linesOf(view, line).length, 1);
  }
});

test("line over the seam of the map is cut in two, and both go on to the edge of the world", () => {
  const around = [PLACES.london, PLACES.tokyo, PLACES.sanFrancisco, PLACES.london];
  const ways = around.slice(1).map((to, at) => greatCircle(around[at], to));
  const view = viewOf(ways.flat(), SIZE);
  const lines = ways.flatMap((way) => linesOf(view, way));
  assert.equal(lines.length, 4);
  const half = 180 * view.across;
  for (const line of lines)
    for (const [at, { x }] of line.slice(1).entries()) near(x, line[at].x, half / 4);
  const cut = lines.filter((line) => line.some(({ x }) => Math.abs(x - SIZE.width / 2) > half));
  assert.equal(cut.length, 2);
});

test("short trip shows the country around it rather than itself alone", () => {
  const view = viewOf(greatCircle(PLACES.oslo, PLACES.bergen), SIZE);
  assert.ok(SIZE.height / view.down >= 8);
  assert.ok(project(view, PLACES.oslo).x - project(view, PLACES.bergen).x > 60);
});

test("paths are written to a tenth of a pixel", () => {
  assert.equal(pathOf([[{ x: 1, y: 2.04 }, { x: 3.25, y: 4 }], [{ x: 5, y: 6 }]]), "M1 2L3.3 4M5 6");
});

const ISLAND = { step: 1, rows: [-1, 0, 1].map((latitude) => ({ latitude, longitudes: [178, 179, -180] })) };

test("land is where its cells are, across the date line too, and less towards the water", () => {
  const land = new Land(ISLAND);
  assert.equal(land.at(0.5, 179.5), 1);
  assert.equal(land.at(0.5, -179.5), 1);
  near(land.at(0.5, -179), 0.5, 1e-9);
  assert.equal(land.at(0.5, -177), 0);
});

test("gap that land surrounds is closed, a bay is not", () => {
  const lake = structuredClone(ISLAND);
  lake.rows[1].longitudes = [178, -180];
  assert.equal(new Land(lake).at(0.5, 179.5), 1);
  const bay = structuredClone(lake);
  bay.rows[0].longitudes = [178];
  assert.equal(new Land(bay).at(0.5, 179.5), 0);
});

test("island is drawn with dots at every scale, and the water around it with none", () => {
  const land = new Land(ISLAND);
  for (const down of [0.5, 3, 12, 40]) {
    const view = { width: 300, height: 200, longitude: 179.5, latitude: 0.5, across: down, down };
    const dots = [...dotsOf(view, land).matchAll(/M([\d.-]+) ([\d.-]+)h0/g)].map(([, x, y]) => [Number(x), Number(y)]);
    assert.ok(dots.length > 0, `at ${down}`);
    for (const [x, y] of dots) assert.ok(Math.hypot(x - 150, y - 100) < 3 * down + 9);
  }
});

test("world that does not fill the map is drawn once", () => {
  const view = { width: 600, height: 200, longitude: 0, latitude: 0, across: 0.5, down: 0.5 };
  const dots = [...dotsOf(view, new Land(ISLAND)).matchAll(/M([\d.-]+) /g)].map(([, x]) => Number(x));
  assert.ok(dots.length > 0 && dots.every((x) => x >= 205 && x <= 395), dots.join());
});

const around = (more = {}) => ({ width: 300, height: 200, lines: [], taken: [], size: 12, ...more });
const label = (text, x, y, needed = true) => ({ text, point: { x, y }, radius: 4, needed });

test("name stands to the right of its point, and to the left at the right edge", () => {
  assert.equal(placedLabels([label("Berlin", 50, 100)], around())[0].anchor, "start");
  assert.equal(placedLabels([label("Tokyo", 290, 100)], around())[0].anchor, "end");
});

test("names stand inside of the map and over no other, and those that are not needed give way", () => {
  const crowd = [label("Frankfurt", 150, 100), label("Munich", 160, 108), label("Vienna", 140, 92), label("Zurich", 150, 112)];
  const optional = Array.from({ length: 12 }, (_, at) => label("Stuttgart", 150 + at, 100 + at, false));
  const corners = [label("Reykjavík", 3, 3), label("Christchurch", 297, 197)];
  const placed = placedLabels([...crowd, ...corners, ...optional], around());
  assert.ok(placed.length >= 6 && placed.length < 18);
  assert.deepEqual(placed.slice(0, 4).map(({ text }) => text), crowd.map(({ text }) => text));
  const boxes = placed.map(boxOf);
  for (const box of boxes) assert.ok(box.left >= 0 && box.right <= 300 && box.top >= 0 && box.bottom <= 200);
  for (const [at, one] of boxes.entries())
    for (const other of boxes.slice(at + 1))
      assert.ok(one.right <= other.left || other.right <= one.left || one.bottom <= other.top || other.bottom <= one.top);
});

test("larger text takes more room", () => {
  const [small, large] = [12, 24].map((size) => boxOf(placedLabels([label("Berlin", 150, 100)], around({ size }))[0]));
  assert.ok(large.right - large.left > 1.9 * (small.right - small.left));
  assert.ok(large.bottom - large.top > 1.9 * (small.bottom - small.top));
});

test("name keeps off a line, and off what is taken", () => {
  const eastward = [{ x: 50, y: 100 }, { x: 290, y: 100 }];
  const [placed] = placedLabels([label("Berlin", 50, 100)], around({ lines: [eastward] }));
  const { top, bottom, left } = boxOf(placed);
  assert.ok(top > 100 || bottom < 100 || left < 45);
  const taken = [{ left: 85, right: 300, top: 70, bottom: 130 }];
  assert.notEqual(placedLabels([label("Berlin", 80, 100)], around({ taken }))[0].anchor, "start");
});

test("hotels stand in their direction from the centre, as far as the circles say, which fit", () => {
  const centre = { latitude: 38.72, longitude: -9.14 };
  const hotels = [
    { offer_id: "north", latitude: 38.738, longitude: -9.14 },
    { offer_id: "east", latitude: 38.72, longitude: -9.117 },
    { offer_id: "far", latitude: 38.72, longitude: -9.08 },
  ];
  const { centre: middle, circles, hotels: drawn } = planOf(centre, hotels, { width: 400, height: 200 });
  assert.deepEqual(circles.map(({ km }) => km), [1, 2, 5]);
  const [north, east, far] = drawn.map(({ point }) => point);
  near(north.x, middle.x, 0.01);
  near(middle.y - north.y, circles[1].radius, 1);
  near(east.x - middle.x, circles[1].radius, 1);
  assert.ok(far.x < 400 - 10 && middle.x > 10, "they fill the width, wherever the centre is");
  const isOut = (radius) => middle.y + radius > 190 && middle.y - radius < 4;
  assert.ok(circles.every(({ label, radius }) => (label > 0 && label < 200) || isOut(radius)));
  assert.ok(circles[0].label > 0 && circles[0].label < 200);
});

test("price is shown where it covers no other, the first ones first, and never beyond the edge", () => {
  const at = (id, x, y) => ({ id, point: { x, y }, text: "€120" });
  const spots = [at("edge", 3, 50), at("middle", 100, 50), at("beside", 110, 52), at("below", 100, 80), at("right", 199, 50)];
  const labels = labelsOf(spots, { width: 200, rem: 16 });
  assert.deepEqual([...labels.keys()], ["edge", "middle", "below", "right"]);
  assert.ok(labels.get("edge") > 10 && labels.get("middle") === 0 && labels.get("right") < -10);
  assert.equal(labelsOf(spots, { width: 200, rem: 40 }).has("below"), false, "larger letters leave less room");
});

test("distant hotel does not crowd the others", () => {
  const centre = { latitude: 0, longitude: 0 };
  const near20 = Array.from({ length: 20 }, (_, at) => ({ offer_id: String(at), latitude: 0.01, longitude: at / 1000 }));
  const away = { offer_id: "away", latitude: 1, longitude: 1 };
  const { hotels } = planOf(centre, [...near20, away], { width: 200, height: 200 });
  assert.deepEqual(hotels.map(({ id }) => id), near20.map(({ offer_id: id }) => id));
  const xs = hotels.map(({ point }) => point.x);
  assert.ok(Math.max(...xs) - Math.min(...xs) > 100);
});

test("note takes the first corner where it covers neither a name nor a point, and none where names need all", () => {
  const around = { width: 330, height: 200, lines: [], size: 24 };
  const [low, high] = [{ left: 0, right: 173, top: 152, bottom: 200 }, { left: 0, right: 173, top: 0, bottom: 48 }];
  const cities = [label("Lisbon", 40, 165), label("Berlin", 280, 30)];
  const { labels, at } = placedAround(cities, around, [low, high]);
  assert.equal(at, 1, "the lower corner holds the point of Lisbon");
  assert.equal(labels.length, 2);
  for (const { left, top } of labels.map(boxOf)) assert.ok(left >= high.right || top >= high.bottom);
  assert.equal(placedAround(cities, around, [high, low]).at, 0);
  assert.equal(placedAround(cities, around, [low]).at, -1);
  assert.equal(placedAround(cities, around, [low]).labels.length, 2);
});
