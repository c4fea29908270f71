// The user-model bench: users are moved, and curves, leaderboard and verdict move with them.
import { startEditor } from "./editor.js";
import { exampleRanking } from "./example_ranking.js";
import { Problem, ask, byId, chosenMetrics, counted, debounced, element, newest, query, readingSettings, remember, request, showProblem, state } from "./lab.js";
import { firstOwnNumber, metricField, metricLabel, metricString, parameterFields, readMetric, sliderRange } from "./metric_fields.js";
import { runMethod, sourceOf, takeAway } from "./results.js";
import { bumpPicture, colour, curvePicture, niceTicks } from "./plot.js";

/** @typedef {import("./metric_fields.js").Metric} Metric */
const RANKS = 20, MOST_STEPS = 13;
/** @type {Metric[]} */ const users = [];
/** @type {any} */ let last = null;
/** @type {any} */ let released = null;
/** @type {number[]} */ const ranking = (query().get("ranking") || "2,0,1,0,0,1,0,2,0,0").split(",").map(Number).map((grade) => Math.min(9, Math.max(0, grade || 0))).slice(0, 30);
let moved = { user: 0, parameter: "" };
/** @type {((users: any[]) => void)|null} */ let showEarnings = null; // once there is an answer to show
const pictures = { C: curvePicture("C(i)", "goes on after rank i"), W: curvePicture("W(i)", "share of attention"), L: curvePicture("L(i)", "stops at rank i") };

const strings = () => users.map(metricString);
/** The chosen system; before the menus are filled, that of the address. @param {"a"|"b"} id */
const chosenSystem = (id) => byId(id).value || query().get(id) || "";
const store = () => remember({ metrics: strings(), ranking: ranking.join(","), a: chosenSystem("a"), b: chosenSystem("b") });

const move = newest(async () => {
  if (!users.length) return;
  const labels = users.map(metricLabel), bench = /** @type {any} */ (document.querySelector(".bench"));
  const refused = (/** @type {Error} */ error) => { bench.classList.add("outdated"); throw error; }; // what is shown is not of these users
  const answer = await ask("/lab/bench", { metrics: strings(), settings: { ranks: RANKS, ranking: ranking.join(",") } }).catch(refused);
  bench.classList.remove("outdated");
  last = { ...answer, labels };
  showProblem(null);
  show();
  showSourceSoon();
});

const release = newest(async () => {
  if (!users.length) return;
  const user = (moved.parameter && users[moved.user]) || users.find((each, n) => someNumber(each) && !last?.users[n]?.problem) || users[0];
  const metrics = strings(), labels = users.map(metricLabel);
  const parameter = isNumber(user, moved.parameter) ? moved.parameter : someNumber(user);
  const pair = [chosenSystem("a"), chosenSystem("b")].filter(Boolean);
  const body = { metrics, metric: metricString(user), ...(parameter ? { parameter, values: steps(user, parameter) } : {}), ...(pair.length === 2 ? { pair } : {}) };
  released = { ...(await ask("/lab/release", body)), user: users.indexOf(user), metrics, labels };
  showReleased();
  showSourceSoon();
  store();
});
/** A parameter that is a number; '' if there is none. @param {Metric} user */
const someNumber = (user) => firstOwnNumber(user) || (user.cutoff ? "cutoff" : "");
const settle = debounced(() => release(), 120);

/** Values of a parameter for the chart of ranks: round ones over its slider, more towards an open end, and its own. @param {Metric} user @param {string} parameter */
function steps(user, parameter) {
  const value = parameter === "cutoff" ? user.cutoff || 10 : user.parameters[parameter];
  const schema = parameter === "cutoff" ? { type: "integer", minimum: 1, maximum: Math.max(30, value) } : user.declaration.parameters.properties[parameter];
  const { low, high, whole } = sliderRange(schema, value), span = high - low;
  const ends = schema.exclusiveMaximum === undefined ? [high] : [schema.exclusiveMaximum - span / 20, schema.exclusiveMaximum - span / 100].filter((x) => x < high);
  const found = [value, ...niceTicks(low, high, 9), ...ends, low].map((x) => (whole ? Math.round(x) : Number(x.toPrecision(4)))).filter((x) => x >= low && (x <= high || x === value));
  return [...new Set(found)].slice(0, MOST_STEPS).sort((one, other) => one - other);
}

