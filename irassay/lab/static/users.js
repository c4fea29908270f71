// The user-model bench: users are moved, and curves, leaderboard and verdict move with them.
import { ask, byId, chosenMetrics, counted, debounced, element, fileOf, newest, query, quoted, readingSettings, remember, request, say, showProblem, state } from "./lab.js";
import { firstOwnNumber, metricField, metricLabel, metricString, parameterFields, readMetric, sliderRange } from "./metric_fields.js";
import { runMethod, showResult, sourceOf, takeAway } from "./results.js";
import { bumpPicture, colour, curvePicture, niceTicks } from "./plot.js";

/** @typedef {import("./metric_fields.js").Metric} Metric */
const MOST_USERS = 4, RANKS = 20, MOST_STEPS = 13;
const YOURS = "yours"; // the sentence of a metric of the editor
/** @type {Metric[]} */ const users = [];
/** @type {any} */ let last = null;
/** @type {any} */ let released = null;
/** @type {number[]} */ let ranking = (query().get("ranking") || "2,0,1,0,0,1,0,2,0,0").split(",").map(Number).map((grade) => Math.min(9, Math.max(0, grade || 0))).slice(0, 30);
let isFirstVisit = false;
let moved = { user: 0, parameter: "" };
const pictures = { C: curvePicture("C(i)", "goes on after rank i"), W: curvePicture("W(i)", "share of attention"), L: curvePicture("L(i)", "stops at rank i") };

const strings = () => users.map(metricString);
/** The chosen system; before the menus are filled, that of the address. @param {"a"|"b"} id */
const chosenSystem = (id) => byId(id).value || query().get(id) || "";
const store = () => remember({ metrics: strings(), ranking: ranking.join(","), a: chosenSystem("a"), b: chosenSystem("b") });

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
  const user = users[moved.user] || users[0], metrics = strings();
  const parameter = moved.parameter || firstOwnNumber(user) || (user.cutoff ? "cutoff" : "");
  const pair = [chosenSystem("a"), chosenSystem("b")].filter(Boolean);
  const body = { metrics, metric: metricString(user), ...(parameter ? { parameter, values: steps(user, parameter) } : {}), ...(pair.length === 2 ? { pair } : {}) };
  released = { ...(await ask("/lab/release", body)), user: users.indexOf(user), metrics };
  showReleased();
  store();
});
const settle = debounced(() => release(), 120);

/** What was computed at the last release for a user, unless it was moved since. @param {number} n */
const releasedUser = (n) => (released?.metrics[n] === strings()[n] ? released.users[n] : null);

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

