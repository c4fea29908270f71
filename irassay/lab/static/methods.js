// A method as a form: its settings, its job with progress and cancel, and its result.
import { byId, chosenMetrics, element, query, remember, request, showProblem, state } from "./lab.js";
import { checkedMetric, metricChips, metricField } from "./metric_fields.js";
import { finishedJob, runMethod, showResult } from "./results.js";

const form = byId("method"), job = byId("job"), result = byId("result");
/** @type {string[]} */
let metrics = chosenMetrics();
let running = "", edits = 0; // of the form
/** @type {Record<string, string>} */ const SAID = { queued: "waiting for a worker", done: "drawing the result …" };
/** @type {string[]} ids of runs; none stands for all */
let runs = query().getAll("runs");
const runRow = byId("runs"), files = state.collection?.files || [];

/** What is shown is of other settings than the form has; a reload will not show it as theirs. */
function changed() {
  edits += 1;
  result.classList.add("outdated");
  remember({ job: null });
}

/** @param {string[]} now */
function setRuns(now) {
  runs = now.filter((id) => files.some((/** @type {any} */ file) => file.id === id));
  remember({ runs });
  const rest = files.filter((/** @type {any} */ file) => file.role === "run" && !runs.includes(file.id));
  byId("run").replaceChildren(element("option", { value: "" }, runs.length ? "add a run" : runRow.dataset.two && rest.length !== 2 ? "choose two runs" : "all runs"),
    ...rest.map((/** @type {any} */ file) => element("option", { value: file.id }, file.name)));
  const names = runs.map((id) => files.find((/** @type {any} */ file) => file.id === id).name);
  metricChips(byId("chosen-runs"), names, (kept) => { setRuns(runs.filter((_, i) => kept.includes(names[i]))); changed(); });
}

/** The setting for the chosen runs; a method with one input for all files gets the judgements before them. */
function runSettings() {
  if (!runRow || !runs.length) return {};
  const qrels = files.filter((/** @type {any} */ file) => file.role === "qrels").map((/** @type {any} */ file) => file.id);
  return { [runRow.dataset.setting]: runRow.dataset.setting === "inputs" ? [...qrels, ...runs] : runs };
}

/** @param {string[]} now */
function setMetrics(now) {
  metrics = [...new Set(now)];
  remember({ metrics });
  for (const link of document.querySelectorAll("nav.methods a")) { // another method is asked about the same metrics
    const address = new URL(/** @type {any} */ (link).href);
    address.searchParams.delete("metrics");
    for (const metric of metrics) address.searchParams.append("metrics", metric);
    /** @type {any} */ (link).href = address.href;
  }
  if (byId("chosen")) metricChips(byId("chosen"), metrics, (kept) => { setMetrics(kept); changed(); });
}

/** The texts between commas that are not in brackets; what follows NAME=VALUE and is no such itself, is a further VALUE. @param {string} text */
function separated(text) {
  const isNamed = (/** @type {string} */ part) => /^\w+=/.test(part);
  /** @type {string[]} */ const found = [];
  for (const part of text.split(/\s*,\s*(?![^(]*\))/).filter(Boolean)) {
    if (found.length && isNamed(found[found.length - 1]) && !isNamed(part)) found[found.length - 1] += `,${part}`;
    else found.push(part);
  }
  return found;
}

/** The values of a form's fields that are not empty. */
function settings() {
  /** @type {Record<string, any>} */ const given = {};
  for (const field of form.querySelectorAll("[name]")) {
    const kind = field.dataset.kind, text = field.value.trim();
    if (kind === "flag") { if (field.checked) given[field.name] = true; }
    else if (kind === "switch") { if (!field.checked) given[field.name] = false; }
    else if (!text) continue;
    else if (kind === "number") given[field.name] = Number(text);
    else if (kind === "numbers") given[field.name] = text.split(",").map(Number);
    else if (kind === "words") given[field.name] = separated(text);
    else given[field.name] = text;
  }
  return { ...given, ...runSettings() };
}

