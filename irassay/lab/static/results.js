// Jobs and their results: a view, the command and code for it, and what to take away.
import { drawCharts } from "./charts.js";
import { copyText, sortTable } from "./shared.js";
import { Problem, element, request, response, say, state } from "./lab.js";

/** @param {{state: string}} job */
const hasEnded = (job) => ["done", "failed", "cancelled"].includes(job.state);

/**
 * Follows a job to its end.
 * @param {any} job @param {(job: any) => void} tell
 */
export function followed(job, tell) {
  if (hasEnded(job)) return Promise.resolve(job);
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/jobs/${job.id}/events`);
    events.onmessage = (event) => {
      const now = JSON.parse(event.data);
      tell(now);
      if (hasEnded(now)) { events.close(); resolve(now); }
    };
    events.onerror = async () => {
      events.close();
      try { const now = await request(`/lab/jobs/${job.id}`); hasEnded(now) ? resolve(now) : setTimeout(() => followed(now, tell).then(resolve, reject), 500); } catch (error) {
        const isGone = /** @type {any} */ (error).status === 404; // it was removed with its collection
        isGone ? resolve({ ...job, state: "cancelled", detail: "The job was cancelled." }) : reject(error);
      }
    };
  });
}

/** Runs a method as a job. @param {any} body @param {(job: any) => void} tell */
export async function runMethod(body, tell) {
  return finishedJob(await request("/lab/run", { collection: state.collection?.id, ...body }), tell);
}

/** A job at its end. @param {any} job @param {(job: any) => void} tell */
export async function finishedJob(job, tell) {
  tell(job);
  const end = await followed(job, (now) => tell({ ...job, ...now }));
  if (end.state !== "done") throw new Problem(end.problem || { detail: end.detail }, 422);
  return { ...job, ...end };
}

/** Says that a result is being computed, in place of an older one; the page keeps its length. @param {any} place @param {string} text */
export function showPending(place, text) {
  place.style.minHeight = `${place.offsetHeight}px`;
  place.replaceChildren(element("p", { class: "hint pending" }, text));
}

/**
 * Shows the result of a job: its view, the command and code for it, and what to take away.
 * @param {any} place @param {string} id
 * @param {{folded?: boolean, isWanted?: () => boolean}} [options] whether tables and charts are behind a line; whether it is still asked for, once it is here
 */
export async function showResult(place, id, { folded = false, isWanted = () => true } = {}) {
  const panel = await request(`/lab/panel/${id}`);
  if (!isWanted()) return;
  const body = element("div", { class: "panel-body" });
  body.innerHTML = panel.html; // written by the server's templates, which escape every name
  const exhibits = body.querySelector(".exhibits");
  const draw = () => drawCharts(body, panel.charts);
  if (folded && exhibits) {
    const fold = element("details", { class: "settings", toggle: () => fold.open && draw() }, element("summary", {}, "Tables and charts"));
    exhibits.replaceWith(fold);
    fold.append(exhibits);
  }
  const take = takeAway(id, Object.keys(panel.charts).length > 0);
  place.replaceChildren(element("section", { class: "panel", "aria-label": panel.title }, element("h2", {}, panel.title), take, body, sourceOf(panel)));
  place.style.minHeight = "";
  for (const button of body.querySelectorAll("thead th button")) button.addEventListener("click", () => sortTable(button.parentNode));
  if (!folded) await draw();
  say(`The result is ready: ${panel.title}.`);
}

/** @param {string} label @param {(button: any) => void} work */
const quietButton = (label, work) => element("button", { type: "button", class: "quiet", click: (/** @type {any} */ event) => work(event.currentTarget) }, label);

/** @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const link = element("a", { href: URL.createObjectURL(content), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/**
 * Buttons that copy or download a result.
 * @param {string|(() => Promise<string>)} job its id, or what starts it when it is first wanted @param {boolean} hasChart
 */
export function takeAway(job, hasChart) {
  /** @type {Promise<string>|null} */ let started = null;
  const trouble = element("p", { class: "problem", role: "alert", hidden: true });
  /** The result in a format, while the button says what it is doing; null if it cannot be had. @param {any} button @param {string} doing @param {string} form */
  const answered = async (button, doing, form) => {
    const label = button.textContent;
    button.disabled = true;
    button.textContent = doing;
    trouble.hidden = true;
    try {
      started ??= typeof job === "string" ? Promise.resolve(job) : job();
      const answer = await response(`/api/jobs/${await started}/result?format=${form}&download=1`);
      return { content: await answer.blob(), name: answer.headers.get("Content-Disposition")?.match(/filename="(.+?)"/)?.[1] || `irassay.${form}` };
    } catch (error) {
      started = null;
      trouble.textContent = /** @type {any} */ (error).message;
      trouble.hidden = false;
      return null;
    } finally {
      button.disabled = false;
      button.textContent = label;
    }
  };
  const copy = (/** @type {string} */ label, /** @type {string} */ form) => quietButton(`Copy as ${label}`, async (button) => {
    const answer = await answered(button, "Copying …", form);
    if (answer) await copyAndSay(await answer.content.text(), button);
  });
  const download = (/** @type {string} */ label, /** @type {string} */ form) => quietButton(`Download ${label}`, async (button) => {
    const answer = await answered(button, "Preparing …", form);
    if (answer) saveFile(answer.content, answer.name);
  });
  return element("div", {}, element("p", { class: "take" }, copy("LaTeX", "latex"), copy("Markdown", "markdown"), copy("CSV", "csv"),
    ...(hasChart ? [download("PNG", "png"), download("SVG", "svg")] : []), download("JSON", "json"), download("HTML", "html")), trouble);
}

/** @type {Record<string, string>} */ const LATEX_NAMES = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" };

/**
 * Buttons that copy a table of the page, or download it and the document it shows.
 * @param {any} table @param {string} name of the downloads @param {any} document
 */
export function takeTable(table, name, document) {
  const rows = () => [...table.rows].map((/** @type {any} */ row) => [...row.cells].map((cell) => cell.dataset.plain ?? cell.textContent));
  const csv = () => rows().map((row) => row.map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")).join("\n") + "\n";
  const markdown = () => { const [head, ...body] = rows().map((row) => `| ${row.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`); return [head, head.replace(/[^|]+/g, "---").replace(/^---|---$/g, ""), ...body].join("\n") + "\n"; };
  const latex = () => {
    const [head, ...body] = rows().map((row) => `${row.map((text) => text.replace(/[\\&%$#_{}~^]/g, (/** @type {string} */ sign) => LATEX_NAMES[sign] || `\\${sign}`).replace("↑", "$\\uparrow$").replace("↓", "$\\downarrow$")).join(" & ")} \\\\`);
    return `\\begin{tabular}{rl${"r".repeat(table.rows[0].cells.length - 2)}}\n\\toprule\n${head}\n\\midrule\n${body.join("\n")}\n\\bottomrule\n\\end{tabular}\n`;
  };
  const copy = (/** @type {string} */ label, /** @type {() => string} */ text) => quietButton(`Copy as ${label}`, (button) => copyAndSay(text(), button));
  const download = quietButton("Download JSON", () => saveFile(new Blob([JSON.stringify(document, null, 1)], { type: "application/json" }), `${name}.json`));
  return element("p", { class: "take" }, copy("LaTeX", latex), copy("Markdown", markdown), copy("CSV", csv), download);
}

let codeIsOpen = false; // so that it stays open while its view is drawn again

/** The command line and the Python code of a view. @param {{command: string, python: string}} texts */
export function sourceOf(texts) {
  const part = (/** @type {string} */ label, /** @type {string} */ text) => element("div", { class: "source" },
    element("div", { class: "caption" }, element("span", {}, label), quietButton("Copy", (button) => copyAndSay(text, button))),
    element("pre", { tabindex: 0 }, text));
  const details = element("details", { class: "notes sources" }, element("summary", {}, "Command and code"), part("Command line", texts.command), part("Python", texts.python));
  details.open = codeIsOpen;
  details.addEventListener("toggle", () => { codeIsOpen = details.open; });
  return details;
}

/** @param {string} text @param {any} button */
async function copyAndSay(text, button) {
  await copyText(text, button);
  say("Copied.");
}