/** Bars of the means, best first for each user; once a slider is released, with intervals and marks. */
function showBoard() {
  const board = byId("board"), marked = [byId("a").value, byId("b").value];
  const before = new Map(last.users[0].order.map((/** @type {number} */ s, /** @type {number} */ rank) => [s, rank]));
  const columns = last.users.map((/** @type {any} */ user, /** @type {number} */ n) => {
    const label = users[n] ? metricLabel(users[n]) : user.label, ends = releasedUser(n);
    const known = (/** @type {(number|null)[]} */ values) => values.map((value) => Math.abs(value ?? 0));
    const most = Math.max(1e-12, ...known(user.means).map((mean) => 1.25 * mean), ...known(ends?.high || []));
    const rows = user.order.slice(0, 200).map((/** @type {number} */ s, /** @type {number} */ rank) => {
      const name = last.systems[s], shift = n ? before.get(s) - rank : 0, mark = ends?.marks?.[s] || "";
      const bar = element("span", { class: "bar" });
      bar.style.width = `${Math.max(0, (100 * (user.means[s] ?? 0)) / most)}%`;
      bar.style.background = marked.includes(name) ? colour(marked.indexOf(name)) : "";
      return element("li", { class: marked.includes(name) ? "marked" : "" }, element("span", { class: "name", title: name }, name),
        element("span", { class: "track", "aria-hidden": "true" }, bar, intervalLine(ends, s, most)),
        element("span", { class: "shift", title: shift ? `${Math.abs(shift)} ${shift > 0 ? "up" : "down"}` : null }, shift ? `${shift > 0 ? "↑" : "↓"}${Math.abs(shift)}` : ""),
        element("span", { class: "value" }, user.means[s] === null ? "–" : user.means[s].toFixed(4), element("sup", {}, mark)));
    });
    return element("div", { class: n ? "column" : "column leading" }, element("h3", {}, element("i", { class: "dot", style: `background:${colour(n)}` }), label), element("ol", { "aria-label": `Systems by ${label}` }, ...rows));
  });
  const top = [...board.querySelectorAll("ol")].map((list) => list.scrollTop);
  board.replaceChildren(...columns);
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

/** What the users say about A and B, and where systems cross. */
function showReleased() {
  byId("verdict").replaceChildren(...released.users.map((/** @type {any} */ user, /** @type {number} */ n) => element("p", {},
    ...(released.users.length > 1 ? [element("i", { class: "dot", style: `background:${colour(n)}` }), element("b", {}, ` ${users[n] ? metricLabel(users[n]) : released.metrics[n]}: `)] : []), user.verdict || "")));
  const marks = released.users.some((/** @type {any} */ user) => user.marks?.some(Boolean));
  byId("board-hint").textContent = `Lines: 95% intervals of the means that hold for all systems together.${marks ? ` ▲ ▼: significantly above or below ${released.pair[0]} (paired t, Holm).` : ""}`;
  released.bump ? showBump() : byId("bump").replaceChildren(element("p", { class: "hint" }, "Move a parameter that is a number to see where systems cross."));
  if (last) showBoard(); // either answer may come first
  showSource();
}

/** The command and code for what is shown; they depend on both answers, whichever comes first. */
function showSource() {
  if (!last || !released) return;
  const metric = metricString(users[released.user] || users[0]);
  const files = state.collection.files, qrels = files.find((/** @type {any} */ f) => f.role === "qrels")?.path, runs = files.filter((/** @type {any} */ f) => f.role === "run").map((/** @type {any} */ f) => f.path);
  const reading = /** @type {string[]} */ (last.reading || []), explains = last.users[Math.max(0, released.user)]?.curves;
  const own = users.some((user) => !user.is_built_in) ? state.define : [];
  const defines = own.map((/** @type {string} */ file) => ` --define ${quoted(file)}`).join("");
  const compare = () => runMethod({ method: "compare", metrics: strings(), settings: readingSettings(reading) }, () => {}).then((done) => done.id);
  byId("away").replaceChildren(takeAway(compare, true), sourceOf({
    command: `${state.collection.remark}irassay compare ${[qrels, ...runs].map(quoted).join(" ")} ${strings().map((each) => `-m ${quoted(each)}`).join(" ")}${reading.map((name) => ` --${name.replaceAll("_", "-")} ${quoted(fileOf(name).path)}`).join("")}${defines}${explains ? `\nirassay explain ${quoted(metric)} ${ranking.join(",")}${last.max_grade ? ` --max-grade ${last.max_grade}` : ""}${defines}` : ""}`,
    python: `${state.collection.remark}import irassay as ia\n\n${own.map((/** @type {string} */ file) => `ia.define(${JSON.stringify(file)})\n`).join("")}scores = ia.score(${JSON.stringify(runs)}, ${JSON.stringify(qrels)}, ${JSON.stringify(strings())}${reading.map((name) => `, ${name}=${JSON.stringify(fileOf(name).path)}`).join("")})\nprint(ia.compare(scores))${explains ? `\nprint(ia.explain(${JSON.stringify(metric)}, ${JSON.stringify(ranking.join(","))}${last.max_grade ? `, max_grade=${last.max_grade}` : ""}))` : ""}`,
  }));
}

function showBump() {
  const { bump } = released, user = users[released.user] || users[0];
  const now = bump.parameter === "cutoff" ? user.cutoff || 10 : user.parameters[bump.parameter];
  byId("bump-title").textContent = `Where systems cross: rank by ${bump.parameter} of ${user.name}`;
  byId("bump").replaceChildren(bumpPicture(bump, now, [byId("a").value, byId("b").value], Math.max(320, byId("bump").clientWidth)));
}

// The example ranking: documents are dragged with the mouse, a finger or a pen, or moved with the arrow keys.
/** @type {any[]} */ let items = []; // of the list, in the order of `ranking`
function showRanking() {
  const list = byId("ranking");
  if (items.length !== ranking.length) { items = ranking.map(rankingItem); list.replaceChildren(...items); }
  const most = Math.max(...last.users.flatMap((/** @type {any} */ user) => (user.curves?.earned || []).map((/** @type {number|null} */ x) => Math.abs(x ?? 0))), 1e-12);
  items.forEach((item, i) => {
    const grade = ranking[i], [rank, change, earned] = ["rank", "grade", "earnings"].map((name) => item.querySelector(`.${name}`));
    item.className = `grade-${Math.min(grade, 4)}${item === dragged ? " dragged" : ""}`;
    item.setAttribute("aria-label", `Rank ${i + 1}, grade ${grade}, ${last.users.map((/** @type {any} */ user) => `earns ${(user.curves?.earned?.[i] ?? 0).toFixed(4)} by ${user.label}`).join(", ")}`);
    rank.textContent = String(i + 1);
    change.textContent = `grade ${grade}`;
    change.setAttribute("aria-label", `Grade ${grade} at rank ${i + 1}, change it`);
    earned.replaceChildren(...last.users.map((/** @type {any} */ user, /** @type {number} */ n) => {
      const value = user.curves?.earned?.[i] ?? 0, bar = element("span", { class: "bar" });
      bar.style.width = `${(100 * Math.abs(value)) / most}%`;
      bar.style.background = colour(n);
      return element("span", { class: "earned" }, element("span", { class: "track", "aria-hidden": "true" }, bar), element("span", { class: "value" }, value ? value.toFixed(4) : "0"));
    }));
  });
}

/** @type {any} */ let dragged = null;
/** A document of the example ranking. */
function rankingItem() {
  const at = () => items.indexOf(item);
  const regrade = (/** @type {number} */ grade) => { ranking[at()] = grade; store(); move(); };
  const item = element("li", {
    tabindex: 0,
    keydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "ArrowUp" || event.key === "ArrowDown") { event.preventDefault(); shiftItem(at(), event.key === "ArrowUp" ? -1 : 1); }
      else if (/^\d$/.test(event.key)) regrade(Number(event.key));
    },
    pointerdown: (/** @type {any} */ event) => {
      if (event.button || event.target.closest("button") || (event.pointerType === "touch" && !event.target.closest(".grip"))) return; // a finger elsewhere scrolls
      dragged = item;
      item.setPointerCapture(event.pointerId);
      item.classList.add("dragged");
    },
    pointermove: (/** @type {PointerEvent} */ event) => {
      if (dragged !== item) return;
      for (const step of [-1, 1]) {
        for (let other = items[at() + step]; other; other = items[at() + step]) {
          const box = other.getBoundingClientRect(), inside = 0.3 * box.height; // past its nearer edge
          if (step < 0 ? event.clientY > box.bottom - inside : event.clientY < box.top + inside) break;
          shiftItem(at(), step);
        }
      }
    },
    lostpointercapture: () => { dragged = null; item.classList.remove("dragged"); },
  }, element("span", { class: "grip", "aria-hidden": "true" }, "⠿"), element("span", { class: "rank" }),
    element("button", { type: "button", class: "grade", click: () => regrade((ranking[at()] + 1) % (Math.max(3, last.max_grade || 0) + 1)) }), element("span", { class: "earnings" }));
  return item;
}

