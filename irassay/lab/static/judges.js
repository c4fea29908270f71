// The page Judges: the method as a form, and the leaderboard by each set of labels.
import { ask, byId, chosenMetrics, element, newest, quoted, showProblem, state } from "./lab.js";
import "./methods.js";
import { sourceOf } from "./results.js";

/** @typedef {{name: string, problem?: string, means?: Record<string, number|null>, order?: string[]}} LabelSet */

/** Places of the systems by each set of labels, in the order of the first set. */
const load = newest(async () => {
  const answer = await ask("/lab/judges", { metric: chosenMetrics()[0] || "nDCG@10" });
  showProblem(null);
  const [human, ...others] = /** @type {LabelSet[]} */ (answer.sets);
  const table = byId("boards");
  byId("by-judge-hint").textContent = `Mean ${answer.metric}, and how many places a system gains ↑ or loses ↓ against ${human.name}.`;
  const heading = (/** @type {LabelSet} */ each) => element("th", { scope: "col", class: "n" }, each.name);
  table.tHead.replaceChildren(element("tr", {}, element("th", { scope: "col", class: "n" }, "#"), element("th", { scope: "col" }, "system"), heading(human), ...others.map(heading)));
  table.tBodies[0].replaceChildren(...(human.order || []).map((system, place) => element("tr", {}, element("td", { class: "n soft" }, String(place + 1)), element("th", { scope: "row" }, system),
    element("td", { class: "n" }, digits(human, system)), ...others.map((each) => {
      const shift = place - (each.order || []).indexOf(system);
      return element("td", { class: "n" }, digits(each, system), element("sup", { class: "places" }, each.problem || !shift ? "" : `${shift > 0 ? "↑" : "↓"}${Math.abs(shift)}`));
    }))));
  const files = state.collection.files, runs = files.filter((/** @type {any} */ file) => file.role === "run").map((/** @type {any} */ file) => file.name);
  byId("by-judge-away").replaceChildren(sourceOf({
    command: answer.sets.map((/** @type {LabelSet} */ each) => `irassay score ${[each.name, ...runs].map(quoted).join(" ")} -m ${quoted(answer.metric)}`).join("\n"),
    python: `import irassay as ia\n\nfor labels in ${JSON.stringify(answer.sets.map((/** @type {LabelSet} */ each) => each.name))}:\n    print(ia.score(${JSON.stringify(runs)}, labels, [${JSON.stringify(answer.metric)}]))`,
  }));
  const failed = others.find((each) => each.problem);
  if (failed) showProblem(new Error(`${failed.name}: ${failed.problem}`));
});

/** @param {LabelSet} set @param {string} system */
const digits = (set, system) => set.means?.[system]?.toFixed(4) ?? "–";

if (byId("boards")) {
  load();
  byId("method").addEventListener("submit", () => load());
}