function show() {
  const systems = last.systems;
  byId("size").textContent = `${counted(systems.length, "system")}, ${counted(last.topics.length, "topic")}`;
  fillPair(systems);
  for (const name of /** @type {("C"|"W"|"L")[]} */ (["C", "W", "L"])) pictures[name].draw(last.users.map((/** @type {any} */ user, /** @type {number} */ n) => ({ values: user.curves?.[name] || [], colour: colour(n) })));
  last.users.forEach((/** @type {any} */ user, /** @type {number} */ n) => {
    const place = document.querySelector(`#users > :nth-child(${n + 1}) .facts`);
    if (!place) return;
    const isKnown = (/** @type {any} */ number) => number !== null && number !== undefined;
    const facts = [isKnown(user.expected_depth) ? `expects to read ${user.expected_depth.toFixed(2)} results` : "", isKnown(user.score) ? `example scores ${user.score.toFixed(4)}` : ""];
    if (user.problem) { place.replaceChildren(element("span", { class: "problem" }, problemText(user))); return; }
    place.replaceChildren(...(user.curves ? facts.filter(Boolean) : [user.why_no_curves]).flatMap((fact) => [element("span", {}, fact), " "]));
  });
  showBoard();
  showVerdict();
  showEarnings ??= exampleRanking(byId("ranking"), ranking, () => last.max_grade || 0, () => { store(); move(); });
  showEarnings(last.users);
  if (released?.bump) showBump();
}

/** Why a user has no scores, as the page says it. @param {any} user */
const problemText = (user) => new Problem({ detail: user.problem }, 422).message;
/** The first user with scores. */
const leading = () => last.users.find((/** @type {any} */ user) => !user.problem);
/** The users with scores, as metrics. */
const scoredStrings = () => strings().filter((_, n) => !last.users[n]?.problem);

/** @param {string[]} systems */
function fillPair(systems) {
  if (byId("a").options.length === systems.length) return;
  const { order } = leading();
  const chosen = { a: query().get("a") || systems[order[0]], b: query().get("b") || systems[order[1] ?? order[0]] };
  for (const id of /** @type {("a"|"b")[]} */ (["a", "b"])) byId(id).replaceChildren(...[...systems].sort().map((name) => element("option", { selected: name === chosen[id] }, name)));
}

/** Bars of the means, best first for each user; once a slider is released, with intervals and marks. */
function showBoard() {
  const board = byId("board"), marked = [byId("a").value, byId("b").value];
  const before = new Map(leading().order.map((/** @type {number} */ s, /** @type {number} */ rank) => [s, rank]));
  const columns = last.users.map((/** @type {any} */ user, /** @type {number} */ n) => {
    if (user.problem) return null;
    const label = last.labels[n], ends = last.labels[n] === released?.labels[n] ? released.users[n] : null;
    const known = (/** @type {(number|null)[]} */ values) => values.map((value) => Math.abs(value ?? 0));
    const most = Math.max(1e-12, ...known(user.means).map((mean) => 1.25 * mean), ...known(ends?.high || []));
    const rows = user.order.slice(0, 200).map((/** @type {number} */ s, /** @type {number} */ rank) => {
      const name = last.systems[s], shift = user !== leading() ? before.get(s) - rank : 0, mark = ends?.marks?.[s] || "";
      const bar = element("span", { class: "bar" });
      bar.style.width = `${Math.max(0, (100 * (user.means[s] ?? 0)) / most)}%`;
      bar.style.background = marked.includes(name) ? colour(marked.indexOf(name)) : "";
      return element("li", { class: marked.includes(name) ? "marked" : "" }, element("span", { class: "name", title: name }, name),
        element("span", { class: "track", "aria-hidden": "true" }, bar, intervalLine(ends, s, most)),
        element("span", { class: "shift", title: shift ? `${Math.abs(shift)} ${shift > 0 ? "up" : "down"}` : null }, shift ? `${shift > 0 ? "↑" : "↓"}${Math.abs(shift)}` : ""),
        element("span", { class: "value" }, user.means[s] === null ? "–" : user.means[s].toFixed(4), element("sup", {}, mark)));
    });
    return element("div", { class: user === leading() ? "column leading" : "column" }, element("h3", {}, element("i", { class: "dot", style: `background:${colour(n)}` }), label), element("ol", { "aria-label": `Systems by ${label}` }, ...rows));
  });
  const top = [...board.querySelectorAll("ol")].map((list) => list.scrollTop);
  board.replaceChildren(...columns.filter(Boolean));
  board.querySelectorAll("ol").forEach((/** @type {any} */ list, /** @type {number} */ n) => { list.scrollTop = top[n] || 0; });
}

/** @param {any} ends @param {number} s @param {number} most */
function intervalLine(ends, s, most) {
  if (!ends?.low || ends.low[s] === null) return null;
  const line = element("span", { class: "whisker" });
  line.style.left = `${Math.max(0, (100 * ends.low[s]) / most)}%`;
  line.style.right = `${Math.max(0, 100 - (100 * ends.high[s]) / most)}%`;
  return line;
}

/** What follows from a release: what the users say about A and B, intervals and marks, and where systems cross. */
function showReleased() {
  showVerdict();
  const marks = released.users.some((/** @type {any} */ user) => user.marks?.some(Boolean));
  byId("board-hint").textContent = `Lines: 95% intervals of the means that hold for all systems together.${marks ? ` ▲ ▼: significantly above or below ${released.pair[0]} (paired t, Holm).` : ""}`;
  released.bump ? showBump() : byId("bump").replaceChildren(element("p", { class: "hint" }, "Move a parameter that is a number to see where systems cross."));
  if (last) showBoard(); // either answer may come first
}