/** Opens the group of settings that a field is in. @param {any} field */
function unfold(field) { const group = field.closest("details"); if (group) group.open = true; }

/** @param {any} now */
function tell(now) {
  job.hidden = false;
  if (running !== now.id) remember({ job: now.id }); // a reload follows it
  running = now.id;
  job.querySelector("progress").value = now.progress;
  byId("cancel").hidden = now.state === "done";
  job.querySelector(".detail").textContent = SAID[now.state] || now.detail || now.state;
}

/** Runs the method of the form. */
const runForm = () => follow(() => runMethod({ method: form.dataset.method, metrics: byId("metric") ? metrics : [], settings: settings() }, tell));

/** Brings what is below the window into it. @param {any} place */
const reveal = (place) => { if (place.getBoundingClientRect().top > innerHeight - 100) place.scrollIntoView({ behavior: "smooth", block: "start" }); };

/** Shows a job and its result. @param {() => Promise<any>} work */
async function follow(work) {
  showProblem(null, "method-problem");
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  result.classList.add("outdated"); // until there is a newer one
  const before = edits;
  running = "";
  for (const field of form.querySelectorAll("[aria-invalid]")) field.removeAttribute("aria-invalid");
  try {
    await showResult(result, (await work()).id);
    result.classList.toggle("outdated", edits !== before);
    reveal(result);
  } catch (error) {
    showProblem(/** @type {any} */ (error), "method-problem");
    const pointer = /** @type {any} */ (error).document?.errors?.[0]?.pointer || "";
    const field = form.querySelector(`[name="${CSS.escape(pointer.replace("/settings/", ""))}"]`);
    if (field) { field.setAttribute("aria-invalid", "true"); unfold(field); field.focus(); }
    else reveal(byId("method-problem"));
  }
  job.hidden = true;
  button.disabled = false;
}

if (form) {
  form.append(element("p", { class: "problem", id: "method-problem", role: "alert", hidden: true }));
  metricField("metric", (metric) => checkedMetric(metric).then(() => { showProblem(null, "method-problem"); setMetrics([...metrics, metric]); changed(); }, (error) => showProblem(error, "method-problem")));
  if (runRow) {
    setRuns(runs);
    byId("run").addEventListener("change", () => { setRuns([...runs, byId("run").value]); changed(); });
  }
  for (const field of form.querySelectorAll("[name]")) {
    const value = query().get(`s.${field.name}`);
    if (value !== null && (field.type !== "number" || Number.isFinite(Number(value)))) { field.type === "checkbox" ? (field.checked = value === "true") : (field.value = value); unfold(field); }
    field.addEventListener("change", () => { remember({ [`s.${field.name}`]: field.type === "checkbox" ? String(field.checked) : field.value }); changed(); });
  }
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    const typed = byId("metric")?.value.trim();
    if (typed) { byId("metric").value = ""; setMetrics([...metrics, typed]); }
    runForm();
  });
  byId("cancel").addEventListener("click", () => running && request(`/lab/jobs/${running}`, undefined, { method: "DELETE" }).catch(showProblem));
  const kept = query().get("job");
  if (kept) follow(async () => finishedJob(await request(`/lab/jobs/${kept}`), tell));
  else if (state.page === "judges") runForm();
}

if (state.page === "metrics" || form) setMetrics(metrics);
/** @type {any} */ const chosen = document.querySelector("nav.methods [aria-current]");
/** @type {any} */ const menu = chosen?.closest(getComputedStyle(chosen.closest("ul")).overflowY === "auto" ? "ul" : "nav");
if (chosen) menu.scrollTop = chosen.offsetTop - menu.offsetTop - menu.clientHeight / 3; // the page itself stays where it is
const search = byId("search");
search?.addEventListener("input", () => {
  const text = search.value.toLowerCase();
  /** @type {any[]} */ const cards = [...document.querySelectorAll("#list > details")];
  for (const card of cards) card.hidden = !card.dataset.words.toLowerCase().includes(text);
  byId("none-found").hidden = cards.some((card) => !card.hidden);
});
