// What every page of the lab shares: state, requests, metrics, jobs and panels.
import { drawCharts, redrawCharts } from "./charts.js";

/** @typedef {{id: string, name: string, files: {id: string, role: string, name: string}[], notes: string[]}} Collection */
/** @typedef {{name: string, parameters: Record<string, any>, cutoff: number|null, metric: string, label: string, declaration: any}} Metric */

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

export class Problem extends Error {
  /** @param {any} document @param {number} status */
  constructor(document, status) {
    super(document.detail || document.title || `The lab answered ${status}.`);
    this.document = document;
    this.status = status;
  }
}

/**
 * The JSON that the lab answers with; a Problem if it refuses.
 * @param {string} path @param {any} [body] @param {{signal?: AbortSignal, method?: string}} [options]
 */
export async function request(path, body, options = {}) {
  const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "Content-Type": "application/json" } };
  let answer;
  try {
    answer = await fetch(path, { ...sent, ...options });
  } catch (error) {
    if (/** @type {any} */ (error).name === "AbortError") throw error;
    throw new Problem({ detail: "The lab does not answer; is it still running?" }, 0);
  }
  const text = await answer.text();
  const document = text ? JSON.parse(text) : {};
  if (!answer.ok) throw new Problem(document, answer.status);
  if (document.refused) throw new Problem(document.refused, document.refused.status);
  return document;
}

/** @param {string} path @param {any} body @param {AbortSignal} [signal] */
export const ask = (path, body, signal) => request(path, { collection: state.collection.id, client, ...body }, { signal });

/** A function that sends at most one request at a time, and always the newest. @param {(...given: any[]) => Promise<void>} work */
export function newest(work) {
  let running = false;
  /** @type {any[]|null} */ let waiting = null;
  return async function run(/** @type {any[]} */ ...given) {
    waiting = given;
    if (running) return;
    running = true;
    while (waiting) {
      const now = waiting;
      waiting = null;
      try { await work(...now); } catch (error) { if (!(error instanceof Problem)) throw error; showProblem(error); }
    }
    running = false;
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

/** @param {string} text */
export const say = (text) => { byId("status").textContent = text; };

// The state of a page is in its address.
export const query = () => new URLSearchParams(location.search);
/** @param {Record<string, string|string[]|null>} changes */
export function remember(changes) {
  const now = query();
  for (const [name, value] of Object.entries(changes)) {
    now.delete(name);
    for (const each of Array.isArray(value) ? value : [value]) if (each) now.append(name, each);
  }
  const text = now.toString();
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
}
/** @param {string} name */
export const chosenMetrics = (name = "metrics") => query().getAll(name);

// Metrics: a name with parameters and a cutoff.

/** @param {any} value */
function asParameter(value) {
  if (Array.isArray(value)) return `(${value.join(",")}${value.length === 1 ? "," : ""})`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? `'${value}'` : String(value);
}

/** A metric string from its parts; parameters with their default are left out. @param {Metric} metric */
export function metricString(metric) {
  const declared = metric.declaration?.parameters.properties || {};
  const given = Object.entries(metric.parameters)
    .filter(([name, value]) => name in declared && JSON.stringify(value) !== JSON.stringify(declared[name].default))
    .map(([name, value]) => `${name}=${asParameter(value)}`);
  return metric.name + (given.length ? `(${given.join(",")})` : "") + (metric.cutoff ? `@${metric.cutoff}` : "");
}

/** A metric for people: like its string, with every number that it declares as its own. @param {Metric} metric */
export function metricLabel(metric) {
  const declared = metric.declaration?.parameters.properties || {};
  const shown = Object.entries(metric.parameters)
    .filter(([name, value]) => name in declared && (isOwnNumber(name, declared[name]) || JSON.stringify(value) !== JSON.stringify(declared[name].default)))
    .map(([name, value]) => `${name}=${asParameter(value)}`);
  return metric.name + (shown.length ? `(${shown.join(",")})` : "") + (metric.cutoff ? `@${metric.cutoff}` : "");
}

/** Whether a parameter is a number that the metric itself declares, not one that all metrics share. @param {string} name @param {any} schema */
export const isOwnNumber = (name, schema) => ["number", "integer"].includes(plainSchema(schema).type) && schema.default !== null && !SHARED.includes(name);
const SHARED = ["rel", "beta", "max_grade", "horizon"];

/** @param {string} text @returns {Promise<Metric>} */
export const readMetric = (text) => request(`/lab/metric?m=${encodeURIComponent(text)}`);

/** The range of a slider: the domain's ends, or around the default if it has none. @param {any} schema @param {number} value */
export function sliderRange(schema, value) {
  const whole = schema.type === "integer";
  const usual = Math.max(4 * Math.abs(schema.default || 1), 1.25 * Math.abs(value || 0), whole ? 20 : 5);
  const low = Math.max(schema.minimum ?? schema.exclusiveMinimum ?? Math.min(0, -usual * Number(value < 0)), -usual);
  const end = schema.maximum ?? schema.exclusiveMaximum ?? Infinity;
  const high = end <= 4 * usual ? end : usual; // a wide domain would make a slider that cannot be set
  const step = whole ? 1 : (high - low) / 200;
  const inner = whole ? 1 : step;
  return {
    low: schema.exclusiveMinimum !== undefined ? low + inner : low,
    high: schema.exclusiveMaximum !== undefined && high === end ? high - inner : high,
    step, whole,
  };
}

/** @param {any} schema */
const plainSchema = (schema) => {
  if (!schema.anyOf) return { ...schema, words: schema.enum };
  const words = schema.anyOf.find((/** @type {any} */ each) => each.enum)?.enum;
  const other = schema.anyOf.find((/** @type {any} */ each) => each.type !== "null" && !each.enum) || schema.anyOf[0];
  const optional = schema.anyOf.some((/** @type {any} */ each) => each.type === "null");
  return { ...other, words, optional, default: schema.default, description: schema.description };
};

/** @param {number} value */
export const short = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));

