  // ---- figures: the ranking against one system, and what is under the pointer
  const tip = document.getElementById("tip");
  const percent = (thousandths) =>
    thousandths > 0 && thousandths < 5 ? "<1 %"
      : thousandths > 995 && thousandths < 1000 ? ">99 %" : `${Math.round(thousandths / 10)} %`;
  // Place of a pair, row before column, in an upper triangle written row by row.
  const place = (row, column, size) => row * size - (row * (row + 1)) / 2 + column - row - 1;

  const size = data.systems.length;
  const beats = (a, b) => (a < b ? data.beats[place(a, b, size)] : 1000 - data.beats[place(b, a, size)]);
  const apart = (a, b) => data.apart[place(Math.min(a, b), Math.max(a, b), size)] === 1;
  const make = (tag, look, ...children) => {
    const made = document.createElement(tag);
    if (look) made.className = look;
    made.append(...children);
    return made;
  };
  const isolated = (name) => make("bdi", "", name);

  const ranked = document.getElementById("systems");
  const picks = [...ranked.querySelectorAll(".pick")];
  function pick(chosen) {
    picks.forEach((button, s) => {
      button.setAttribute("aria-pressed", String(s === chosen));
      const cell = button.closest("tr").querySelector(".versus");
      if (s === chosen) {
        delete cell.dataset.v;
        cell.textContent = "–";
        return;
      }
      cell.dataset.v = beats(chosen, s) / 1000;
      cell.textContent = percent(beats(chosen, s));
      if (!apart(chosen, s)) {
        const near = make("span", "near", "≈");
        near.title = "not told apart";
        cell.prepend(near, " ");
      }
    });
    const head = ranked.tHead.rows[0].cells[ranked.tHead.rows[0].cells.length - 1];
    head.querySelector("button").textContent = `№ ${chosen + 1} wins`;
    head.removeAttribute("aria-sort");
  }
  picks.forEach((button, s) => button.addEventListener("click", () => pick(s)));

  const hide = () => { tip.hidden = true; };
  function show(parts, x, y) {
    tip.replaceChildren(...parts);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const right = x + 16 + box.width > innerWidth ? x - 16 - box.width : x + 16;
    const below = y + 16 + box.height > innerHeight ? y - 16 - box.height : y + 16;
    tip.style.left = `${Math.max(right, 4)}px`;
    tip.style.top = `${Math.max(below, 4)}px`;
  }
  const line = () => make("br");

  function pairFacts(row, column) {
    const [a, b] = [data.systems[row], data.systems[column]];
    return [`P(№ ${row + 1} beats № ${column + 1}) = ${percent(beats(row, column))}`, line(),
      isolated(a), " against ", isolated(b), line(),
      apart(row, column) ? "can be told apart" : "≈ cannot be told apart",
      ...(row < data.lists && column < data.lists ? [line(), "Click or press Enter for their lists."] : [])];
  }
  function judgeFacts(row, column) {
    const at = place(Math.min(row, column), Math.max(row, column), data.panel.length);
    const kappa = data.kappa[at], same = data.agreement[at], common = data.common[at];
    const words = kappa === NOT_KNOWN ? "kappa not known" : `kappa ${(kappa / 1000).toFixed(3)}`;
    const equal = same === NOT_KNOWN ? "" : `same label for ${percent(same)} of `;
    return [words, line(), isolated(data.panel[row]), " and ", isolated(data.panel[column]),
      line(), `${equal}${common.toLocaleString("en")} documents in common`];
  }

  let comparePair = () => {};  // set below, where there are lists
  for (const svg of document.querySelectorAll("svg.matrix")) {
    const facts = svg.dataset.matrix === "pairs" ? pairFacts : judgeFacts;
    const many = svg.viewBox.baseVal.width, top = Number(svg.dataset.top);
    const cursor = svg.querySelector(".cursor");
    let at = [0, 1];
    const leave = () => { hide(); cursor.setAttribute("visibility", "hidden"); };
    function go(row, column, x, y) {
      if (row < 0 || column < 0 || row >= many || column >= many) return leave();
      at = [row, column];
      cursor.setAttribute("x", column);
      cursor.setAttribute("y", row);
      cursor.setAttribute("visibility", "visible");
      return row === column ? hide() : show(facts(row, column), x, y);
    }
    svg.addEventListener("pointermove", (event) => {
      const box = svg.getBoundingClientRect(), cell = box.width / many;
      const row = Math.floor((event.clientY - box.top) / cell - top);
      go(row, Math.floor((event.clientX - box.left) / cell), event.clientX, event.clientY);
    });
    svg.addEventListener("pointerleave", leave);
    svg.addEventListener("blur", leave);
    const byKeys = (event) => {
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
      if (event.key === "Escape") leave();
      if (!step) return;
      event.preventDefault();
      const [row, column] = at.map((k, i) => Math.min(Math.max(k + step[i], 0), many - 1));
      const box = svg.getBoundingClientRect(), cell = box.width / many;
      go(row, column, box.left + (column + 1) * cell, box.top + (row + top + 1) * cell);
    };
    svg.addEventListener("keydown", byKeys);
    if (svg.dataset.matrix === "pairs") {
      const open = () => { if (at[0] !== at[1]) { hide(); comparePair(...at); } };
      svg.addEventListener("click", open);
      svg.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
    }
  }

  const list = (places) => {
    const ranges = [];
    for (const s of places) {
      const last = ranges[ranges.length - 1];
      if (last && s === last[1] + 1) last[1] = s;
      else ranges.push([s, s]);
    }
    return ranges.map(([a, b]) => (a === b ? `${a + 1}` : `${a + 1}–${b + 1}`)).join(", ");
  };
  if (size > 1) {
    picks.forEach((button, s) => {
      const figure = button.closest("tr").querySelector(".figure");
      figure.addEventListener("pointermove", (event) => {
        const cells = button.closest("tr").cells;
        const near = [...Array(size).keys()].filter((t) => t !== s && !apart(s, t));
        show([isolated(data.systems[s]), line(),
          `${cells[2].textContent}, interval ${figure.nextElementSibling.textContent}`, line(),
          near.length ? `not told apart from № ${list(near)}` : "told apart from all others"],
        event.clientX, event.clientY);
      });
      figure.addEventListener("pointerleave", hide);
    });
  }
  addEventListener("scroll", hide, { passive: true });
