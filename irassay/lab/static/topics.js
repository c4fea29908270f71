// Topics: a heat map, the differences of two systems, and two rankings side by side.
import { isDark } from "./charts.js";
import { ask, byId, counted, element, fileOf, hasRuns, newest, query, readingSettings, remember, request, say, short, showProblem, state } from "./lab.js";
import { checkedMetric, metricField } from "./metric_fields.js";
import { runMethod, showPending, showResult, sourceOf, takeAway } from "./results.js";

let metric = query().get("metric") || ""; // the first of a score table, or nDCG@10
/** @type {any} */ let data = null;
const MOST_LISTED = 40, MOST_LETTERS = 300; // topics at each end; of a text in a ranking

const load = newest(async () => {
  data = await ask("/lab/topics", { metric });
  metric = data.metric;
  showProblem(null);
  byId("metric").value = data.metric;
  if (!hasRuns()) state.metrics = data.metrics.map((/** @type {string} */ name) => ({ name, aliases: [], sentence: "in the score tables" }));
  byId("size").textContent = `${data.metric}: ${counted(data.systems.length, "system")}, ${counted(data.topics.length, "topic")}`;
  const [first, second] = data.order.map((/** @type {number} */ s) => data.systems[s]);
  for (const [id, fallback] of [["a", first], ["b", second ?? first]]) {
    const chosen = query().get(id) || fallback;
    byId(id).replaceChildren(...[...data.systems].sort().map((name) => element("option", { selected: name === chosen }, name)));
  }
  show();
  result();
});

/** The colour of a share from 0 to 1, away from the page's ground, and the ink that can be read on it. @param {number} share */
function shades(share) {
  const ends = isDark() ? [[23, 24, 28], [126, 196, 245]] : [[255, 255, 255], [0, 64, 122]];
  const rgb = ends[0].map((from, n) => Math.round(from + (ends[1][n] - from) * share));
  const light = rgb.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  const luminance = 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
  return { ground: `rgb(${rgb.join(",")})`, ink: luminance > 0.179 ? "#000" : "#fff" }; // where both have a contrast of 4.6
}

/** @param {string} topic */
const link = (topic) => {
  const now = query();
  now.set("topic", topic);
  now.set("metric", metric);
  now.set("a", byId("a").value);
  now.set("b", byId("b").value);
  return element("a", { href: `?${now}`, click: (/** @type {any} */ event) => { if (event.ctrlKey || event.metaKey) return; event.preventDefault(); remember({ topic, metric, a: byId("a").value, b: byId("b").value }, true); rankings(); } }, topic);
};

function show() {
  const { systems, topics, order, values } = data;
  const [a, b] = chosenPair().map((name) => systems.indexOf(name));
  const known = values.flat().filter((/** @type {number|null} */ x) => x !== null);
  const low = Math.min(...known), span = Math.max(...known) - low || 1;
  const mean = (/** @type {(number|null)[]} */ row) => { const seen = row.filter((x) => x !== null); return seen.reduce((sum, x) => sum + x, 0) / Math.max(1, seen.length); };
  const rows = topics.map((/** @type {string} */ topic, /** @type {number} */ t) => ({ topic, row: values[t], mean: mean(values[t]), spread: Math.max(...values[t].map((/** @type {any} */ x) => x ?? low)) - Math.min(...values[t].map((/** @type {any} */ x) => x ?? low)) }));
  rows.sort((/** @type {any} */ one, /** @type {any} */ other) => (data.higher_is_better ? one.mean - other.mean : other.mean - one.mean));
  const some = (/** @type {any[]} */ chosen) => chosen.slice(0, 3).flatMap((each, n) => [n ? ", " : "", link(each.topic)]);
  byId("heat-hint").replaceChildren("Best systems at the left, hardest topics on top: ", ...some(rows), ". Most decisive, by the spread over systems: ",
    ...some([...rows].sort((x, y) => y.spread - x.spread)), ". The stronger the colour, the higher the score.");
  const cell = (/** @type {any} */ each, /** @type {number} */ s) => {
    const value = each.row[s], shown = element("td", { title: `${each.topic}, ${systems[s]}: ${value ?? "no score"}`, class: s === a || s === b ? "marked" : "" }, systems.length <= 24 && value !== null ? value.toFixed(2) : "");
    const share = value === null ? 0 : (value - low) / span;
    const { ground, ink } = shades(share);
    shown.style.background = value === null ? "transparent" : ground;
    shown.style.color = ink;
    return shown;
  };
  byId("heat").replaceChildren(
    element("caption", { class: "visually-hidden" }, `Scores by ${data.metric}, topics by systems`),
    element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "topic"), ...order.map((/** @type {number} */ s) => element("th", { scope: "col", class: "slanted" }, element("span", {}, systems[s]))))),
    element("tbody", {}, ...rows.map((/** @type {any} */ each) => element("tr", {}, element("th", { scope: "row" }, link(each.topic)), ...order.map((/** @type {number} */ s) => cell(each, s))))));
  byId("maps").style.setProperty("--systems", String(systems.length));
  byId("heat").classList.toggle("many", systems.length > 24);
  byId("maps").classList.toggle("stacked", systems.length > 60);
  differences(a, b);
}

