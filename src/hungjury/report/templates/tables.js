  // ---- tables: they sort and filter. The report can be read without scripts.
  // Numbers are in data-v; a cell with neither number nor text goes last
  const collator = new Intl.Collator(undefined, { numeric: true });
  const key = (cell) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const text = cell.textContent.trim();
    return text === "" || text === "–" || text === "not known" ? null : text;
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : collator.compare(a, b);

  function sort(table, head, button) {
    const column = head.cellIndex;
    const now = head.getAttribute("aria-sort");
    const up = now ? now === "descending" : button.dataset.first === "asc";
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [key(row.cells[column]), row]);
    rows.sort(([a], [b]) => {
      if (a === null || b === null) return (a === null) - (b === null);
      return up ? compare(a, b) : compare(b, a);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    for (const button of table.tHead.querySelectorAll("button")) {
      const head = button.closest("th");
      button.addEventListener("click", () => sort(table, head, button));
    }
  }

  // ---- filtering
  const plain = (text) => text.normalize("NFC").toLowerCase();
  for (const form of document.querySelectorAll("form.filter")) {
    const input = form.querySelector("input");
    const rows = [...document.getElementById(input.dataset.filter).tBodies[0].rows];
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    input.addEventListener("input", () => {
      const wanted = plain(input.value.trim());
      let shown = 0;
      for (const row of rows) {
        row.hidden = !plain(row.querySelector("th").textContent).includes(wanted);
        shown += !row.hidden;
      }
      form.querySelector("output").value = wanted ? `${shown} of ${rows.length} shown` : "";
    });
  }

