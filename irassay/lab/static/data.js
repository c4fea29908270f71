// The page Data: files are chosen or dropped, and collections are opened, exported and removed.
import { byId, element, Problem, request, response, say, showProblem } from "./lab.js";
import { followed, saveFile } from "./results.js";

const form = byId("upload");
const SESSION_FILES = ["session", "results", "qrels"]; // of a folder of sessions

/** The first line of a file, unpacked if it is gzip. @param {File} file */
async function firstLine(file) {
  try {
    let stream = file.slice(0, 65536).stream();
    if (file.name.endsWith(".gz")) stream = stream.pipeThrough(new DecompressionStream("gzip"));
    const { value } = await stream.getReader().read();
    return new TextDecoder().decode(value).split("\n")[0];
  } catch { return ""; }
}

/** The files that were dropped, also those of folders. @param {DataTransfer} dropped @returns {Promise<File[]>} */
async function droppedFiles(dropped) {
  const entries = [...dropped.items].map((item) => item.webkitGetAsEntry?.());
  if (!entries.some((entry) => entry?.isDirectory)) return [...dropped.files];
  /** @param {any} entry @returns {Promise<File[]>} */
  const inside = async (entry) => {
    if (entry.isFile) return [await new Promise((resolve, reject) => entry.file(resolve, reject))];
    const reader = entry.createReader(), found = [];
    for (let some; (some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject))).length;) found.push(...some); // a hundred at a time
    return (await Promise.all(found.filter((each) => !each.name.startsWith(".")).map(inside))).flat();
  };
  return (await Promise.all(entries.filter(Boolean).map(inside))).flat();
}

/** The role that a dropped file most likely has. @param {File} file @param {File[]} all */
async function roleOf(file, all) {
  if (SESSION_FILES.includes(file.name) && SESSION_FILES.every((name) => all.some((each) => each.name === name))) return "sessions";
  const words = (await firstLine(file)).trim().split(/\s+/);
  const name = file.name.toLowerCase();
  for (const input of form.querySelectorAll("details input[type=file]")) if (name.startsWith(input.name.replace("-", "_")) || name.startsWith(input.name)) return input.name;
  if (words.length === 6 && !Number.isNaN(Number(words[4]))) return "run";
  if (words.length === 4 && /^-?\d+$/.test(words[3])) return byId("qrels").files.length ? "other" : "qrels";
  if (/qrel/.test(name)) return byId("qrels").files.length ? "other" : "qrels";
  return /\.(csv|tsv|tot)(\.gz)?$/.test(name) ? "scores" : "run";
}

/** @param {File[]} files */
async function distribute(files) {
  const sorted = [...files].sort((one, other) => Number(/qrel/i.test(other.name)) - Number(/qrel/i.test(one.name)));
  for (const file of sorted) addTo(byId(await roleOf(file, files)), file);
  showPicked();
  say(`${files.length === 1 ? "1 file is" : `${files.length} files are`} chosen; press Upload.`);
}

/** @type {any[]} */ const inputs = [...form.querySelectorAll("input[type=file][name]")];
const MOST_PICKED = 6; // files of a role that are listed

/** @param {any} input @param {File} file */
function addTo(input, file) {
  const kept = new DataTransfer();
  if (input.multiple) for (const each of input.files) kept.items.add(each);
  kept.items.add(file);
  input.files = kept.files;
  const details = input.closest("details");
  if (details) details.open = true;
}

/** @param {any} input @param {File} file */
function takeFrom(input, file) {
  const kept = new DataTransfer();
  for (const each of input.files) if (each !== file) kept.items.add(each);
  input.files = kept.files;
}

