// The leaderboard: means with intervals, marks of significance, sorting, filtering and pinning.
import { ask, byId, chosenMetrics, counted, element, hasRuns, newest, query, readingSettings, remember, request, say, short, showProblem, state } from "./lab.js";
import { checkedMetric, firstOwnNumber, metricChips, metricField, metricString, parameterFields, readMetric } from "./metric_fields.js";
import { niceTicks } from "./plot.js";
import { runMethod, sourceOf, takeAway } from "./results.js";

/** @typedef {{metric: string, means: (number|null)[], low: (number|null)[]|null, high: (number|null)[]|null, higher_is_better: boolean}} Column */
/** @type {string[]} */ let metrics = chosenMetrics();
/** @type {{systems: string[], topics: number, columns: Column[], reading: string[]}|null} */ let data = null;
/** @type {Map<string, string>} */ let marks = new Map(); // "metric system" to the mark
let sort = query().get("sort") || "", up = query().get("up") === "1", pinned = new Set(query().getAll("pin"));
let latest = 0, opened = -1; // the metric whose parameters are shown
const MANY = 40; // systems, beyond which they are compared by the metric of the sorted column only

const board = byId("board");
const digits = (/** @type {number|null} */ value) => (value === null ? "–" : value.toFixed(4));

const load = newest(async (/** @type {boolean} */ isMoving = false) => {
  latest += 1; // what is being compared is no longer shown
  byId("legend").textContent = "";
  byId("away").replaceChildren();
  if (!metrics.length) { data = null; show(); byId("answer").textContent = "Choose a metric."; return; }
  const answer = await ask("/lab/leaderboard", { metrics });
  showProblem(null);
  data = answer;
  marks = new Map();
  if (sort !== "system" && !answer.columns.some((/** @type {Column} */ each) => each.metric === sort)) { sort = answer.columns[0].metric; up = !answer.columns[0].higher_is_better; }
  fillBaseline();
  show();
  if (!isMoving) compare();
});

/** The comparison of the systems, as a job: marks and the answer in a sentence. */
async function compare() {
  const mine = ++latest;
  const baseline = query().get("baseline") || "";
  if (data?.systems.length === 1) { // there is nothing to compare it with
    byId("answer").textContent = byId("legend").textContent = "";
    return;
  }
  byId("answer").textContent = "Comparing the systems …";
  try {
    const at = Math.max(0, data?.columns.findIndex((each) => each.metric === sort) ?? 0);
    const asked = (data?.systems.length || 0) > MANY ? [metrics[at]] : metrics; // all pairs by all metrics would take long
    const done = await runMethod({ method: "compare", metrics: asked, settings: { ...(baseline ? { baseline } : {}), ...readingSettings(data?.reading || []) } }, () => {});
    const document = await request(`/api/jobs/${done.id}/result`);
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
    const test = `level ${document.parameters.alpha}`;
    const letters = marks.size ? `Systems that share a letter do not differ significantly (${test})${by}.` : "Choose a baseline to see which systems differ significantly from it.";
    byId("legend").replaceChildren(baseline ? `▲ ▼: significantly above or below ${baseline} (${test})${by}.` : letters, " ", element("span", { class: "of-intervals" }, bars));
    byId("away").replaceChildren(takeAway(done.id, true), sourceOf(/** @type {any} */ (done)));
    show();
    say("The comparison is ready.");
  } catch (error) { if (mine === latest) byId("answer").textContent = /** @type {any} */ (error).message; }
}

function fillBaseline() {
  const menu = byId("baseline"), chosen = query().get("baseline") || "";
  menu.replaceChildren(element("option", { value: "" }, "none"), ...[...(data?.systems || [])].sort().map((name) => element("option", { selected: name === chosen }, name)));
}

/** An interval as a line with its mean as a dot, over the ticks of the scale. @param {Column} column @param {number} s @param {(x: number) => string} at @param {number[]} ticks */
function intervalPicture(column, s, at, ticks) {
  const mean = column.means[s], low = column.low?.[s], high = column.high?.[s];
  if (mean === null || low === null || low === undefined || high === null || high === undefined) return element("span");
  return element("svg:svg", { class: "interval-picture", "aria-hidden": "true", width: 130, height: 16 },
    ...ticks.map((tick) => element("svg:line", { class: "tick", x1: at(tick), x2: at(tick), y1: -8, y2: 24 })),
    element("svg:line", { class: "interval", x1: at(low), x2: at(high), y1: 8, y2: 8 }), element("svg:circle", { cx: at(mean), cy: 8, r: 4 }));
}

