// The user-model bench: users are moved, and curves, leaderboard and verdict move with them.
import { ask, byId, chosenMetrics, debounced, element, fileOf, newest, query, remember, request, say, showProblem, state } from "./lab.js";
import { firstOwnNumber, metricField, metricLabel, metricString, parameterFields, readMetric, sliderRange } from "./metric_fields.js";
import { runMethod, showResult, sourceOf } from "./results.js";
import { bumpPicture, colour, curvePicture } from "./plot.js";

/** @typedef {import("./metric_fields.js").Metric} Metric */
const MOST_USERS = 4, RANKS = 20;
/** @type {Metric[]} */ const users = [];
/** @type {any} */ let last = null;
/** @type {any} */ let released = null;
/** @type {number[]} */ let ranking = (query().get("ranking") || "2,0,1,0,0,1,0,2,0,0").split(",").map(Number).map((grade) => Math.min(9, Math.max(0, grade || 0))).slice(0, 30);
let isFirstVisit = false;
let moved = { user: 0, parameter: "" };
const pictures = { C: curvePicture("C(i)", "goes on after rank i"), W: curvePicture("W(i)", "share of attention"), L: curvePicture("L(i)", "stops at rank i") };

const strings = () => users.map(metricString);
const store = () => remember({ metrics: strings(), ranking: ranking.join(","), a: byId("a").value || null, b: byId("b").value || null });

const move = newest(async () => {
  if (!users.length) return;
  const answer = await ask("/lab/bench", { metrics: strings(), settings: { ranks: RANKS, ranking: ranking.join(",") } });
  showProblem(null);
  last = answer;
  show();
  showSource();
});

const release = newest(async () => {
  if (!users.length) return;
  const user = users[moved.user] || users[0];
  const parameter = moved.parameter || firstOwnNumber(user) || (user.cutoff ? "cutoff" : "");
  const pair = [byId("a").value, byId("b").value].filter(Boolean);
  const body = { metric: metricString(user), ...(parameter ? { parameter, values: steps(user, parameter) } : {}), ...(pair.length === 2 ? { pair } : {}) };
  released = await ask("/lab/release", body);
  released.user = users.indexOf(user);
  showReleased();
  store();
});
const settle = debounced(() => release(), 120);

/** Values of a parameter over its slider. @param {Metric} user @param {string} parameter */
function steps(user, parameter) {
  const value = parameter === "cutoff" ? user.cutoff || 10 : user.parameters[parameter];
  const schema = parameter === "cutoff" ? { type: "integer", minimum: 1, maximum: Math.max(30, value) } : user.declaration.parameters.properties[parameter];
  const range = sliderRange(schema, value), count = 12;
  const found = Array.from({ length: count }, (_, i) => range.low + ((range.high - range.low) * i) / (count - 1)).map((x) => (range.whole ? Math.round(x) : Number(x.toPrecision(4))));
  return [...new Set(found)];
}

function show() {
  const systems = last.systems;
  byId("size").textContent = `${systems.length} systems, ${last.topics.length} topics`;
  fillPair(systems);
  for (const name of /** @type {("C"|"W"|"L")[]} */ (["C", "W", "L"])) pictures[name].draw(last.users.map((/** @type {any} */ user, /** @type {number} */ n) => ({ values: user.curves?.[name] || [], colour: colour(n) })));
  last.users.forEach((/** @type {any} */ user, /** @type {number} */ n) => {
    const place = document.querySelector(`#users > :nth-child(${n + 1}) .facts`);
    if (!place) return;
    const depth = user.expected_depth === null || user.expected_depth === undefined ? "" : `expects to read ${user.expected_depth.toFixed(2)} results`;
    place.textContent = user.curves ? [depth, user.score !== null && user.score !== undefined ? `example scores ${user.score.toFixed(4)}` : ""].filter(Boolean).join(" · ") : user.why_no_curves;
  });
  showBoard();
  showRanking();
  if (released?.bump) showBump();
}

/** @param {string[]} systems */
function fillPair(systems) {
  if (byId("a").options.length === systems.length) return;
  const order = last.users[0].order;
  const chosen = { a: query().get("a") || systems[order[0]], b: query().get("b") || systems[order[1] ?? order[0]] };
  for (const id of /** @type {("a"|"b")[]} */ (["a", "b"])) byId(id).replaceChildren(...[...systems].sort().map((name) => element("option", { selected: name === chosen[id] }, name)));
}