/** The chosen files, each with a menu of what it is, and a button that takes it away. */
function showPicked() {
  const label = (/** @type {any} */ input) => form.querySelector(`label[for="${input.id}"]`).textContent;
  byId("picked").replaceChildren(...inputs.flatMap((input) => {
    const rows = [...input.files].slice(0, MOST_PICKED).map((file) => element("li", {}, element("span", { class: "name", title: file.name }, file.name),
      element("select", { "aria-label": `What ${file.name} is`, change: (/** @type {any} */ event) => { takeFrom(input, file); addTo(byId(event.target.value), file); showPicked(); } },
        ...inputs.map((each) => element("option", { value: each.id, selected: each === input }, label(each)))),
      element("button", { type: "button", class: "x", "aria-label": `Leave out ${file.name}`, click: () => { takeFrom(input, file); showPicked(); } }, "×")));
    const more = input.files.length - rows.length;
    return more > 0 ? [...rows, element("li", { class: "soft" }, `and ${more} more: ${label(input).toLowerCase()}`)] : rows;
  }));
}
for (const input of inputs) input.addEventListener("change", showPicked);
byId("folder").addEventListener("change", (/** @type {any} */ event) => { distribute([...event.target.files].filter((file) => !file.name.startsWith("."))); event.target.value = ""; });
showPicked(); // a browser may keep them over a reload

/** Shows what was found in files that are still being checked, once it is known. @param {string} id */
async function showChecked(id) {
  while (!(await request(`/lab/checked/${id}`)).checked) await new Promise((resolve) => setTimeout(resolve, 1000));
  const page = new DOMParser().parseFromString(await (await fetch(`/data?collection=${id}`)).text(), "text/html");
  const open = byId(id).classList.contains("here"), now = page.getElementById(id);
  if (!now) return;
  now.classList.toggle("here", open);
  byId(id).replaceWith(now);
}
for (const each of document.querySelectorAll("[data-checking]")) showChecked(/** @type {any} */ (each).dataset.checking).catch(() => null); // it was removed

for (const kind of ["dragenter", "dragover"]) addEventListener(kind, (event) => { event.preventDefault(); form.classList.add("over"); });
addEventListener("dragleave", (event) => { if (!(/** @type {any} */ (event).relatedTarget)) form.classList.remove("over"); });
addEventListener("drop", (event) => {
  event.preventDefault();
  form.classList.remove("over");
  if (event.dataTransfer?.items.length) droppedFiles(event.dataTransfer).then(distribute);
});

form.addEventListener("submit", (/** @type {Event} */ event) => {
  event.preventDefault();
  showProblem(null);
  const bar = form.querySelector("progress"), button = form.querySelector("button");
  const sent = new XMLHttpRequest();
  bar.hidden = false;
  button.disabled = true;
  sent.upload.onprogress = (at) => { bar.value = at.loaded / at.total; };
  sent.onload = () => {
    bar.hidden = true;
    button.disabled = false;
    const answer = JSON.parse(sent.responseText || "{}");
    if (sent.status === 201) location.href = `/data?collection=${answer.id}`;
    else showProblem(new Problem(answer.refused || answer, sent.status));
  };
  sent.onerror = () => { bar.hidden = true; button.disabled = false; showProblem(new Problem({ detail: "The upload was interrupted." }, 0)); };
  sent.open("POST", "/lab/collections");
  sent.send(new FormData(form));
});

document.addEventListener("click", async (event) => {
  const button = /** @type {any} */ (event.target).closest("button");
  if (button?.dataset.remove) {
    if (!button.classList.contains("sure")) { button.classList.add("sure"); button.textContent = "Remove for good?"; return; }
    await request(`/lab/collections/${button.dataset.remove}`, undefined, { method: "DELETE" }).catch(() => null); // or it is gone already
    location.href = "/data";
  } else if (button?.dataset.export) {
    const bar = button.parentNode.querySelector("progress"), detail = button.parentNode.querySelector(".detail");
    bar.hidden = false;
    button.disabled = true;
    try {
      const job = await request("/lab/run", { collection: button.dataset.export, method: "report" });
      const end = await followed(job, (now) => { bar.value = now.progress; detail.textContent = now.detail; });
      if (end.state !== "done") throw new Problem(end.problem || end, 422);
      saveFile(await (await response(`/api/jobs/${job.id}/result?format=html`)).blob(), "report.html");
      detail.textContent = "The report is downloaded.";
    } catch (error) { detail.textContent = /** @type {any} */ (error).message; }
    bar.hidden = true;
    button.disabled = false;
  }
});