/**
 * Sliders, number fields and menus for a metric, derived from its declaration.
 * @param {Metric} metric
 * @param {(parameter: string, released: boolean) => void} changed
 */
export function parameterFields(metric, changed) {
  const box = element("div", { class: "parameters" });
  const further = element("details", { class: "settings" }, element("summary", {}, "Gain, effort, aggregation and more"));
  const entries = Object.entries(metric.declaration?.parameters.properties || {});
  for (const [name, schema] of entries) {
    const field = parameterField(metric, name, plainSchema(schema), changed);
    (isOwnNumber(name, schema) ? box : further).append(field);
  }
  box.append(cutoffField(metric, changed));
  if (further.children.length > 1) box.append(further);
  return box;
}

/** @param {Metric} metric @param {string} name @param {any} schema @param {(p: string, r: boolean) => void} changed */
function parameterField(metric, name, schema, changed) {
  const value = metric.parameters[name];
  const set = (/** @type {any} */ now, /** @type {boolean} */ released) => { metric.parameters[name] = now; changed(name, released); };
  const hint = element("small", {}, schema.description || "");
  if (schema.type === "boolean") {
    const box = element("input", { type: "checkbox", "aria-label": name, checked: Boolean(value), change: () => set(box.checked, true) });
    return element("div", { class: "field" }, element("span", { class: "name" }, name), box, hint);
  }
  if (schema.words && schema.type !== "number" && schema.type !== "integer") {
    const shown = Array.isArray(value) ? `(${value.join(",")})` : value ?? "";
    if (schema.type === "string") {
      const menu = element("select", { "aria-label": name, change: () => set(menu.value || null, true) },
        ...(schema.optional || value === null ? [element("option", { value: "" }, "")] : []),
        ...schema.words.map((/** @type {string} */ word) => element("option", { selected: word === value }, word)));
      return element("div", { class: "field" }, element("span", { class: "name" }, name), menu, hint);
    }
    return textField(name, shown, schema, set, hint);
  }
  if (["number", "integer"].includes(schema.type) && typeof value === "number") return slider(name, value, schema, set, hint);
  return textField(name, Array.isArray(value) ? `(${value.join(",")})` : value ?? "", schema, set, hint);
}

