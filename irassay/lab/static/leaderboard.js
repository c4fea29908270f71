// The leaderboard: means with intervals, marks of significance, sorting, filtering and pinning.
import { ask, byId, chosenMetrics, element, hasRuns, newest, query, readingSettings, remember, say, showProblem, state } from "./lab.js";
import { metricChips, checkedMetric, metricField, metricString, parameterFields, readMetric } from "./metric_fields.js";
import { runMethod, sourceOf, takeAway } from "./results.js";

/** @typedef {{metric: string, means: (number|null)[], low: (number|null)[]|null, high: (number|null)[]|null, higher_is_better: boolean}} Column */
/** @type {string[]} */ let metrics = chosenMetrics();
/** @type {{systems: string[], topics: number, columns: Column[], reading: string[]}|null} */ let data = null;
/** @type {Map<string, string>} */ let marks = new Map(); // "metric system" to the mark
let sort = query().get("sort") || "", up = query().get("up") === "1", pinned = new Set(query().getAll("pin"));
let latest = 0;
const MANY = 40; // systems, beyond which they are compared by the metric of the sorted column only

const board = byId("board");
const digits = (/** @type {number|null} */ value) => (value === null ? "–" : value.toFixed(4));

const load = newest(async () => {
  if (!metrics.length) { data = null; show(); return; }
  const answer = await ask("/lab/leaderboard", { metrics });
  showProblem(null);
  data = answer;
  marks = new Map();
  if (sort !== "system" && !answer.columns.some((/** @type {Column} */ each) => each.metric === sort)) { sort = answer.columns[0].metric; up = !answer.columns[0].higher_is_better; }
  fillBaseline();
  show();
  compare();
});

/** The comparison of the systems, as a job: marks and the answer in a sentence. */
async function compare() {
  const mine = ++latest;
  const baseline = query().get("baseline") || "";
  byId("answer").textContent = "Comparing the systems …";
  try {
    const at = Math.max(0, data?.columns.findIndex((each) => each.metric === sort) ?? 0);
    const asked = (data?.systems.length || 0) > MANY ? [metrics[at]] : metrics; // all pairs by all metrics would take long
    const done = await runMethod({ method: "compare", metrics: asked, settings: { ...(baseline ? { baseline } : {}), ...readingSettings(data?.reading || []) } }, () => {});
    const document = await (await fetch(`/api/jobs/${done.id}/result`)).json();
    if (mine !== latest) return;
    marks = new Map();
    const { systems = [], pairs = [] } = document.results;
    if (baseline) for (const pair of pairs) {
      const other = pair.system === baseline ? pair.other : pair.system;
      const ahead = (pair.difference > 0) === (pair.system !== baseline);
      if (pair.significant === "yes") marks.set(`${pair.metric} ${other}`, ahead ? "▲" : "▼");
    } else for (const each of systems) if (each.group) marks.set(`${each.metric} ${each.system}`, each.group);
    byId("answer").textContent = document.sentences.slice(0, 2).join(" ");
    const bars = "Bars: 95% intervals of the means that hold for all systems together.";
    const by = asked.length < metrics.length ? ` by ${asked[0]}; sort by another metric to compare by it` : "";
    const test = `${document.parameters.test}, level ${document.parameters.alpha}`;
    const letters = marks.size ? `Systems that share a letter do not differ significantly (${test})${by}.` : "Choose a baseline to see which systems differ significantly from it.";
    byId("legend").textContent = baseline ? `▲ ▼: significantly above or below ${baseline} (${test})${by}. ${bars}` : `${letters} ${bars}`;
    byId("away").replaceChildren(takeAway(done.id, true), sourceOf(/** @type {any} */ (done)));
    show();
    say("The comparison is ready.");
  } catch (error) { if (mine === latest) byId("answer").textContent = /** @type {any} */ (error).message; }
}

function fillBaseline() {
  const menu = byId("baseline"), chosen = query().get("baseline") || "";
  menu.replaceChildren(element("option", { value: "" }, "none"), ...[...(data?.systems || [])].sort().map((name) => element("option", { selected: name === chosen }, name)));
}

/** An interval as a line with its mean as a dot. @param {Column} column @param {number} s @param {number[]} ends */
function intervalPicture(column, s, ends) {
  const mean = column.means[s], low = column.low?.[s], high = column.high?.[s];
  if (mean === null || low === null || low === undefined || high === null || high === undefined) return element("span");
  const at = (/** @type {number} */ x) => `${(100 * (x - ends[0])) / (ends[1] - ends[0] || 1)}%`;
  return element("svg:svg", { class: "interval-picture", "aria-hidden": "true", width: 130, height: 16 },
    element("svg:line", { class: "interval", x1: at(low), x2: at(high), y1: 8, y2: 8 }), element("svg:circle", { cx: at(mean), cy: 8, r: 4 }));
}