/** Bars of the means, in the order of the first user; further users add their own columns. */
function showBoard() {
  const board = byId("board"), marked = [byId("a").value, byId("b").value];
  const columns = last.users.map((/** @type {any} */ user, /** @type {number} */ n) => {
    const label = users[n] ? metricLabel(users[n]) : user.label;
    const best = Math.max(...user.means.map((/** @type {number|null} */ mean) => Math.abs(mean ?? 0)), 1e-12);
    const before = new Map(/** @type {any} */ (last.users[0]).order.map((/** @type {number} */ s, /** @type {number} */ rank) => [s, rank]));
    const rows = user.order.slice(0, 200).map((/** @type {number} */ s, /** @type {number} */ rank) => {
      const name = last.systems[s], shift = n ? before.get(s) - rank : 0;
      const bar = element("span", { class: "bar" });
      bar.style.width = `${Math.max(0, (100 * (user.means[s] ?? 0)) / best)}%`;
      bar.style.background = marked.includes(name) ? colour(marked.indexOf(name)) : "";
      return element("li", { class: marked.includes(name) ? "marked" : "" }, element("span", { class: "name", title: name }, name), element("span", { class: "track", "aria-hidden": "true" }, bar),
        shift ? element("span", { class: "shift" }, `${shift > 0 ? "▲" : "▼"}${Math.abs(shift)}`) : null, element("span", { class: "value" }, user.means[s] === null ? "–" : user.means[s].toFixed(4)));
    });
    return element("div", { class: "column" }, element("h3", {}, element("i", { class: "dot", style: `background:${colour(n)}` }), label), element("ol", { "aria-label": `Systems by ${label}` }, ...rows));
  });
  const top = [...board.querySelectorAll("ol")].map((list) => list.scrollTop);
  board.replaceChildren(...columns);
  board.querySelectorAll("ol").forEach((/** @type {any} */ list, /** @type {number} */ n) => { list.scrollTop = top[n] || 0; });
}

function showReleased() {
  byId("verdict").textContent = released.verdict ? `${users.length > 1 ? `${metricString(users[released.user] || users[0])}: ` : ""}${released.verdict}` : "";
  released.bump ? showBump() : byId("bump").replaceChildren(element("p", { class: "hint" }, "Move a parameter that is a number to see where systems cross."));
  showSource();
}