/** Bars of the differences of two systems, largest first at both ends. @param {number} a @param {number} b */
function differences(a, b) {
  byId("difference-title").textContent = `${data.systems[a]} minus ${data.systems[b]}`;
  const rows = data.topics.map((/** @type {string} */ topic, /** @type {number} */ t) => ({ topic, gap: data.values[t][a] === null || data.values[t][b] === null ? null : data.values[t][a] - data.values[t][b] })).filter((/** @type {any} */ each) => each.gap !== null);
  rows.sort((/** @type {any} */ one, /** @type {any} */ other) => other.gap - one.gap);
  const most = Math.max(...rows.map((/** @type {any} */ each) => Math.abs(each.gap)), 1e-12);
  const shown = rows.length > MOST_LISTED * 2 ? [...rows.slice(0, MOST_LISTED), ...rows.slice(-MOST_LISTED)] : rows;
  byId("differences").replaceChildren(element("ol", {}, ...shown.map((/** @type {any} */ each) => {
    const bar = element("span", { class: each.gap >= 0 ? "ahead" : "behind" });
    bar.style.width = `${(50 * Math.abs(each.gap)) / most}%`;
    return element("li", {}, link(each.topic), element("span", { class: "both", "aria-hidden": "true" }, bar), element("span", { class: "value" }, (each.gap >= 0 ? "+" : "") + each.gap.toFixed(4)));
  })));
}

const chosenPair = () => [byId("a").value, byId("b").value];
/** A function that says whether a choice is what it was, so that an answer is still wanted. @param {() => string} choice */
function unchanged(choice) {
  const before = choice();
  return () => choice() === before;
}

/** What the method says about the two systems over topics, as a job. */
function result() {
  showPending(byId("result"), `Comparing ${chosenPair().join(" and ")} over topics …`);
  readResult();
}
const readResult = newest(async () => {
  const pair = chosenPair(), isWanted = unchanged(() => `${metric} ${chosenPair()}`);
  try {
    const done = await runMethod({ method: "topics", metrics: [metric], settings: { pair, ...readingSettings(data.reading) } }, () => {});
    await showResult(byId("result"), done.id, { folded: true, isWanted });
  } catch (error) { byId("result").replaceChildren(element("p", { class: "problem" }, /** @type {any} */ (error).message)); }
});

/** Two rankings of the chosen topic, with each rank's share and lines between the same documents. */
const rankings = newest(async () => {
  try { await readRankings(); } catch (error) { byId("pair-answer").textContent = /** @type {any} */ (error).message; }
});
async function readRankings() {
  const topic = query().get("topic"), box = byId("pair-of-rankings");
  box.hidden = !topic || !data;
  if (!topic || !data) return;
  if (!data.topics.includes(topic)) {
    box.hidden = true;
    showProblem(new Error(`There is no topic ${topic}; choose one below.`));
    return;
  }
  const names = chosenPair(), isWanted = unchanged(() => `${metric} ${chosenPair()} ${query().get("topic")}`);
  byId("pair-title").textContent = `Topic ${topic}: ${names[0]} and ${names[1]}`;
  byId("pair-answer").textContent = "Reading the two rankings …";
  byId("rankings").replaceChildren();
  byId("pair-away").replaceChildren();
  const done = await runMethod({ method: "topics", metrics: [metric], settings: { pair: names, topic, ...(fileOf("qrels").name.startsWith("irds:") ? { texts: true } : {}), ...readingSettings([...data.reading, ...(fileOf("documents") ? ["documents"] : [])]) } }, () => {});
  const document = await request(`/api/jobs/${done.id}/result`);
  if (!isWanted()) return;
  byId("pair-answer").textContent = document.sentences.join(" ");
  drawRankings(Array.isArray(document.results) ? document.results : Object.values(document.results)[0], names);
  byId("pair-away").replaceChildren(takeAway(done.id, true), sourceOf(/** @type {any} */ (done)));
  box.scrollIntoView({ behavior: "smooth", block: "start" });
  say(`Topic ${topic} is shown.`);
}

/** The whole text of a document. @param {string} name @param {string} text */
function showText(name, text) {
  byId("document-title").textContent = name;
  byId("document-text").textContent = text;
  byId("document").showModal();
}

const CELLS = ["rank", "doc", "grade", "gain", "weight", "track", "value", "moved"]; // of a result in a ranking