function show() {
  const head = board.tHead, body = board.tBodies[0];
  head.replaceChildren();
  body.replaceChildren();
  byId("size").textContent = data ? `${data.systems.length} systems, ${data.topics} topics` : "";
  if (!data) return;
  const { systems, columns } = data;
  const main = columns.find((each) => each.metric === sort) || columns[0];
  const order = (/** @type {Column} */ column) => systems.map((_, s) => s).sort((a, b) => (column.means[b] ?? -Infinity) - (column.means[a] ?? -Infinity));
  const byName = () => systems.map((_, s) => s).sort((a, b) => systems[b].localeCompare(systems[a], "en", { numeric: true }));
  let rows = sort === "system" ? byName() : order(main);
  if (up) rows.reverse();
  const place = new Map(order(main).map((s, n) => [s, n + 1]));
  const text = byId("search").value.toLowerCase();
  rows = rows.filter((s) => pinned.has(systems[s]) || systems[s].toLowerCase().includes(text));
  rows = [...rows.filter((s) => pinned.has(systems[s])), ...rows.filter((s) => !pinned.has(systems[s]))];
  const ends = [Math.min(...(main.low || []).filter((x) => x !== null)), Math.max(...(main.high || []).filter((x) => x !== null))];
  const heading = (/** @type {string} */ key, /** @type {string} */ label, /** @type {boolean} */ numeric) => element("th", { scope: "col", class: numeric ? "n" : "", "aria-sort": sort === key ? (up ? "ascending" : "descending") : null },
    element("button", { type: "button", click: () => { up = sort === key ? !up : key === "system"; sort = key; remember({ sort, up: up ? "1" : null }); show(); if (systems.length > MANY && key !== "system") compare(); } }, label));
  head.append(element("tr", {}, element("th", { scope: "col" }, element("span", { class: "visually-hidden" }, "Pin")), element("th", { scope: "col", class: "n" }, "#"), heading("system", "system", false),
    ...columns.map((each) => heading(each.metric, each.metric, true)), element("th", { scope: "col", class: "interval-head" }, `${main.metric}, 95% intervals`)));
  body.append(...rows.map((s) => {
    const name = systems[s], is = pinned.has(name);
    const pin = element("button", { type: "button", class: "pin", "aria-pressed": is, "aria-label": `Pin ${name}`, click: () => { is ? pinned.delete(name) : pinned.add(name); remember({ pin: [...pinned] }); show(); } }, is ? "★" : "☆");
    return element("tr", { class: is ? "pinned" : "" }, element("td", {}, pin), element("td", { class: "n soft" }, String(place.get(s))), element("th", { scope: "row" }, name),
      ...columns.map((each) => element("td", { class: "n" }, digits(each.means[s]), element("sup", {}, marks.get(`${each.metric} ${name}`) || ""))),
      element("td", {}, intervalPicture(main, s, ends)));
  }));
  if (!rows.length) body.append(element("tr", {}, element("td", { colspan: columns.length + 4, class: "soft" }, "No system has this in its name.")));
}

/** @param {string[]} now */
function setMetrics(now) {
  metrics = [...new Set(now)];
  remember({ metrics });
  metricChips(byId("chosen"), metrics, setMetrics);
  showParameters();
  load();
}

/** Parameters of the chosen metrics, behind one line each. */
async function showParameters() {
  const cards = [];
  for (const [n, text] of hasRuns() ? metrics.entries() : []) {
    try {
      const metric = await readMetric(text);
      const changed = (/** @type {string} */ _, /** @type {boolean} */ released) => {
        const before = metrics[n];
        metrics[n] = metricString(metric);
        if (sort === before) sort = metrics[n];
        remember({ metrics });
        metricChips(byId("chosen"), metrics, setMetrics);
        title.textContent = metrics[n];
        load();
      };
      const title = element("summary", {}, text);
      cards.push(element("details", { class: "user" }, title, parameterFields(metric, changed)));
    } catch (error) { showProblem(/** @type {any} */ (error)); }
  }
  byId("parameters").replaceChildren(...cards);
}

if (board && state.collection) {
  const isTable = !hasRuns();
  metricField("metric", (metric) => checkedMetric(metric).then(() => setMetrics([...metrics, metric]), showProblem));
  byId("baseline").addEventListener("change", (/** @type {any} */ event) => { remember({ baseline: event.target.value }); marks = new Map(); show(); compare(); });
  byId("search").value = query().get("search") || "";
  byId("search").addEventListener("input", () => { remember({ search: byId("search").value }); show(); });
  if (!metrics.length && !isTable) metrics = [...state.default_metrics];
  if (isTable && !metrics.length) {
    ask("/lab/leaderboard", { metrics: [] }).then((answer) => setMetrics(answer.columns.slice(0, 4).map((/** @type {Column} */ each) => each.metric)), showProblem);
  } else setMetrics(metrics);
}
