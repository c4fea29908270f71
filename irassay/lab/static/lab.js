// What every page of the lab shares: state, elements, requests and messages.
import { isDark, redrawCharts } from "./charts.js";

/** @typedef {{id: string, name: string, files: {id: string, role: string, name: string}[], notes: string[]}} Collection */

/** What the server put into the page. @type {any} */
export const state = JSON.parse(document.getElementById("state")?.textContent || "{}");
/** A name for this tab, so that a newer request replaces an older one that waits. */
const client = crypto.randomUUID();

/** @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * A new element; attributes that are functions are listeners, and text is always inserted as text.
 * @param {string} tag @param {Record<string, any>} [attributes] @param {...(Node|string|null)} children
 */
export function element(tag, attributes = {}, ...children) {
  const made = tag.startsWith("svg:")
    ? document.createElementNS("http://www.w3.org/2000/svg", tag.slice(4))
    : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return /** @type {any} */ (made);
}

/** A number of things: "1 system", "2 systems". @param {number} count @param {string} noun */
export const counted = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;

export class Problem extends Error {
  /** @param {any} document @param {number} status */
  constructor(document, status) {
    const detail = document.detail || document.title || `The lab answered ${status}.`;
    super(detail.replace(/(?:\/settings\/|(?<=[\s(])--)([a-z][\w-]*)/g, (/** @type {string} */ _, /** @type {string} */ name) => `“${name.replace(/[_-]/g, " ")}”`).replace(/(?<=\s)\/metrics\b/g, "“Metric”")); // as the form calls it
    this.document = document;
    this.status = status;
  }
}

/** What the lab answers; a Problem if it refuses. @param {string} path @param {RequestInit} [options] */
export async function response(path, options) {
  const answer = await fetch(path, options).catch(() => { throw new Problem({ detail: "The lab does not answer; is it still running?" }, 0); });
  if (!answer.ok) throw new Problem(await answer.json().catch(() => ({})), answer.status);
  return answer;
}

/**
 * The JSON that the lab answers with; a Problem if it refuses.
 * @param {string} path @param {any} [body] @param {{method?: string}} [options]
 */
export async function request(path, body, options = {}) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  const text = await (await response(path, { ...sent, ...options })).text();
  const document = text ? JSON.parse(text) : {};
  if (document.refused) throw new Problem(document.refused, document.refused.status);
  return document;
}

/** What the lab answers about the collection. @param {string} path @param {any} body */
export const ask = (path, body) => request(path, { collection: state.collection.id, client, ...body });

/** A function that sends at most one request at a time, and always the newest. @param {(...given: any[]) => Promise<void>} work */
export function newest(work) {
  let running = false;
  /** @type {any[]|null} */ let waiting = null;
  return async function run(/** @type {any[]} */ ...given) {
    waiting = given;
    if (running) return;
    running = true;
    try {
      while (waiting) {
        const now = waiting;
        waiting = null;
        try { await work(...now); } catch (error) { if (!(error instanceof Problem)) throw error; showProblem(error); }
      }
    } finally { running = false; }
  };
}

/** @param {(...given: any[]) => void} work @param {number} wait */
export function debounced(work, wait) {
  let timer = 0;
  return (/** @type {any[]} */ ...given) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => work(...given), wait);
  };
}

/** @param {Error|null} error @param {string} [id] */
export function showProblem(error, id = "problem") {
  const place = byId(id);
  if (!place) return;
  if (error instanceof Problem && error.status === 409 && /newer/.test(error.message)) return;
  place.hidden = !error;
  place.textContent = error ? error.message : "";
}

/** Whether the collection has runs, as opposed to scores only. */
export const hasRuns = () => state.collection.files.some((/** @type {any} */ file) => file.role === "run");

/** Settings that take files of the collection, by the names of their arguments. @param {string[]} names */
export const readingSettings = (names) => Object.fromEntries(names.map((name) => [name, fileOf(name).id]));
/** The collection's file for an argument. @param {string} name */
export const fileOf = (name) => state.collection.files.find((/** @type {any} */ file) => file.role === name.replaceAll("_", "-"));

/** @param {string} text */
export const say = (text) => { byId("status").textContent = text; };

// The state of a page is in its address.
export const query = () => new URLSearchParams(location.search);
/** @param {Record<string, string|string[]|null>} changes @param {boolean} [isStep] whether the browser's Back undoes it */
export function remember(changes, isStep = false) {
  const now = query();
  for (const [name, value] of Object.entries(changes)) {
    now.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) if (each) now.append(name, each);
  }
  const text = now.toString();
  history[isStep ? "pushState" : "replaceState"](null, "", text ? `?${text}` : location.pathname);
}
addEventListener("popstate", () => location.reload());
export const chosenMetrics = () => query().getAll("metrics");

/** @param {number} value */
export const short = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));

// Every page: theme, collection, and times as the reader's clock shows them.
for (const time of document.querySelectorAll("time")) time.textContent = new Date(time.dateTime).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
byId("theme")?.addEventListener("click", () => {
  const root = document.documentElement;
  root.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem("irassay-theme", root.dataset.theme); } catch { /* no storage */ }
  redrawCharts();
});
byId("collection")?.addEventListener("change", (/** @type {any} */ event) => {
  location.href = `${location.pathname}?collection=${event.target.value}`;
});
