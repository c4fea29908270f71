// The example ranking: documents are dragged with the mouse, a finger or a pen, or moved with the arrow keys.
import { element, say } from "./lab.js";
import { colour } from "./plot.js";

/**
 * The list of an example ranking, and a function that shows what each rank earns for each user.
 * @param {any} list @param {number[]} ranking grades from the top; they are changed in place
 * @param {() => number} topGrade of the judging scale @param {() => void} changed
 */
export function exampleRanking(list, ranking, topGrade, changed) {
  /** @type {any} */ let dragged = null;
  const items = ranking.map(rankingItem); // of the list, in the order of `ranking`
  list.replaceChildren(...items);

  /** A document of the ranking. */
  function rankingItem() {
    const at = () => items.indexOf(item);
    const regrade = (/** @type {number} */ grade) => { ranking[at()] = grade; changed(); };
    const item = element("li", {
      tabindex: 0,
      keydown: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === "ArrowUp" || event.key === "ArrowDown") { event.preventDefault(); moveDocument(at(), event.key === "ArrowUp" ? -1 : 1); }
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
            moveDocument(at(), step);
          }
        }
      },
      lostpointercapture: () => { dragged = null; item.classList.remove("dragged"); },
    }, element("span", { class: "grip", "aria-hidden": "true" }, "⠿"), element("span", { class: "rank" }),
      element("button", { type: "button", class: "grade", click: () => regrade((ranking[at()] + 1) % (Math.max(3, topGrade()) + 1)) }), element("span", { class: "earnings" }));
    return item;
  }

  /** Moves a document by one rank; its neighbour's element is moved, so that it keeps the focus and the pointer. @param {number} from @param {number} step */
  function moveDocument(from, step) {
    const to = from + step;
    if (to < 0 || to >= ranking.length) return;
    list.insertBefore(items[to], step < 0 ? items[from].nextSibling : items[from]);
    for (const each of [ranking, items]) [each[from], each[to]] = [each[to], each[from]];
    say(`Moved to rank ${to + 1}.`);
    changed();
  }

  /** @param {any[]} users as the bench answers about them */
  return function showEarnings(users) {
    const most = Math.max(...users.flatMap((user) => (user.curves?.earned || []).map((/** @type {number|null} */ x) => Math.abs(x ?? 0))), 1e-12);
    items.forEach((item, i) => {
      const grade = ranking[i], [rank, change, earned] = ["rank", "grade", "earnings"].map((name) => item.querySelector(`.${name}`));
      item.className = `grade-${Math.min(grade, 4)}${item === dragged ? " dragged" : ""}`;
      item.setAttribute("aria-label", `Rank ${i + 1}, grade ${grade}, ${users.map((user) => `earns ${(user.curves?.earned?.[i] ?? 0).toFixed(4)} by ${user.label}`).join(", ")}`);
      rank.textContent = String(i + 1);
      change.textContent = `grade ${grade}`;
      change.setAttribute("aria-label", `Grade ${grade} at rank ${i + 1}, change it`);
      earned.replaceChildren(...users.map((user, n) => {
        const value = user.curves?.earned?.[i] ?? 0, bar = element("span", { class: "bar" });
        bar.style.width = `${(100 * Math.abs(value)) / most}%`;
        bar.style.background = colour(n);
        return element("span", { class: "earned" }, element("span", { class: "track", "aria-hidden": "true" }, bar), element("span", { class: "value" }, value ? value.toFixed(4) : "0"));
      }));
    });
  };
}
