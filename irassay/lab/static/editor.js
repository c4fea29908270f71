// A metric of one's own: run as it is typed, with the error at its line; bench and axioms follow.
import { byId, debounced, element, newest, request, showProblem, state } from "./lab.js";
import { metricString, readMetric } from "./metric_fields.js";
import { runMethod, showPending, showResult } from "./results.js";

/** @typedef {import("./metric_fields.js").Metric} Metric */
const YOURS = "yours"; // the sentence of a metric of the editor
const DEPTH = 4; // of the rankings on which axioms are tested

/**
 * Follows the code of the editor.
 * @param {Metric[]} users of the bench; that of the editor is put among them @param {() => void} changed after that @param {boolean} isRun whether the code is run at once
 */
export function startEditor(users, changed, isRun) {
  const code = byId("code"), lines = byId("lines"), axioms = byId("axioms"), about = byId("code-state");
  let version = 0; // of the code
  let job = ""; // which tests its axioms
  const showLines = (/** @type {number|null} */ bad) => lines.replaceChildren(...code.value.split("\n").map((/** @type {string} */ _, /** @type {number} */ i) => element("span", { class: i + 1 === bad ? "bad" : "" }, `${i + 1}\n`)));

  /** Takes away what was said about older code. */
  function forget() {
    version += 1;
    if (job) request(`/lab/jobs/${job}`, undefined, { method: "DELETE" }).catch(() => null); // it may have ended
    job = about.textContent = "";
    showProblem(null, "code-problem");
    showPending(axioms, "The axioms are tested again.");
  }

  /** @param {string} name */
  async function testAxioms(name) {
    const mine = version, isWanted = () => mine === version;
    const tell = (/** @type {any} */ now) => {
      if (!isWanted()) { if (now.id !== job) request(`/lab/jobs/${now.id}`, undefined, { method: "DELETE" }).catch(() => null); return; }
      job = now.id;
      showPending(axioms, `Testing the axioms of ${name} …`);
    };
    try {
      const done = await runMethod({ method: "axioms", metrics: [name], settings: { depth: DEPTH }, again: true }, tell);
      await showResult(axioms, done.id, { folded: true, isWanted });
    } catch (error) {
      if (isWanted()) axioms.replaceChildren(element("p", { class: "problem", role: "alert" }, /** @type {any} */ (error).message));
    }
    if (isWanted()) job = "";
  }

  const run = newest(async () => {
    const mine = version, answer = await request("/lab/code", { code: code.value });
    if (mine !== version) return; // it is being typed
    showLines(answer.line);
    showProblem(answer.problem ? new Error(answer.problem) : null, "code-problem");
    if (answer.problem || !answer.metrics.length) {
      about.textContent = answer.problem ? "" : "It declares no metric.";
      axioms.replaceChildren(element("p", { class: "hint" }, "The axioms are tested as soon as the code declares a metric."));
      return;
    }
    const name = answer.metrics[answer.metrics.length - 1];
    const isShown = await putOnBench(name, answer);
    about.textContent = `It declares ${answer.metrics.join(", ")}.${isShown ? "" : ` There are ${users.length} users on the bench; remove one to add ${name}.`}`;
    testAxioms(name);
  });

  /** Puts the metric of the editor on the bench, in its old place if it had one; false if there is no room. @param {string} name @param {{metrics: string[], known: string[]}} answer */
  async function putOnBench(name, answer) {
    const isGone = (/** @type {{name: string}} */ each) => !answer.known.includes(each.name);
    state.metrics = state.metrics.filter((/** @type {any} */ each) => each.sentence !== YOURS || !isGone(each));
    for (const metric of answer.metrics) if (!state.metrics.some((/** @type {any} */ each) => each.name === metric)) state.metrics.unshift({ name: metric, aliases: [], sentence: YOURS });
    const own = users.find((user) => user.name === name), place = own || users.find(isGone); // it may have another name now
    const fresh = await readMetric(own ? metricString(own) : name).catch(() => readMetric(name));
    const now = users.map((user) => (user === place ? fresh : user)).filter((user) => !isGone(user));
    if (!place && now.length < state.most_users) now.push(fresh);
    users.splice(0, users.length, ...now);
    changed();
    return now.includes(fresh);
  }

  const runSoon = debounced(run, 500);
  code.addEventListener("input", () => { forget(); showLines(null); runSoon(); });
  code.addEventListener("scroll", () => { lines.scrollTop = code.scrollTop; });
  showLines(null);
  if (isRun) { forget(); run(); }
}
