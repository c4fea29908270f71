// Metrics on a page: their strings, fields for their parameters, and the field that suggests metrics.
import { byId, element, hasRuns, request, short, state } from "./lab.js";

/** @typedef {{name: string, parameters: Record<string, any>, cutoff: number|null, metric: string, label: string, declaration: any, own: string[]}} Metric */
/** @param {any} value */
function asParameter(value) {
  if (Array.isArray(value)) return `(${value.join(",")}${value.length === 1 ? "," : ""})`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? `'${value}'` : String(value);
}

/** A metric with those of its parameters that are to be named. @param {Metric} metric @param {(name: string) => boolean} isNamed */
function spelled(metric, isNamed) {
  const named = Object.entries(metric.parameters).filter(([name]) => name in declared(metric) && isNamed(name)).map(([name, value]) => `${name}=${asParameter(value)}`);
  return metric.name + (named.length ? `(${named.join(",")})` : "") + (metric.cutoff ? `@${metric.cutoff}` : "");
}
/** @param {Metric} metric @returns {Record<string, any>} the JSON Schema of each parameter */
const declared = (metric) => metric.declaration?.parameters.properties || {};
/** @param {Metric} metric @param {string} name */
const differs = (metric, name) => JSON.stringify(metric.parameters[name]) !== JSON.stringify(declared(metric)[name].default);

/** A metric string from its parts; parameters with their default are left out. @param {Metric} metric */
export const metricString = (metric) => spelled(metric, (name) => differs(metric, name));

/** A metric for people: like its string, with every number that it declares as its own. @param {Metric} metric */
export const metricLabel = (metric) => spelled(metric, (name) => isOwnNumber(metric, name) || differs(metric, name));

/** Whether a parameter is a number that the metric itself declares, not one that all metrics share. @param {Metric} metric @param {string} name */
function isOwnNumber(metric, name) {
  const schema = declared(metric)[name];
  return metric.own.includes(name) && ["number", "integer"].includes(plainSchema(schema).type) && schema.default !== null;
}
/** Whether a parameter is a word or a flag that the metric itself declares. @param {Metric} metric @param {string} name */
function isOwnChoice(metric, name) {
  const schema = plainSchema(declared(metric)[name]);
  return metric.own.includes(name) && (schema.type === "boolean" || (schema.type === "string" && Boolean(schema.words)));
}
/** The first number that a metric declares as its own. @param {Metric} metric */
export const firstOwnNumber = (metric) => Object.keys(declared(metric)).find((name) => isOwnNumber(metric, name));

/** @param {string} text @returns {Promise<Metric>} */
export const readMetric = (text) => request(`/lab/metric?m=${encodeURIComponent(text)}`);

/** A Problem if there is no such metric; score tables may have any. @param {string} text */
export const checkedMetric = async (text) => { if (!state.collection || hasRuns()) await readMetric(text); };

/** The smallest of 1, 2, 5, 10, … that is not below a width. @param {number} width */
function roundStep(width) {
  const power = 10 ** Math.floor(Math.log10(width));
  return [1, 2, 5, 10].map((each) => each * power).find((each) => each >= width) || width;
}

