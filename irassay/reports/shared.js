"use strict";
// What the report and the lab share: the report has this text in its page, and the lab serves it as a module.

/** Data come by column, with words by number; Vega wants rows. @param {any} packed */
function packedRows(packed) {
  const names = Object.keys(packed);
  const size = names.length ? (packed[names[0]].words ? packed[names[0]].at : packed[names[0]]).length : 0;
  return Array.from({ length: size }, (_, i) => {
    /** @type {Record<string, any>} */ const row = {};
    for (const name of names) {
      const column = packed[name];
      const value = column.words ? column.words[column.at[i]] : column[i];
      if (value !== null) row[name] = value;
    }
    return row;
  });
}

/** A specification with its data as rows, and some colours by others; white around text becomes the colour of the page. @param {any} spec @param {Record<string, string>} colours @returns {any} */
function unpackedSpec(spec, colours) {
  if (typeof spec === "string") return colours[spec] || spec;
  if (Array.isArray(spec)) return spec.map((each) => unpackedSpec(each, colours));
  if (spec === null || typeof spec !== "object") return spec;
  if (spec.packed) { const { packed, ...rest } = spec; return { ...rest, values: packedRows(packed) }; }
  const ground = () => getComputedStyle(document.documentElement).getPropertyValue("--ground").trim() || "white";
  return Object.fromEntries(Object.entries(spec).map(([key, value]) => [key, key === "stroke" && value === "white" ? ground() : unpackedSpec(value, colours)]));
}

/** Sorts a table by the column of a heading: numbers by size, what is missing last. @param {any} head */
function sortTable(head) {
  const table = head.closest("table");
  const place = [...head.parentNode.children].indexOf(head);
  const numeric = head.classList.contains("n");
  const before = head.getAttribute("aria-sort");
  const up = before ? before !== "ascending" : !numeric;
  for (const other of head.parentNode.children) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const number = (/** @type {string} */ text) => {
    const value = parseFloat(text.replace(/[,<]/g, ""));
    return Number.isNaN(value) ? null : value;
  };
  const keyed = [...table.tBodies[0].rows].map((row) => {
    const text = row.cells[place].firstChild ? row.cells[place].textContent.trim() : "";
    return { row, key: /** @type {any} */ (numeric ? number(text) : text) };
  });
  const words = new Intl.Collator("en", { numeric: true });
  keyed.sort((a, b) => {
    if (numeric && (a.key === null || b.key === null)) return Number(a.key === null) - Number(b.key === null);
    const order = numeric ? a.key - b.key : words.compare(a.key, b.key);
    return up ? order : -order;
  });
  table.tBodies[0].append(...keyed.map((each) => each.row));
}

/** Copies a text, also where a page may not use the clipboard, and says so on the button. @param {string} text @param {any} button */
async function copyText(text, button) {
  try { await navigator.clipboard.writeText(text); }
  catch {
    const hidden = document.createElement("textarea");
    hidden.value = text;
    (button.closest("dialog") || document.body).append(hidden);
    hidden.select();
    document.execCommand("copy");
    hidden.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1200);
}
