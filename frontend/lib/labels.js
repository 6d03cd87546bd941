/**
 * Where the names of points stand on a map: beside their point, inside of the map, over no other name or point, and
 * on lines only where there is no better place. Pure.
 *
 * @typedef {import("./map.js").Point} Point
 *
 * @typedef {object} Label
 * @property {string} text
 * @property {Point} point what it names
 * @property {number} radius of its mark
 * @property {boolean} needed shown in any case; others only where they are in nobody's way
 *
 * @typedef {"start" | "middle" | "end"} Anchor which part of the base line stands at `x`
 * @typedef {{text: string, x: number, y: number, anchor: Anchor, size: number, needed: boolean}} PlacedLabel
 * @typedef {{width: number, height: number, lines: readonly Point[][], taken: readonly Box[],
 *   size: number}} Around the map: lines on it, where no label may stand, and the size of the font
 * @typedef {{left: number, right: number, top: number, bottom: number}} Box
 */

/** Of the font's size: the width of a letter on average with some room, and how far letters reach up and down. */
const [WIDTH, ASCENT, DESCENT] = [0.56, 0.8, 0.25];
const GAP = 5;
const MARGIN = 3;
/** What is better avoided, and how much. */
const COST = { outside: 1000, label: 400, point: 100, line: 6, place: 1 };
/** Pixels between the points of a line that labels are held against. */
const DENSE = 6;

/**
 * @param {readonly Label[]} labels the most important first
 * @param {Around} around
 * @returns {PlacedLabel[]} those that found a place
 */
export function placedLabels(labels, around) {
  const taken = [...around.taken];
  const onLines = around.lines.flatMap(dense);
  return labels.flatMap((label) => {
    const others = labels.filter(({ point }) => point !== label.point);
    const tried = candidates(label, around)
      .map((place, at) => ({ place, cost: at * COST.place + cost(boxOf(place), { others, around, taken, onLines }) }))
      .sort((one, other) => one.cost - other.cost);
    const best = tried[0];
    if (!best || (!label.needed && best.cost >= COST.point)) return [];
    taken.push(boxOf(best.place));
    return [best.place];
  });
}

/**
 * The same beside a note in one of several boxes: in the first where it covers no name and no point.
 *
 * @param {readonly Label[]} labels
 * @param {Omit<Around, "taken">} around
 * @param {readonly Box[]} boxes
 * @returns {{labels: PlacedLabel[], at: number}} `at` is the box of the note; -1 where all are needed for the names
 */
export function placedAround(labels, around, boxes) {
  for (const [at, box] of boxes.entries()) {
    const placed = placedLabels(labels, { ...around, taken: [box] });
    const isCovered = placed.some((label) => overlap(boxOf(label), box)) || labels.some(({ point, radius }) => isIn(box, point, radius));
    if (!isCovered) return { labels: placed, at };
  }
  return { labels: placedLabels(labels, { ...around, taken: [] }), at: -1 };
}

/**
 * The box around a label.
 *
 * @param {Pick<PlacedLabel, "text" | "x" | "y" | "anchor" | "size">} label
 * @returns {Box}
 */
export function boxOf({ text, x, y, anchor, size }) {
  const width = widthOf(text, size);
  const left = x - { start: 0, middle: width / 2, end: width }[anchor];
  return { left, right: left + width, top: y - ASCENT * size, bottom: y + DESCENT * size };
}

/**
 * Places around a point, the best first; one above or below is moved so far that it is inside.
 *
 * @param {Label} label
 * @param {Around} around
 * @returns {PlacedLabel[]}
 */
function candidates({ text, point: { x, y }, radius, needed }, { width, size }) {
  const level = y + (ASCENT - DESCENT) * size * 0.5;
  const away = radius + GAP;
  const half = widthOf(text, size) / 2 + MARGIN;
  const middle = 2 * half > width ? width / 2 : Math.min(width - half, Math.max(half, x));
  const [above, below] = [y - away - DESCENT * size, y + away + ASCENT * size];
  /** @type {[number, number, Anchor][]} */
  const places = [
    [x + away, level, "start"],
    [x - away, level, "end"],
    [middle, below, "middle"],
    [middle, above, "middle"],
    [x + GAP, below, "start"],
    [x - GAP, below, "end"],
    [x + GAP, above, "start"],
    [x - GAP, above, "end"],
  ];
  return places.map(([left, base, anchor]) => ({ text, x: left, y: base, anchor, size, needed }));
}

/**
 * @param {Box} box
 * @param {{others: readonly Label[], around: Around, taken: readonly Box[], onLines: readonly Point[]}} by
 */
function cost(box, { others, around: { width, height }, taken, onLines }) {
  const isOutside = box.left < MARGIN || box.right > width - MARGIN || box.top < MARGIN || box.bottom > height - MARGIN;
  const onMarks = others.filter(({ point, radius }) => isIn(box, point, radius + 1)).length;
  return (
    (isOutside ? COST.outside : 0) +
    taken.filter((other) => overlap(box, other)).length * COST.label +
    onMarks * COST.point +
    onLines.filter((point) => isIn(box, point, 2)).length * COST.line
  );
}

/**
 * @param {Box} box
 * @param {Point} point
 * @param {number} margin
 */
function isIn({ left, right, top, bottom }, { x, y }, margin) {
  return x > left - margin && x < right + margin && y > top - margin && y < bottom + margin;
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function overlap(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}

/**
 * @param {string} text
 * @param {number} size
 */
function widthOf(text, size) {
  return Array.from(text).length * WIDTH * size + 2;
}

/**
 * A line with so many points that none of its parts slips through a label.
 *
 * @param {readonly Point[]} line
 * @returns {Point[]}
 */
function dense(line) {
  return line.slice(1).flatMap((to, at) => {
    const from = /** @type {Point} */ (line[at]);
    const steps = Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / DENSE);
    return Array.from({ length: steps }, (_, step) => ({
      x: from.x + ((to.x - from.x) * step) / steps,
      y: from.y + ((to.y - from.y) * step) / steps,
    }));
  });
}
