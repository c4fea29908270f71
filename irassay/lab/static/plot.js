// Small pictures that move with a slider: lines by rank, and ranks over a parameter.
import { element, short } from "./lab.js";
import { looks } from "./theme.js";

/** @param {number} n */
export const colour = (n) => (looks.colours[n % looks.colours.length] === "#000000" ? "var(--ink)" : looks.colours[n % looks.colours.length]);
const ROOM = { left: 34, right: 8, top: 8, bottom: 20 };

/** @param {string} title @param {string} what */
export function curvePicture(title, what) {
  const svg = element("svg:svg", { role: "img", "aria-label": `${title}: ${what}` });
  const figure = element("figure", { class: "curve" }, element("figcaption", {}, element("b", {}, title), " ", element("span", {}, what)), svg);
  /** @param {{values: (number|null)[], colour: string}[]} lines */
  const draw = (lines) => {
    const SIZE = { ...ROOM, width: svg.clientWidth || 300, height: svg.clientHeight || 130 };
    const depth = Math.max(2, ...lines.map((line) => line.values.length));
    const known = lines.flatMap((line) => line.values.filter((value) => value !== null));
    const top = known.length ? Math.max(...known, 1e-9) : 1;
    const ceiling = top <= 1 && top > 0.5 ? 1 : niceCeiling(top);
    const x = (/** @type {number} */ i) => SIZE.left + ((SIZE.width - SIZE.left - SIZE.right) * i) / (depth - 1);
    const y = (/** @type {number} */ value) => SIZE.height - SIZE.bottom - ((SIZE.height - SIZE.top - SIZE.bottom) * value) / ceiling;
    const parts = [0, 0.5, 1].flatMap((share) => [
      element("svg:line", { class: "tick", x1: SIZE.left, x2: SIZE.width - SIZE.right, y1: y(share * ceiling), y2: y(share * ceiling) }),
      element("svg:text", { x: SIZE.left - 5, y: y(share * ceiling) + 4, "text-anchor": "end" }, short(share * ceiling)),
    ]);
    for (const rank of [1, Math.ceil(depth / 2), depth]) parts.push(element("svg:text", { x: x(rank - 1), y: SIZE.height - 6, "text-anchor": "middle" }, String(rank)));
    for (const [n, line] of lines.entries()) {
      const points = line.values.map((value, i) => (value === null ? null : `${x(i).toFixed(1)},${y(value).toFixed(1)}`)).filter(Boolean).join(" ");
      parts.push(element("svg:polyline", { points, fill: "none", stroke: line.colour, "stroke-width": 2.2, "stroke-linejoin": "round", "stroke-dasharray": n % 4 ? `${7 - n} 3` : "none" }));
    }
    svg.replaceChildren(...parts);
  };
  return { figure, draw };
}

/** Round numbers from one end to the other, at most so many. @param {number} low @param {number} high @param {number} most */
export function niceTicks(low, high, most) {
  const power = 10 ** Math.floor(Math.log10((high - low) / most || 1));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => Math.floor(high / each) - Math.ceil(low / each) < most) || high - low;
  return Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, i) => Number(((Math.ceil(low / step) + i) * step).toPrecision(6)));
}

/** @param {number} value */
function niceCeiling(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value) || value;
}

/**
 * Ranks of systems over the values of a parameter, with a line at the current one.
 * @param {any} bump @param {number} now @param {string[]} marked @param {number} width
 */
export function bumpPicture(bump, now, marked, width) {
  const longest = Math.max(...bump.lines.map((/** @type {any} */ line) => line.system.length));
  const labels = Math.min(190, width * 0.34, 7 * (longest + 5)), step = bump.lines.length > 14 ? 17 : 22;
  const most = Math.min(bump.lines.length + 6, Math.max(...bump.lines.flatMap((/** @type {any} */ line) => line.ranks)));
  const lastOf = (/** @type {any} */ line) => line.ranks[line.ranks.length - 1];
  const below = bump.lines.filter((/** @type {any} */ line) => lastOf(line) > most).sort((/** @type {any} */ one, /** @type {any} */ other) => lastOf(one) - lastOf(other)); // each ends in a row of its own
  const height = 34 + step * (most + below.length);
  const values = bump.values, span = values[values.length - 1] - values[0] || 1;
  const x = (/** @type {number} */ value) => 26 + ((width - 26 - labels) * (value - values[0])) / span;
  const y = (/** @type {number} */ rank, /** @type {any} */ line) => 12 + step * ((rank <= most ? rank : most + Math.max(0.5, below.indexOf(line) + 1)) - 0.5);
  const svg = element("svg:svg", { class: "bump", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Rank of each system by ${bump.parameter}` });
  for (const value of niceTicks(values[0], values[values.length - 1], width < 450 ? 5 : 10)) {
    svg.append(element("svg:line", { class: "tick", x1: x(value), x2: x(value), y1: 8, y2: height - 22 }), element("svg:text", { x: x(value), y: height - 6, "text-anchor": "middle" }, short(value)));
  }
  for (const rank of [1, 5, 10, 15, 20, 25].filter((each) => each <= most)) svg.append(element("svg:text", { x: 20, y: y(rank, null) + 4, "text-anchor": "end" }, String(rank)));
  if (bump.lines.some((/** @type {any} */ line) => Math.max(...line.ranks) > most)) { // what is below is not drawn to scale
    const edge = 12 + step * most;
    svg.append(element("svg:line", { class: "edge", x1: 26, x2: width - labels, y1: edge, y2: edge }), element("svg:text", { x: 20, y: edge + 14, "text-anchor": "end" }, `>${most}`));
  }
  bump.lines.forEach((/** @type {any} */ line) => {
    const is = marked.includes(line.system), ink = is ? colour(marked.indexOf(line.system)) : "var(--soft)";
    const points = line.ranks.map((/** @type {number} */ rank, /** @type {number} */ i) => `${x(values[i]).toFixed(1)},${y(rank, line).toFixed(1)}`).join(" ");
    const group = element("svg:g", { class: is ? "marked" : "" }, element("svg:title", {}, line.system), element("svg:polyline", { points, fill: "none", stroke: ink, "stroke-width": is ? 3 : 1.5, "stroke-linejoin": "round", opacity: is ? 1 : 0.45 }));
    const rank = lastOf(line), place = rank > most ? ` (${rank})` : "";
    const room = Math.floor(labels / 6.6) - place.length, name = line.system.length > room ? `${line.system.slice(0, room - 1)}…` : line.system;
    group.append(element("svg:text", { x: width - labels + 6, y: y(rank, line) + 4, fill: is ? ink : null, "font-weight": is ? 600 : 400 }, name + place));
    svg.append(group);
  });
  const at = Math.min(Math.max(now, values[0]), values[values.length - 1]);
  svg.append(element("svg:line", { class: "now", x1: x(at), x2: x(at), y1: 4, y2: height - 20 }), element("svg:circle", { class: "now", cx: x(at), cy: 5, r: 4 }));
  return svg;
}
