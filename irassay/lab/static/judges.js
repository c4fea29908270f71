// The page Judges: the method as a form, and the leaderboard by each set of labels.
import { ask, byId, chosenMetrics, element, newest, showProblem, state } from "./lab.js";
import "./methods.js";
import { sourceOf, takeTable } from "./results.js";

/** @typedef {{name: string, problem?: string, means?: Record<string, number|null>, order?: string[]}} LabelSet */

/** Places of the systems by each set of labels, in the order of the first set. */
const load = newest(async () => {
  const answer = await ask("/lab/judges", { metric: chosenMetrics()[0] || state.default_metrics[0] });
  showProblem(null);
  const [human, ...others] = /** @type {LabelSet[]} */ (answer.sets);
  const table = byId("boards");
  byId("by-judge-hint").textContent = `Mean ${answer.metric}, and how many places a system gains ↑ or loses ↓ against ${human.name}.`;
  const heading = (/** @type {LabelSet} */ each) => element("th", { scope: "col", class: "n" }, each.name);
  table.tHead.replaceChildren(element("tr", {}, element("th", { scope: "col", class: "n" }, "#"), element("th", { scope: "col" }, "system"), heading(human), ...others.map(heading)));
  table.tBodies[0].replaceChildren(...(human.order || []).map((system, place) => element("tr", {}, element("td", { class: "n soft" }, String(place + 1)), element("th", { scope: "row" }, system),
    element("td", { class: "n" }, digits(human, system)), ...others.map((each) => {
      const shift = place - (each.order || []).indexOf(system);
      return element("td", { class: "n", "data-plain": digits(each, system) }, digits(each, system), element("sup", { class: "places" }, each.problem || !shift ? "" : `${shift > 0 ? "↑" : "↓"}${Math.abs(shift)}`));
    }))));
  const { command, python, ...document } = answer;
  byId("by-judge-away").replaceChildren(takeTable(table, "irassay-label-sets", document), sourceOf({ command, python }));
  const failed = others.find((each) => each.problem);
  if (failed) showProblem(new Error(`${failed.name}: ${failed.problem}`));
});

/** @param {LabelSet} set @param {string} system */
const digits = (set, system) => set.means?.[system]?.toFixed(4) ?? "–";

if (byId("boards")) {
  load();
  byId("method").addEventListener("submit", () => load());
}
