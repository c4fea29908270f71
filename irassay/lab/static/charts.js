// Charts of views: Vega-Lite specifications, drawn with the expression interpreter, so that no text is run as code.
import { unpackedSpec } from "./shared.js";
import { looks } from "./theme.js";

/** @type {Map<any, {spec: any, theme: string, view: any}>} */
const drawn = new Map();
export const isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

/** @type {Promise<void>|null} */
let loading = null;
/** Vega, loaded when the first chart is drawn. */
function vega() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/vega.js";
    script.onload = () => resolve();
    script.onerror = () => reject(new Error("Vega could not be loaded."));
    document.head.append(script);
  });
  return loading;
}

/** A chart with one width of its own is fitted to its place. @param {any} spec @param {number} room @param {number} beside what stands beside its axis, if it was drawn before */
function fitted(spec, room, beside = 230) {
  if (spec.usermeta?.scrolls) return spec; // its boxes are as wide as their text
  if (spec.hconcat && spec.hconcat.reduce((/** @type {number} */ sum, /** @type {any} */ part) => sum + (part.width || 0) + 110, 0) > room) {
    const { hconcat, ...rest } = spec;
    return { ...rest, vconcat: hconcat }; // no room side by side
  }
  if (spec.concat && room < 500) return { ...spec, columns: 1 };
  if (typeof spec.width !== "number" || spec.facet || spec.hconcat || spec.vconcat || spec.concat || spec.repeat) return spec;
  if (typeof spec.height !== "number") return { ...spec, width: Math.max(120, Math.min(1.6 * spec.width, room - beside)) }; // Vega-Lite cannot fit such a chart
  const width = Math.max(160, Math.min(room - 4, spec.width === spec.height ? spec.width : 2 * spec.width + 80));
  return { ...spec, width, autosize: { type: "fit-x", contains: "padding" } };
}

/** Lines of a text of at most so many letters each. @param {string|string[]} text @param {number} most */
function textLines(text, most) {
  return [text].flat().flatMap((line) => line.split(" ").reduce((/** @type {string[]} */ found, word) => {
    const now = found.length ? `${found[found.length - 1]} ${word}` : word;
    return found.length && now.length <= most ? [...found.slice(0, -1), now] : [...found, word];
  }, []));
}

/** A chart whose title fits a narrow place. @param {any} spec @param {number} room */
function withShortLines(spec, room) {
  if (!spec.title) return spec;
  const title = typeof spec.title === "object" && !Array.isArray(spec.title) ? spec.title : { text: spec.title };
  return { ...spec, title: { ...title, text: textLines(title.text, room / 9), ...(title.subtitle ? { subtitle: textLines(title.subtitle, room / 7) } : {}) } };
}

/** @param {any} figure @param {any} packed */
async function draw(figure, packed) {
  await vega();
  const theme = isDark() ? "dark" : "light";
  drawn.get(figure)?.view?.finalize();
  const room = figure.clientWidth || 600, unpacked = unpackedSpec(packed, theme === "dark" ? looks.dimmed : {});
  const given = room < 500 ? withShortLines(unpacked, room) : unpacked;
  const spec = fitted(given, room);
  const config = { ...looks[theme], background: "transparent", ...(spec.config || {}) };
  const narrow = room < 500 ? { legend: { ...config.legend, orient: "bottom", columns: 2 } } : {};
  const embedded = (/** @type {any} */ shown) => /** @type {any} */ (window).vegaEmbed(figure, { ...shown, config: { ...config, ...narrow } }, { mode: "vega-lite", actions: false, renderer: "canvas", ast: true, logLevel: 1, tooltip: { theme } });
  let result = await embedded(spec);
  const again = fitted(given, room, (figure.querySelector("canvas")?.clientWidth || room) - spec.width + 4);
  if (typeof spec.height !== "number" && again.width !== spec.width && again !== given) {
    result.finalize();
    result = await embedded(again);
  }
  drawn.set(figure, { spec: packed, theme, view: result });
  figure.dataset.drawn = "yes";
  if (figure.scrollWidth > figure.clientWidth) figure.tabIndex = 0; // it scrolls, also by keyboard
  figure.querySelector("canvas")?.setAttribute("role", "img");
  figure.querySelector("canvas")?.setAttribute("aria-label", spec.description || "chart");
}

/** @param {any} box @param {Record<string, any>} specs */
export async function drawCharts(box, specs) {
  for (const figure of box.querySelectorAll("figure.chart")) {
    try { await draw(figure, specs[figure.dataset.chart]); } catch (error) { figure.textContent = `The chart could not be drawn: ${/** @type {any} */ (error).message}`; }
  }
}

export function redrawCharts() {
  for (const [figure, { spec }] of [...drawn]) figure.isConnected ? draw(figure, spec) : drawn.delete(figure);
}
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawCharts);