/** @param {string} name @param {any} shown @param {any} schema @param {(v: any, r: boolean) => void} set @param {Node} hint */
function textField(name, shown, schema, set, hint) {
  const read = (/** @type {string} */ text) => {
    const plain = text.trim();
    if (!plain) return schema.default ?? null;
    if (/^[([]?[\d.,\s-]+[)\]]?$/.test(plain) && /[,(]/.test(plain)) return plain.replace(/[()[\]]/g, "").split(",").filter((part) => part.trim()).map(Number);
    return /^-?[\d.]+$/.test(plain) ? Number(plain) : plain;
  };
  const field = element("input", { type: "text", "aria-label": name, value: shown, placeholder: (schema.words || []).join(", "), change: () => set(read(field.value), true) });
  return element("div", { class: "field" }, element("span", { class: "name" }, name), field, hint);
}

/** @param {string} name @param {number} value @param {any} schema @param {(v: number, r: boolean) => void} set @param {Node} hint */
function slider(name, value, schema, set, hint) {
  const range = sliderRange(schema, value);
  const drag = element("input", { type: "range", "aria-label": name, min: range.low, max: range.high, step: range.whole ? 1 : "any", value });
  const number = element("input", { type: "number", "aria-label": `${name} value`, step: "any", value: short(value) });
  const now = () => (range.whole ? Math.round(drag.valueAsNumber) : Number(drag.valueAsNumber.toPrecision(4)));
  drag.addEventListener("input", () => { number.value = short(now()); set(now(), false); });
  drag.addEventListener("change", () => set(now(), true));
  number.addEventListener("change", () => { if (Number.isFinite(number.valueAsNumber)) { drag.value = number.value; set(number.valueAsNumber, true); } });
  return element("div", { class: "field slider" }, element("span", { class: "name" }, name), drag, number, hint);
}

/** @param {Metric} metric @param {(p: string, r: boolean) => void} changed */
function cutoffField(metric, changed) {
  const value = metric.cutoff || 10;
  const drag = element("input", { type: "range", "aria-label": "cutoff", min: 1, max: Math.max(100, value), step: 1, value, disabled: !metric.cutoff });
  const shown = element("input", { type: "number", "aria-label": "cutoff value", min: 1, step: 1, value, disabled: !metric.cutoff });
  const is = element("input", { type: "checkbox", "aria-label": "cut the list", checked: Boolean(metric.cutoff) });
  const set = (/** @type {boolean} */ released) => { metric.cutoff = is.checked ? Math.max(1, Math.round(drag.valueAsNumber)) : null; changed("cutoff", released); };
  is.addEventListener("change", () => { drag.disabled = shown.disabled = !is.checked; set(true); });
  drag.addEventListener("input", () => { shown.value = drag.value; set(false); });
  drag.addEventListener("change", () => set(true));
  shown.addEventListener("change", () => { drag.value = shown.value; set(true); });
  return element("div", { class: "field slider" }, element("label", { class: "name" }, is, " cutoff"), drag, shown, element("small", {}, "Only the first results count."));
}

/**
 * A field that suggests metrics: catalogue, aliases and users' own.
 * @param {string} id @param {(metric: string) => void} choose
 */
export function metricField(id, choose) {
  const field = byId(id), list = byId(`${id}-options`);
  if (!field) return;
  let at = -1;
  /** @type {{text: string, sentence: string}[]} */ let found = [];
  const close = () => { list.hidden = true; field.setAttribute("aria-expanded", "false"); field.removeAttribute("aria-activedescendant"); at = -1; };
  const take = (/** @type {string} */ text) => { field.value = ""; close(); choose(text); };
  const matches = (/** @type {string} */ text) => {
    const plain = text.toLowerCase().replace(/[(@].*$/, ""), rest = text.slice(plain.length);
    const scored = [];
    for (const metric of state.metrics) {
      const names = [metric.name, ...metric.aliases].map((/** @type {string} */ name) => name.toLowerCase());
      const rank = names.some((name) => name === plain) ? 0 : names[0].startsWith(plain) ? 1 : names.some((name) => name.startsWith(plain)) ? 2 : names.some((name) => name.includes(plain)) ? 3 : plain.length > 3 && metric.sentence.toLowerCase().includes(plain) ? 4 : 9;
      if (rank < 9) scored.push({ rank, text: metric.name + rest, sentence: metric.sentence });
    }
    return scored.sort((one, other) => one.rank - other.rank).slice(0, 12);
  };
  const show = () => {
    found = matches(field.value.trim());
    list.replaceChildren(...found.map((each, n) => element("li", {
      role: "option", id: `${id}-${n}`, "aria-selected": "false",
      mousedown: (/** @type {Event} */ event) => { event.preventDefault(); take(each.text); },
    }, element("b", {}, each.text), element("span", {}, each.sentence))));
    list.hidden = !found.length;
    field.setAttribute("aria-expanded", String(!list.hidden));
    at = -1;
  };
  const move = (/** @type {number} */ step) => {
    if (list.hidden) show();
    at = (at + step + found.length) % Math.max(1, found.length);
    [...list.children].forEach((option, n) => {
      option.setAttribute("aria-selected", String(n === at));
      if (n === at) option.scrollIntoView({ block: "nearest" });
    });
    field.setAttribute("aria-activedescendant", `${id}-${at}`);
  };
  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  field.addEventListener("click", show);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); move(event.key === "ArrowDown" ? 1 : -1); }
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && field.value.trim()) {
      event.preventDefault();
      const typed = field.value.trim();
      take(at >= 0 ? found[at].text : /[@(]/.test(typed) || !found.length ? typed : found[0].text);
    } else if (event.key === "Enter" && at >= 0) { event.preventDefault(); take(found[at].text); }
  });
}