/** The range of a slider: the domain's ends, or around the default if it has none; it takes round steps. @param {any} schema @param {number} value */
export function sliderRange(schema, value) {
  const whole = schema.type === "integer";
  const usual = Math.max(4 * Math.abs(schema.default || 1), 1.25 * Math.abs(value || 0), whole ? 20 : 5);
  const low = Math.max(schema.minimum ?? schema.exclusiveMinimum ?? Math.min(0, -usual * Number(value < 0)), -usual);
  const end = schema.maximum ?? schema.exclusiveMaximum ?? Infinity;
  const high = end <= 4 * usual ? end : usual; // a wide domain would make a slider that cannot be set
  const step = whole ? 1 : roundStep((high - low) / 200);
  const rounded = (/** @type {number} */ x) => Number((x * step).toPrecision(6));
  const least = rounded(Math.ceil(low / step - 1e-9)), most = rounded(Math.floor(high / step + 1e-9));
  return {
    low: schema.exclusiveMinimum !== undefined && least === low ? least + step : least,
    high: schema.exclusiveMaximum !== undefined && most === end ? most - step : most,
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

/**
 * Sliders, number fields and menus for a metric, derived from its declaration.
 * @param {Metric} metric
 * @param {(parameter: string, released: boolean) => void} changed
 */
export function parameterFields(metric, changed) {
  const box = element("div", { class: "parameters" });
  const further = element("details", { class: "settings" }, element("summary", {}, "Gain, effort, aggregation and more"));
  for (const [name, schema] of Object.entries(declared(metric))) {
    const field = parameterField(metric, name, plainSchema(schema), changed);
    (isOwnNumber(metric, name) || isOwnChoice(metric, name) ? box : further).append(field);
  }
  box.append(cutoffField(metric, changed));
  if (further.children.length > 1) box.append(further);
  return box;
}

/** @param {Metric} metric @param {string} name @param {any} schema @param {(p: string, r: boolean) => void} changed */
function parameterField(metric, name, schema, changed) {
  const value = metric.parameters[name];
  const set = (/** @type {any} */ now, /** @type {boolean} */ released) => { metric.parameters[name] = now; changed(name, released); };
  const hint = element("small", {}, (schema.description || "").replaceAll("`", ""));
  if (schema.type === "boolean") {
    const box = element("input", { type: "checkbox", "aria-label": name, checked: Boolean(value), change: () => set(box.checked, true) });
    return element("div", { class: "field" }, element("span", { class: "name" }, name), box, hint);
  }
  if (["number", "integer"].includes(schema.type) && typeof value === "number") return slider(name, value, schema, set, hint);
  const shown = Array.isArray(value) ? `(${value.join(",")})` : value ?? "";
  const text = element("input", { type: "text", "aria-label": schema.words ? `${name} value` : name, value: shown, change: () => set(typedValue(text.value, schema), true) });
  if (!schema.words) return element("div", { class: "field" }, element("span", { class: "name" }, name), text, hint);
  const isWord = value === null || schema.words.includes(value), takesOther = schema.type !== "string";
  const menu = element("select", { "aria-label": name, change: () => {
    text.hidden = menu.value !== OTHER;
    text.hidden ? set(menu.value || null, true) : text.focus();
  } }, ...(schema.optional || value === null ? [element("option", { value: "" }, "")] : []),
    ...schema.words.map((/** @type {string} */ word) => element("option", { selected: word === value }, word)),
    ...(takesOther ? [element("option", { selected: !isWord }, OTHER)] : []));
  text.hidden = isWord;
  if (isWord) text.value = "";
  return element("div", { class: "field" }, element("span", { class: "name" }, name), menu, takesOther ? text : null, hint);
}
const OTHER = "other …"; // of a menu: a value that has to be typed

/** The value that a text stands for. @param {string} text @param {any} schema */
function typedValue(text, schema) {
  const plain = text.trim();
  if (!plain) return schema.default ?? null;
  if (/^[([]?[\d.,\s-]+[)\]]?$/.test(plain) && /[,(]/.test(plain)) return plain.replace(/[()[\]]/g, "").split(",").filter((part) => part.trim()).map(Number);
  return /^-?[\d.]+$/.test(plain) ? Number(plain) : plain;
}

/** @param {string} name @param {number} value @param {any} schema @param {(v: number, r: boolean) => void} set @param {Node} hint */
function slider(name, value, schema, set, hint) {
  const range = sliderRange(schema, value);
  const drag = element("input", { type: "range", "aria-label": name, min: range.low, max: range.high, step: range.step, value });
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
    const bare = (/** @type {string} */ name) => name.toLowerCase().replace(/[\s_-]/g, "");
    const typed = text.replace(/[(@].*$/, ""), rest = text.slice(typed.length), plain = bare(typed);
    const scored = [];
    for (const metric of state.metrics) {
      const names = [metric.name, ...metric.aliases].map(bare);
      const isTyped = [metric.name, ...metric.aliases].includes(typed); // SDCG and sDCG differ
      const rank = isTyped ? -1 : names.some((name) => name === plain) ? 0 : names[0].startsWith(plain) ? 1 : names.some((name) => name.startsWith(plain)) ? 2 : names.some((name) => name.includes(plain)) ? 3 : typed.length > 3 && metric.sentence.toLowerCase().includes(typed.toLowerCase()) ? 4 : 9;
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
  field.addEventListener("focus", () => { field.select(); show(); });
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

/**
 * Chips of the chosen metrics, each with a button that removes it and, if `open` is given, one that shows its parameters.
 * @param {any} box @param {string[]} metrics @param {(now: string[]) => void} changed
 * @param {{at: number, toggle: (n: number) => void}} [open]
 */
export function metricChips(box, metrics, changed, open) {
  box.replaceChildren(...metrics.map((metric, n) => element("span", { class: open?.at === n ? "chip opened" : "chip" },
    open ? element("button", { type: "button", class: "parameters-of", "aria-expanded": open.at === n, "aria-label": `Parameters of ${metric}`, click: () => open.toggle(n) }, metric) : metric, " ",
    element("button", { type: "button", class: "x", "aria-label": `Remove ${metric}`, click: () => changed(metrics.filter((each) => each !== metric)) }, "×"))));
}
