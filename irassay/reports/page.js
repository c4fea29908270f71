(() => {
  const held = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;

  // Themes: the reader's choice, or else the system's.
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);
  const remembered = (value) => {
    try { return value === undefined ? localStorage.getItem("irassay-theme") : localStorage.setItem("irassay-theme", value); }
    catch { return null; } // a page opened from a file may have no storage
  };
  if (["light", "dark"].includes(remembered())) root.dataset.theme = remembered();
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    remembered(root.dataset.theme);
    redraw();
  });
  system.addEventListener("change", () => redraw());

  // Charts are drawn when they come near; one view that has a width of its own is fitted to the room there is.
  const alive = new Map();
  const isPhone = () => root.clientWidth < 600;
  const fitted = (spec, room) => {
    if (spec.usermeta?.scrolls) return spec; // its boxes are as wide as their text
    const narrow = isPhone();
    const config = narrow ? { axis: { labelLimit: Math.round(room * 0.46) }, legend: { orient: "bottom", columns: 2 } } : {};
    if (spec.facet || spec.hconcat || spec.vconcat || spec.concat || spec.repeat)
      return narrow ? { ...below(inLines(spec, room)), config } : spec;
    const isSquare = spec.width === spec.height; // a matrix
    if (typeof spec.width !== "number" || (isSquare && spec.width + 260 < room)) return narrow ? { ...inLines(spec, room), config } : spec;
    const width = Math.min(room - 4, isSquare ? spec.width : 2 * spec.width + 80);
    const padding = { left: 5, top: 5, bottom: 5, right: 18 }; // room for half of the last label of an axis
    return { ...(narrow ? inLines(spec, room) : spec), width, padding, config, usermeta: { fits: true } };
  };
  // On a phone charts that stand side by side stand below each other, and titles go over several lines.
  const below = (spec) => {
    const { hconcat, ...rest } = spec;
    const parts = { vconcat: hconcat || spec.vconcat, concat: spec.concat };
    for (const key of Object.keys(parts)) parts[key] ? (rest[key] = parts[key].map(below)) : delete rest[key];
    return spec.concat || spec.facet || spec.repeat ? { ...rest, columns: 1 } : rest;
  };
  const inLines = (spec, room) => {
    const lines = (text, most) => {
      const made = [""];
      for (const word of text.split(" ")) {
        const last = made[made.length - 1];
        if (last && last.length + word.length >= most) made.push(word); else made[made.length - 1] = last ? `${last} ${word}` : word;
      }
      return made.length > 1 ? made : text;
    };
    const labelLines = (most) => `length(datum.label) > ${most} ? split(replace(datum.label, /(.{1,${most}}) /g, '$1\\n'), '\\n') : datum.label`;
    const letters = { x: room / 18, y: 42, title: room / 9, text: room / 9, subtitle: room / 7 };
    const right = "scale('x', datum.consistency) > width / 2";
    const inward = (mark) => ({ ...mark, fontSize: 9, align: { expr: `${right} ? 'right' : 'left'` }, dx: { expr: `${right} ? -8 : 8` } });
    const paired = { labelExpr: "split(datum.label, ' / ')", labelLimit: room * 0.46, labelFontSize: 8, labelLineHeight: 9, labelOffset: -4 };
    const walk = (each, name) => {
      if (Array.isArray(each)) return name === "values" ? each : each.map((one) => walk(one, name));
      if (each === null || typeof each !== "object") return each;
      const scattered = each.mark?.type === "text" && each.encoding?.x?.field === "consistency";
      const made = Object.fromEntries(Object.entries(each).map(([key, value]) => {
        if (key === "mark" && scattered) return [key, inward(value)];
        if (key === "y" && value?.field === "pair") return [key, { ...value, axis: { ...value.axis, ...paired } }];
        if (["color", "shape", "strokeDash"].includes(key) && value?.type === "nominal" && value.legend !== null)
          return [key, { ...value, legend: { ...value.legend, labelExpr: labelLines(value.legend?.columns === 1 ? 45 : 20) } }];
        const most = key === "title" && (name === "x" || name === "y") ? letters[name]
          : key === "title" || (name === "title" && (key === "text" || key === "subtitle")) ? letters[key] : 0;
        if (most && typeof value === "string") return [key, lines(value, most)];
        return [key, key === "subtitle" ? value.flatMap((line) => lines(line, most)) : walk(value, key)];
      }));
      return scattered ? { ...made, transform: [{ filter: "datum.phone" }] } : made;
    };
    return walk(spec, "");
  };
  // A chart that is still wider than a phone is drawn again with as much less; where that is too little, it scrolls.
  const smaller = (spec, excess, inner) => {
    const walk = (each) => {
      if (Array.isArray(each)) return each.map(walk);
      if (each === null || typeof each !== "object" || each.values) return each;
      return Object.fromEntries(Object.entries(each).map(([key, value]) => {
        if (key === "width" && typeof value === "number" && value > 60) return [key, Math.max(140, value - excess)];
        if (key === "width" && value?.step) return [key, { step: Math.max(11, (value.step * (inner - excess)) / inner) }];
        return [key, ["spec", "layer", "concat", "vconcat"].includes(key) ? walk(value) : value];
      }));
    };
    return walk(spec);
  };
  const merged = (one, other) => {
    const out = { ...one };
    for (const [key, value] of Object.entries(other || {}))
      out[key] = value && typeof value === "object" && !Array.isArray(value) ? merged(out[key] || {}, value) : value;
    return out;
  };
  const draw = async (figure) => {
    const theme = isDark() ? "dark" : "light";
    if (alive.get(figure)?.theme === theme || !figure.clientWidth) return;
    alive.get(figure)?.result?.finalize();
    const state = { theme };
    alive.set(figure, state);
    const room = figure.clientWidth;
    const spec = fitted(unpackedSpec(held.charts[figure.dataset.chart], isDark() ? held.dark : {}), room);
    const config = merged({ ...held.config[theme], background: "transparent" }, spec.config);
    // Set in Vega, because Vega-Lite warns of rows of fixed height, which fit-x does not change.
    const patch = (vega) => (spec.usermeta?.fits ? { ...vega, autosize: { type: "fit-x", contains: "padding" } } : vega);
    // Its own guess of the mode takes panels in a grid for Vega, and draws nothing.
    const embed = (shown) => vegaEmbed(figure, { ...shown, config }, { mode: "vega-lite", actions: false, renderer: "canvas", tooltip: { theme }, patch });
    let made = spec, result = await embed(made);
    // Labels do not shrink with the plot, so once may not be enough.
    for (let n = 0; n < 6 && isPhone() && !spec.usermeta?.scrolls && figure.scrollWidth > figure.clientWidth; n++) {
      made = smaller(made, figure.scrollWidth - figure.clientWidth + 2, result.view.width());
      result.finalize();
      result = await embed(made);
    }
    if (alive.get(figure) !== state) { result.finalize(); return; }
    state.result = result;
    figure.dataset.drawn = "yes";
    if (spec.usermeta?.scrolls) figure.dataset.scrolls = "yes";
  };
  const near = new IntersectionObserver((seen) => {
    for (const entry of seen) {
      entry.target.dataset.near = entry.isIntersecting ? "yes" : "";
      if (entry.isIntersecting) draw(entry.target);
    }
  }, { rootMargin: "300px" });
  const figures = [...document.querySelectorAll("figure.chart")];
  figures.forEach((figure) => near.observe(figure));
  const redraw = () => figures.filter((figure) => alive.has(figure)).forEach((figure) => {
    if (figure.dataset.near) draw(figure);
  });

  // On paper everything is open, drawn and light. Drawing only waits for promises, which are all kept by the time that
  // the event is over, so that no chart is missing even where printing follows at once.
  let before = null;
  const paper = () => {
    if (before) return;
    before = { theme: root.dataset.theme, closed: [...document.querySelectorAll("details:not([open])")] };
    before.closed.forEach((each) => { each.open = true; });
    root.dataset.theme = "light";
    figures.forEach((figure) => draw(figure));
  };
  const screen = () => {
    if (!before) return;
    before.closed.forEach((each) => { each.open = false; });
    if (before.theme) root.dataset.theme = before.theme; else delete root.dataset.theme;
    before = null;
    redraw();
  };
  addEventListener("beforeprint", paper);
  addEventListener("afterprint", screen);
  const printing = matchMedia("print");
  printing.addEventListener("change", () => (printing.matches ? paper() : screen()));

  // The metrics that may be best by every criterion ticked: those that are behind nobody.
  const chosen = document.getElementById("chosen");
  const pick = () => {
    const ticked = [...document.querySelectorAll("#picker input:checked")].map((box) => box.value);
    const { metrics, behind, missing } = held.picker;
    [...chosen.querySelectorAll(".chip")].forEach((chip, m) => {
      const why = ticked.filter((name) => behind[name][m].length).map((name) => `${name}: behind ${behind[name][m].map((rival) => metrics[rival]).join(", ")}`);
      why.push(...ticked.filter((name) => missing[name].includes(m)).map((name) => `${name}: not compared`));
      chip.classList.toggle("off", why.length > 0);
      chip.title = why.join("; ") || "may be best";
    });
    document.getElementById("none-chosen").hidden = chosen.querySelector(".chip:not(.off)") !== null;
  };
  if (chosen) {
    document.querySelectorAll("#picker input").forEach((box) => box.addEventListener("change", pick));
    pick();
  }

  // A table with more rows or columns than are seen says so, and can be seen whole.
  const cues = new Map();
  const cued = (box) => {
    const cue = cues.get(box);
    const right = (head) => head.getBoundingClientRect().right - box.getBoundingClientRect().left + box.scrollLeft;
    const seen = (all, size) => all.filter(size).length;
    const lines = [...box.querySelectorAll("tbody tr")], heads = [...box.querySelectorAll("th")];
    const room = box.classList.contains("all") ? Infinity : box.clientHeight;
    const down = seen(lines, (row) => row.offsetTop + row.offsetHeight <= room + 2);
    const across = seen(heads, (head) => right(head) <= box.clientWidth + 2);
    const more = [];
    if (down < lines.length) more.push(`${lines.length - down} more of ${lines.length} rows`);
    if (across < heads.length) more.push(`${heads.length - across} more of ${heads.length} columns`);
    cue.text.textContent = more.length ? `${more.join(" and ")}: scroll${down < lines.length ? ", or " : "."}` : "";
    cue.button.hidden = !(down < lines.length) && !box.classList.contains("all");
    cue.button.textContent = box.classList.contains("all") ? "show fewer rows" : "show all rows";
    cue.line.hidden = !more.length && cue.button.hidden;
    const rest = box.scrollHeight - box.clientHeight - box.scrollTop;
    box.classList.toggle("cut", down < lines.length && rest > 8);
  };
  document.querySelectorAll(".scroll").forEach((box) => {
    const line = document.createElement("p"), text = document.createElement("span"), button = document.createElement("button");
    line.className = "cue";
    button.type = "button";
    button.className = "quiet";
    button.addEventListener("click", () => { box.classList.toggle("all"); cued(box); });
    line.append(text, button);
    box.after(line);
    cues.set(box, { line, text, button });
    box.addEventListener("scroll", () => cued(box), { passive: true });
    new ResizeObserver(() => cued(box)).observe(box);
  });

  // LaTeX of a table, to be copied.
  const dialog = document.getElementById("latex");
  const area = dialog.querySelector("textarea");
  document.getElementById("copy").addEventListener("click", (event) => copyText(area.value, event.target));
  document.getElementById("close").addEventListener("click", () => dialog.close());
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button?.dataset.latex) {
      area.value = held.latex[button.dataset.latex];
      dialog.showModal();
      area.select();
    } else if (button?.dataset.copy) {
      copyText(document.getElementById(button.dataset.copy).textContent, button);
    } else if (button?.parentNode.matches("thead th")) {
      sortTable(button.parentNode);
    }
  });

  // A link to a card opens it, also when the address has it already.
  const opened = (hash) => {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (target && target.matches("details")) { target.open = true; target.scrollIntoView(); }
  };
  document.addEventListener("click", (event) => { opened(event.target.closest("a")?.hash ?? ""); });
  addEventListener("hashchange", () => opened(location.hash));
  opened(location.hash);
  const all = document.getElementById("all");
  const every = [...document.querySelectorAll("details.card")];
  const label = () => { if (all) all.textContent = every.every((card) => card.open) ? "Close all" : "Open all"; };
  all?.addEventListener("click", () => {
    const open = !every.every((card) => card.open);
    every.forEach((card) => { card.open = open; });
    label();
  });
  label();

  // The list of contents says where the reader is.
  const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
  const spy = new IntersectionObserver((seen) => {
    for (const entry of seen) {
      if (!entry.isIntersecting) continue;
      links.forEach((link) => link.classList.remove("here"));
      const link = links.get(entry.target.id);
      if (!link) continue;
      link.classList.add("here");
      const bar = link.parentNode;
      bar.scrollTo({ left: link.offsetLeft - bar.clientWidth / 3 });
    }
  }, { rootMargin: "-15% 0px -80% 0px" });
  document.querySelectorAll("main > section").forEach((section) => spy.observe(section));
})();