/** What each user says about A and B; faint if it was moved since. */
function showVerdict() {
  if (byId("a").value && byId("a").value === byId("b").value) { byId("verdict").replaceChildren(element("p", { class: "hint" }, "Choose two systems to compare them.")); return; }
  byId("verdict").replaceChildren(...(released?.users || []).map((/** @type {any} */ user, /** @type {number} */ n) => element("p", { class: released.metrics[n] === strings()[n] ? "" : "outdated" },
    ...(released.users.length > 1 ? [element("i", { class: "dot", style: `background:${colour(n)}` }), element("b", {}, ` ${released.labels[n]}: `)] : []), user.verdict || (user.problem ? problemText(user) : ""))));
}

/** The commands and code for what is shown, as the server writes them; they depend on both answers, whichever comes first. */
const showSource = newest(async () => {
  if (!last || !released) return;
  const user = Math.max(0, released.user), settings = readingSettings(last.reading), method = last.systems.length > 1 ? "compare" : "score";
  const grades = { ranking: ranking.join(","), ...(last.max_grade ? { max_grade: last.max_grade } : {}) };
  const metrics = scoredStrings(), asked = [{ method, metrics, settings }, ...(last.users[user]?.curves ? [{ method: "explain", metrics: [strings()[user]], settings: grades }] : [])];
  const sources = await Promise.all(asked.map((each) => request("/lab/source", { collection: state.collection.id, ...each })));
  const start = () => runMethod({ method, metrics, settings }, () => {}).then((done) => done.id);
  byId("away").replaceChildren(takeAway(start, true), sourceOf({ command: sources.map((each) => each.command).join("\n"), python: sources.map((each) => each.python).join("\n\n") }));
});
const showSourceSoon = debounced(showSource, 300); // not while a slider moves

function showBump() {
  const { bump } = released, user = users[released.user] || users[0];
  const now = bump.parameter === "cutoff" ? user.cutoff || 10 : user.parameters[bump.parameter];
  byId("bump-title").textContent = `Where systems cross: rank by ${bump.parameter} of ${user.name}`;
  byId("bump").replaceChildren(bumpPicture(bump, now, [byId("a").value, byId("b").value], Math.max(320, byId("bump").clientWidth)));
}

// Users side by side.
function showUsers() {
  byId("users").replaceChildren(...users.map((user, n) => {
    const title = element("b", {}, metricLabel(user));
    const changed = (/** @type {string} */ parameter, /** @type {boolean} */ done) => {
      moved = { user: n, parameter: isNumber(user, parameter) ? parameter : moved.parameter };
      title.textContent = metricLabel(user);
      move();
      if (done) { store(); release(); } else settle();
    };
    return element("div", { class: "user card", role: "group", "aria-label": `User ${n + 1}: ${user.name}` },
      element("div", { class: "head" }, element("i", { class: "dot", style: `background:${colour(n)}` }), title,
        users.length > 1 ? element("button", { type: "button", class: "x", "aria-label": `Remove ${user.name}`, click: () => { users.splice(n, 1); moved = { user: 0, parameter: "" }; changedUsers(); } }, "×") : null),
      element("p", { class: "sentence" }, user.declaration?.sentence || ""), element("p", { class: "facts", "aria-live": "off" }), parameterFields(user, changed));
  }));
}
/** @param {Metric} user @param {string} parameter */
const isNumber = (user, parameter) => parameter === "cutoff" ? Boolean(user.cutoff) : typeof user.parameters[parameter] === "number";

function changedUsers() { showUsers(); store(); move(); release(); }

/** @param {string} text */
async function add(text) {
  try {
    if (users.length >= state.most_users) throw new Error(`At most ${state.most_users} users fit side by side; remove one first.`);
    users.push(await readMetric(text));
    showProblem(null);
    changedUsers();
  } catch (error) { showProblem(/** @type {any} */ (error)); }
}

if (byId("curves") && state.collection) {
  byId("curves").append(...Object.values(pictures).map((each) => each.figure));
  metricField("metric", add);
  for (const id of ["a", "b"]) byId(id).addEventListener("change", () => { store(); showBoard(); showVerdict(); release(); });
  addEventListener("resize", debounced(() => released?.bump && showBump(), 150));
  const wanted = chosenMetrics();
  const start = wanted.length ? wanted.slice(0, state.most_users) : ["RBP(p=0.8)"];
  Promise.all(start.map(readMetric)).then((found) => { users.unshift(...found); changedUsers(); }, showProblem);
  if (byId("code")) startEditor(users, changedUsers, !wanted.length);
}