/** A result of a ranking: what it adds is its gain times its weight. @param {any} row @param {"A"|"B"} side @param {"A"|"B"} other @param {number} most */
function rankedItem(row, side, other, most) {
  const [name, grade, gain, text] = ["", " grade", " gain", " text"].map((what) => row[side + what]), adds = row[`${side} adds`] || 0;
  const at = row[`in ${other} at`], bar = element("span", { class: "bar" }), isJudged = grade !== null && grade !== undefined;
  bar.style.width = `${(100 * Math.abs(adds)) / most}%`;
  const cells = [String(row.rank), name || "", isJudged ? String(grade) : "–", gain === null || gain === undefined ? "–" : short(gain), gain ? (adds / gain).toFixed(4) : "–", bar, adds.toFixed(4), at ? String(at) : "–"];
  const words = `Rank ${cells[0]}: ${name}, ${isJudged ? `grade ${grade}` : "unjudged"}, gain ${cells[3]}, weight ${cells[4]}, adds ${cells[6]}, ${at ? `rank ${at} in ${other}` : `not in ${other}`}`;
  return element("li", { class: `grade-${Math.min(4, Math.max(0, Number(grade) || 0))}${name ? "" : " none"}`, "data-doc": name || "", "aria-label": words },
    ...cells.map((cell, n) => element("span", { class: CELLS[n], title: n === 1 ? name : null }, cell)),
    text ? element("button", { type: "button", class: "text", "aria-label": `Text of ${name}`, click: () => showText(name, text) }, text.slice(0, MOST_LETTERS)) : null);
}

/** @param {any[]} rows @param {string[]} names */
function drawRankings(rows, names) {
  const shown = rows.filter((row) => row.A || row.B).slice(0, 30);
  const most = Math.max(...shown.flatMap((row) => [Math.abs(row["A adds"] || 0), Math.abs(row["B adds"] || 0)]), 1e-12);
  const shares = Math.max(...shown.map((row) => Math.abs(row.share || 0)), 1e-12);
  const list = (/** @type {"A"|"B"} */ side, /** @type {string} */ name) => {
    const other = side === "A" ? "B" : "A";
    const head = ["", "document", "grade", "gain", "weight", "", "adds", `in ${other}`].map((word, n) => element("span", { class: n > 1 ? "value" : null }, word));
    return element("div", { class: "list" }, element("h3", {}, name), element("div", { class: "head", "aria-hidden": "true" }, ...head), element("ol", { "aria-label": `Ranking of ${name}` }, ...shown.map((row) => rankedItem(row, side, other, most))));
  };
  const share = element("div", { class: "list shares" }, element("h3", {}, "Share of the difference"), element("div", { class: "head", "aria-hidden": "true" }, element("span", { class: "value" }, "A minus B")), element("ol", { "aria-label": "Share of each rank" }, ...shown.map((row) => {
    const bar = element("span", { class: (row.share || 0) >= 0 ? "ahead" : "behind" });
    bar.style.width = `${(50 * Math.abs(row.share || 0)) / shares}%`;
    return element("li", {}, element("span", { class: "rank" }, String(row.rank)), element("span", { class: "both", "aria-hidden": "true" }, bar), element("span", { class: "value" }, `${(row.share || 0) >= 0 ? "+" : ""}${(row.share || 0).toFixed(4)}`));
  })));
  const links = element("svg:svg", { class: "links", "aria-hidden": "true" });
  const box = byId("rankings");
  box.classList.toggle("with-texts", shown.some((row) => row["A text"] || row["B text"]));
  box.replaceChildren(list("A", names[0]), links, list("B", names[1]), share);
  const [left, right] = box.querySelectorAll(".list ol");
  const draw = () => {
    const frame = links.getBoundingClientRect();
    links.replaceChildren(...[...left.children].flatMap((item) => {
      const same = item.dataset.doc && [...right.children].find((each) => each.dataset.doc === item.dataset.doc);
      if (!same || !frame.width) return [];
      const [from, to] = [item, same].map((each) => { const r = each.getBoundingClientRect(); return r.top + r.height / 2 - frame.top; });
      return [element("svg:path", { d: `M0,${from} C${frame.width / 2},${from} ${frame.width / 2},${to} ${frame.width},${to}`, class: from === to ? "" : "moved" })];
    }));
  };
  draw();
  new ResizeObserver(draw).observe(box);
}

if (byId("heat") && state.collection) {
  metricField("metric", (chosen) => checkedMetric(chosen).then(() => { metric = chosen; remember({ metric }); load().then(rankings); }, showProblem));
  for (const id of ["a", "b"]) byId(id).addEventListener("change", () => { remember({ a: byId("a").value, b: byId("b").value }); show(); result(); rankings(); });
  byId("metric").addEventListener("blur", () => { if (data) byId("metric").value = data.metric; });
  byId("close").addEventListener("click", () => byId("document").close());
  byId("theme").addEventListener("click", () => data && show());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => data && show());
  load().then(rankings);
}