/** The command and code for what is shown; they depend on both answers, whichever comes first. */
function showSource() {
  if (!last || !released) return;
  const metric = metricString(users[released.user] || users[0]);
  const files = state.collection.files, qrels = files.find((/** @type {any} */ f) => f.role === "qrels")?.name, runs = files.filter((/** @type {any} */ f) => f.role === "run").map((/** @type {any} */ f) => f.name);
  const reading = /** @type {string[]} */ (last.reading || []);
  const quoted = (/** @type {string} */ text) => (/^[\w@./=+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
  byId("away").replaceChildren(sourceOf({
    command: `irassay compare ${[qrels, ...runs].map(quoted).join(" ")} ${strings().map((each) => `-m ${quoted(each)}`).join(" ")}${reading.map((name) => ` --${name.replaceAll("_", "-")} ${quoted(fileOf(name).name)}`).join("")}\nirassay explain ${quoted(metric)} ${ranking.join(",")}${last.max_grade ? ` --max-grade ${last.max_grade}` : ""}`,
    python: `import irassay as ia\n\nscores = ia.score(${JSON.stringify(runs)}, ${JSON.stringify(qrels)}, ${JSON.stringify(strings())}${reading.map((name) => `, ${name}=${JSON.stringify(fileOf(name).name)}`).join("")})\nprint(ia.compare(scores))\nprint(ia.explain(${JSON.stringify(metric)}, ${JSON.stringify(ranking.join(","))}${last.max_grade ? `, max_grade=${last.max_grade}` : ""}))`,
  }));
}

function showBump() {
  const { bump } = released, user = users[released.user] || users[0];
  const now = bump.parameter === "cutoff" ? user.cutoff || 10 : user.parameters[bump.parameter];
  byId("bump-title").textContent = `Where systems cross: rank by ${bump.parameter} of ${user.name}`;
  byId("bump").replaceChildren(bumpPicture(bump, now, [byId("a").value, byId("b").value], Math.max(320, byId("bump").clientWidth)));
}

// The example ranking: documents are dragged, or moved with the arrow keys.
function showRanking() {
  const list = byId("ranking"), focused = [...list.children].indexOf(document.activeElement);
  const most = Math.max(...last.users.flatMap((/** @type {any} */ user) => (user.curves?.earned || []).map((/** @type {number|null} */ x) => Math.abs(x ?? 0))), 1e-12);
  list.replaceChildren(...ranking.map((grade, i) => {
    const earned = last.users.map((/** @type {any} */ user, /** @type {number} */ n) => {
      const value = user.curves?.earned?.[i] ?? 0, bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * Math.abs(value)) / most}%`;
      bar.style.background = colour(n);
      return element("span", { class: "earned" }, element("span", { class: "track", "aria-hidden": "true" }, bar), element("span", { class: "value" }, value ? value.toFixed(4) : "0"));
    });
    const words = last.users.map((/** @type {any} */ user) => `earns ${(user.curves?.earned?.[i] ?? 0).toFixed(4)} by ${user.label}`).join(", ");
    return element("li", {
      draggable: "true", tabindex: 0, class: `grade-${Math.min(grade, 4)}`, "aria-label": `Rank ${i + 1}, grade ${grade}, ${words}`,
      dragstart: (/** @type {any} */ event) => { event.dataTransfer.setData("text/plain", String(i)); event.dataTransfer.effectAllowed = "move"; },
      dragover: (/** @type {Event} */ event) => event.preventDefault(),
      drop: (/** @type {any} */ event) => { event.preventDefault(); event.stopPropagation(); place(Number(event.dataTransfer.getData("text/plain")), i); },
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "ArrowUp" || event.key === "ArrowDown") { event.preventDefault(); place(i, i + (event.key === "ArrowUp" ? -1 : 1)); }
        else if (/^\d$/.test(event.key)) { ranking[i] = Number(event.key); store(); move(); }
      },
    }, element("span", { class: "rank" }, String(i + 1)), element("span", { class: "grade" }, `grade ${grade}`), ...earned);
  }));
  if (focused >= 0) /** @type {any} */ (list.children[Math.min(focus ?? focused, ranking.length - 1)])?.focus();
  focus = null;
}
/** @type {number|null} */ let focus = null;
/** @param {number} from @param {number} to */
function place(from, to) {
  if (Number.isNaN(from) || to < 0 || to >= ranking.length || from === to) return;
  const [grade] = ranking.splice(from, 1);
  ranking.splice(to, 0, grade);
  focus = to;
  say(`Moved to rank ${to + 1}.`);
  store();
  move();
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
    if (users.length >= MOST_USERS) throw new Error(`At most ${MOST_USERS} users fit side by side; remove one first.`);
    users.push(await readMetric(text));
    showProblem(null);
    changedUsers();
  } catch (error) { showProblem(/** @type {any} */ (error)); }
}

// A metric of one's own: run as it is typed, with the error at its line.
function editor() {
  const code = byId("code"), lines = byId("lines");
  const number = (/** @type {number|null} */ bad) => lines.replaceChildren(...code.value.split("\n").map((/** @type {string} */ _, /** @type {number} */ i) => element("span", { class: i + 1 === bad ? "bad" : "" }, `${i + 1}\n`)));
  const run = newest(async () => {
    const answer = await request("/lab/code", { code: code.value });
    number(answer.line);
    showProblem(answer.problem ? new Error(answer.problem) : null, "code-problem");
    byId("code-state").textContent = answer.problem ? "" : `It declares ${answer.metrics.join(", ") || "no metric"}.`;
    if (answer.problem || !answer.metrics.length) return;
    const name = answer.metrics[answer.metrics.length - 1];
    for (const metric of answer.metrics) if (!state.metrics.some((/** @type {any} */ each) => each.name === metric)) state.metrics.unshift({ name: metric, aliases: [], sentence: "yours" });
    const at = users.findIndex((user) => user.name === name);
    const fresh = await readMetric(at >= 0 ? metricString(users[at]) : name).catch(() => readMetric(name));
    at >= 0 ? (users[at] = fresh) : users.push(fresh);
    changedUsers();
    const done = await runMethod({ method: "axioms", metrics: [name], settings: { depth: 4 }, again: true }, () => {});
    await showResult(byId("axioms"), done.id);
  });
  code.addEventListener("input", debounced(run, 500));
  code.addEventListener("scroll", () => { lines.scrollTop = code.scrollTop; });
  number(null);
  if (isFirstVisit) run();
}

if (byId("curves") && state.collection) {
  byId("curves").append(...Object.values(pictures).map((each) => each.figure));
  metricField("metric", add);
  for (const id of ["a", "b"]) byId(id).addEventListener("change", () => { store(); showBoard(); release(); });
  addEventListener("resize", debounced(() => released?.bump && showBump(), 150));
  const wanted = chosenMetrics();
  isFirstVisit = !wanted.length;
  const start = wanted.length ? wanted.slice(0, MOST_USERS) : ["RBP(p=0.8)"];
  Promise.all(start.map(readMetric)).then((found) => { users.unshift(...found); changedUsers(); }, showProblem);
  if (byId("code")) editor();
}