/** Chips of the chosen metrics, each with a button that removes it. @param {any} box @param {string[]} metrics @param {(now: string[]) => void} changed */
export function metricChips(box, metrics, changed) {
  box.replaceChildren(...metrics.map((metric) => element("span", { class: "chip" }, metric, " ",
    element("button", { type: "button", class: "x", "aria-label": `Remove ${metric}`, click: () => changed(metrics.filter((each) => each !== metric)) }, "×"))));
}

// Jobs and their results.

/**
 * Follows a job to its end.
 * @param {any} job @param {(job: any) => void} tell
 */
export function followed(job, tell) {
  if (["done", "failed", "cancelled"].includes(job.state)) return Promise.resolve(job);
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/jobs/${job.id}/events`);
    events.onmessage = (event) => {
      const now = JSON.parse(event.data);
      tell(now);
      if (["done", "failed", "cancelled"].includes(now.state)) { events.close(); resolve(now); }
    };
    events.onerror = async () => {
      events.close();
      try { const now = await request(`/api/jobs/${job.id}`); ["done", "failed", "cancelled"].includes(now.state) ? resolve(now) : setTimeout(() => followed(now, tell).then(resolve, reject), 500); } catch (error) { reject(error); }
    };
  });
}

/** Runs a method as a job. @param {any} body @param {(job: any) => void} tell */
export async function runMethod(body, tell) {
  const job = await request("/lab/run", { collection: state.collection?.id, ...body });
  tell(job);
  const end = await followed(job, (now) => tell({ ...job, ...now }));
  if (end.state !== "done") throw new Problem(end.problem || { detail: end.detail }, 422);
  return { ...job, ...end };
}

/** Shows the result of a job: its view, the command and code for it, and what to take away. @param {any} place @param {string} id @param {boolean} [folded] whether tables and charts are behind a line */
export async function showResult(place, id, folded = false) {
  const panel = await request(`/lab/panel/${id}`);
  const body = element("div", { class: "panel-body" });
  body.innerHTML = panel.html; // written by the server's templates, which escape every name
  const exhibits = body.querySelector(".exhibits");
  const draw = () => drawCharts(body, panel.charts);
  if (folded && exhibits) {
    const fold = element("details", { class: "settings", toggle: () => fold.open && draw() }, element("summary", {}, "Tables and charts"));
    exhibits.replaceWith(fold);
    fold.append(exhibits);
  }
  const take = takeAway(id, Object.keys(panel.charts).length > 0);
  place.replaceChildren(element("section", { class: "panel", "aria-label": panel.title }, element("h2", {}, panel.title), take, body, sourceOf(panel)));
  sortable(body);
  if (!folded) await draw();
  say(`The result is ready: ${panel.title}.`);
}

/** @param {string} id @param {boolean} hasChart */
export function takeAway(id, hasChart) {
  const copy = (/** @type {string} */ label, /** @type {string} */ form) => element("button", { type: "button", class: "quiet", click: async (/** @type {any} */ event) => {
    const button = event.currentTarget;
    const answer = await fetch(`/api/jobs/${id}/result?format=${form}`);
    await copyText(await answer.text(), button);
  } }, `Copy as ${label}`);
  const download = (/** @type {string} */ label, /** @type {string} */ form) => element("button", { type: "button", class: "quiet", click: () => {
    const link = element("a", { href: `/api/jobs/${id}/result?format=${form}&download=1`, download: "" });
    document.body.append(link);
    link.click();
    link.remove();
  } }, `Download ${label}`);
  return element("p", { class: "take" }, copy("LaTeX", "latex"), copy("Markdown", "markdown"), copy("CSV", "csv"),
    ...(hasChart ? [download("PNG", "png"), download("SVG", "svg")] : []), download("JSON", "json"), download("HTML", "html"));
}

/** The command line and the Python code of a view. @param {{command: string, python: string}} texts */
export function sourceOf(texts) {
  const part = (/** @type {string} */ label, /** @type {string} */ text) => element("div", { class: "source" },
    element("div", { class: "caption" }, element("span", {}, label), element("button", { type: "button", class: "quiet", click: (/** @type {any} */ e) => copyText(text, e.currentTarget) }, "Copy")),
    element("pre", { tabindex: 0 }, text));
  return element("details", { class: "notes sources" }, element("summary", {}, "Command and code"), part("Command line", texts.command), part("Python", texts.python));
}

/** @param {string} text @param {any} button */
export async function copyText(text, button) {
  try { await navigator.clipboard.writeText(text); } catch {
    const hidden = element("textarea", {}, text);
    document.body.append(hidden);
    hidden.select();
    document.execCommand("copy");
    hidden.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  say("Copied.");
  setTimeout(() => { button.textContent = before; }, 1200);
}

/** Tables sort by the column that is clicked: numbers by size, what is missing last. @param {any} box */
export function sortable(box) {
  for (const button of box.querySelectorAll("thead th button")) button.addEventListener("click", () => {
    const head = button.closest("th"), table = head.closest("table");
    const place = [...head.parentNode.children].indexOf(head), numeric = head.classList.contains("n");
    const before = head.getAttribute("aria-sort");
    const up = before ? before !== "ascending" : !numeric;
    for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const words = new Intl.Collator("en", { numeric: true });
    const key = (/** @type {any} */ row) => { const text = row.cells[place].textContent.trim(); return numeric ? parseFloat(text.replace(/[,<]/g, "")) : text; };
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: key(row) }));
    rows.sort((a, b) => (numeric ? (Number.isNaN(a.key) ? 1 : Number.isNaN(b.key) ? -1 : up ? a.key - b.key : b.key - a.key) : (up ? 1 : -1) * words.compare(a.key, b.key)));
    table.tBodies[0].append(...rows.map((each) => each.row));
  });
}

// Every page: theme and collection.
byId("theme")?.addEventListener("click", () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("irassay-theme", root.dataset.theme); } catch { /* no storage */ }
  redrawCharts();
});
byId("collection")?.addEventListener("change", (/** @type {any} */ event) => {
  const page = location.pathname;
  location.href = `${page}?collection=${event.target.value}`;
});