function show() {
  const head = board.tHead, body = board.tBodies[0];
  head.replaceChildren();
  body.replaceChildren();
  byId("size").textContent = data ? `${counted(data.systems.length, "system")}, ${counted(data.topics, "topic")}` : "";
  if (!data) return;
  const { systems, columns } = data;
  const main = columns.find((each) => each.metric === sort) || columns[0];
  const order = (/** @type {Column} */ column) => systems.map((_, s) => s).sort((a, b) => (column.means[b] ?? -Infinity) - (column.means[a] ?? -Infinity));
  const byName = () => systems.map((_, s) => s).sort((a, b) => systems[b].localeCompare(systems[a], "en", { numeric: true }));
  let rows = sort === "system" ? byName() : order(main);
  if (up) rows.reverse();
  const place = new Map(order(main).map((s, n) => [s, n + 1]));
  board.style.setProperty("--name", `${Math.max(...systems.map((name) => name.length))}ch`);
  const text = byId("search").value.toLowerCase();
  rows = rows.filter((s) => pinned.has(systems[s]) || systems[s].toLowerCase().includes(text));
  rows = [...rows.filter((s) => pinned.has(systems[s])), ...rows.filter((s) => !pinned.has(systems[s]))];
  const ends = [Math.min(...(main.low || []).filter((x) => x !== null)), Math.max(...(main.high || []).filter((x) => x !== null))];
  const at = (/** @type {number} */ x) => `${(100 * (x - ends[0])) / (ends[1] - ends[0] || 1)}%`;
  const ticks = ends[1] > ends[0] && Number.isFinite(ends[1] - ends[0]) ? niceTicks(ends[0], ends[1], 5) : [];
  const room = columns.map((each) => Math.max(...systems.map((name) => (marks.get(`${each.metric} ${name}`) || "").length)));
  const heading = (/** @type {string} */ key, /** @type {string} */ label, /** @type {number|null} */ marked = null) => element("th", { scope: "col", class: marked === null ? "" : "n", style: marked ? `padding-right:${marked * 0.7 + 1}ch` : null, "aria-sort": sort === key ? (up ? "ascending" : "descending") : null },
    element("button", { type: "button", click: () => { up = sort === key ? !up : key === "system"; sort = key; remember({ sort, up: up ? "1" : null }); show(); if (systems.length > MANY && key !== "system") compare(); } }, label));
  head.append(element("tr", {}, element("th", { scope: "col" }, element("span", { class: "visually-hidden" }, "Pin")), element("th", { scope: "col", class: "n" }, "#"), heading("system", "system"),
    ...columns.map((each, n) => heading(each.metric, each.metric, room[n])), element("th", { scope: "col", class: "interval-head" }, `${main.metric}, 95% intervals`,
      element("svg:svg", { class: "interval-picture", "aria-hidden": "true", width: 130, height: 13 }, ...ticks.map((tick) => element("svg:text", { x: at(tick), y: 10, "text-anchor": "middle" }, short(tick)))))));
  body.append(...rows.map((s) => {
    const name = systems[s], is = pinned.has(name);
    const pin = element("button", { type: "button", class: "pin", "aria-pressed": is, "aria-label": `Pin ${name}`, click: () => { is ? pinned.delete(name) : pinned.add(name); remember({ pin: [...pinned] }); show(); } }, is ? "★" : "☆");
    return element("tr", { class: is ? "pinned" : "" }, element("td", {}, pin), element("td", { class: "n soft" }, String(place.get(s))), element("th", { scope: "row" }, name),
      ...columns.map((each, n) => element("td", { class: "n" }, digits(each.means[s]), element("sup", { style: `min-width:${room[n] * 0.85}ch` }, marks.get(`${each.metric} ${name}`) || ""))),
      element("td", {}, intervalPicture(main, s, at, ticks)));
  }));
  if (!rows.length) body.append(element("tr", {}, element("td", { colspan: columns.length + 4, class: "soft" }, "No system has this in its name.")));
}

/** @param {string[]} now @param {boolean} [isAdded] whether the last one is new, so that its parameters are shown */
function setMetrics(now, isAdded = false) {
  metrics = [...new Set(now)];
  opened = isAdded ? metrics.length - 1 : -1;
  remember({ metrics });
  showParameters();
  load();
}

/** The chips of the metrics, and the parameters of the one that is opened. */
async function showParameters() {
  const toggle = (/** @type {number} */ n) => { opened = opened === n ? -1 : n; showParameters(); };
  const chips = () => metricChips(byId("chosen"), metrics, (kept) => setMetrics(kept), hasRuns() ? { at: opened, toggle } : undefined);
  const box = byId("parameters"), n = opened;
  chips();
  box.hidden = n < 0 || !hasRuns();
  if (box.hidden) return;
  try {
    const metric = await readMetric(metrics[n]);
    if (n !== opened) return;
    box.replaceChildren(parameterFields(metric, (_, isReleased) => {
      const before = data?.columns[n]?.metric;
      metrics[n] = metricString(metric);
      if (sort === before) sort = "";
      remember({ metrics });
      chips();
      load(!isReleased);
    }));
  } catch (error) { showProblem(/** @type {any} */ (error)); }
}

/** Shows the parameters of the last metric that has a number of its own to move. */
async function openOne() {
  for (let n = metrics.length - 1; n >= 0; n -= 1) {
    const metric = await readMetric(metrics[n]).catch(() => null);
    if (metric && firstOwnNumber(metric)) { opened = n; showParameters(); return; }
  }
}

if (board && state.collection) {
  const isTable = !hasRuns();
  metricField("metric", (metric) => checkedMetric(metric).then(() => setMetrics([...metrics, metric], true), showProblem));
  byId("baseline").addEventListener("change", (/** @type {any} */ event) => { remember({ baseline: event.target.value }); marks = new Map(); show(); compare(); });
  byId("search").value = query().get("search") || "";
  byId("search").addEventListener("input", () => { remember({ search: byId("search").value }); show(); });
  if (isTable) {
    ask("/lab/leaderboard", { metrics: [] }).then((answer) => {
      const names = answer.columns.map((/** @type {Column} */ each) => each.metric);
      state.metrics = names.map((/** @type {string} */ name) => ({ name, aliases: [], sentence: "in the score tables" }));
      setMetrics(metrics.length ? metrics : names.slice(0, 4));
    }, showProblem);
  } else {
    setMetrics(metrics.length ? metrics : [...state.default_metrics]);
    if (matchMedia("(min-width: 800px)").matches) openOne();
  }
}