/** Moves a document by one rank; its neighbour's element is moved, so that it keeps the focus and the pointer. @param {number} from @param {number} step */
function shiftItem(from, step) {
  const to = from + step;
  if (to < 0 || to >= ranking.length) return;
  byId("ranking").insertBefore(items[to], step < 0 ? items[from].nextSibling : items[from]);
  for (const list of [ranking, items]) [list[from], list[to]] = [list[to], list[from]];
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
    state.define = answer.define;
    number(answer.line);
    showProblem(answer.problem ? new Error(answer.problem) : null, "code-problem");
    byId("code-state").textContent = answer.problem ? "" : `It declares ${answer.metrics.join(", ") || "no metric"}.`;
    if (answer.problem || !answer.metrics.length) return;
    const name = answer.metrics[answer.metrics.length - 1], isGone = (/** @type {any} */ each) => !answer.known.includes(each.name);
    state.metrics = state.metrics.filter((/** @type {any} */ each) => each.sentence !== YOURS || !isGone(each));
    for (const metric of answer.metrics) if (!state.metrics.some((/** @type {any} */ each) => each.name === metric)) state.metrics.unshift({ name: metric, aliases: [], sentence: YOURS });
    const own = users.find((user) => user.name === name);
    const fresh = await readMetric(own ? metricString(own) : name).catch(() => readMetric(name));
    const at = users.indexOf(own || users.find(isGone) || fresh); // a metric that has another name now keeps its place
    at >= 0 ? (users[at] = fresh) : users.push(fresh);
    users.splice(0, users.length, ...users.filter((user) => !isGone(user)));
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
