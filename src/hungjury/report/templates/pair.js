
  // ---- two systems on one topic; the address says which
  if (data.lists > 1) {
    const section = document.getElementById("pair").closest("section");
    const chosen = { a: document.getElementById("pair-a"), b: document.getElementById("pair-b"),
      topic: document.getElementById("pair-topic") };
    const topics = data.topics.length, depth = data.depth, top = data.top;
    const score = (s, t) => data.scores[s * topics + t];
    const better = data.smaller ? -1 : 1;
    const ahead = (a, b, t) => better * (score(a, t) - score(b, t));
    const number = (value) => value.toFixed(3).replace("-", "−");
    const signed = (value) => (value > 0 ? "+" : "") + number(value);
    const plural = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

    // A name of which all of its kind share the beginning: this is read aloud, but not shown.
    function named(text, prefix) {
      if (!prefix) return make("bdi", "id", text);
      const made = make("bdi", "id shortened", make("span", "", prefix), text.slice(prefix.length));
      made.title = text;
      return made;
    }
    const system = (s) => named(data.systems[s], data.prefix);

    // Documents that no judge labelled are numbered over all lists; their number before each list.
    const before = new Uint32Array(data.lists * topics + 1);
    for (let list = 0; list < data.lists * topics; list++) {
      const places = data.ranked.subarray(list * depth, (list + 1) * depth);
      before[list + 1] = before[list] + places.reduce((sum, found) => sum + (found === 1), 0);
    }
    const unjudged = (k) => (data.unjudgedAt[k] ? data.unjudged[data.unjudgedAt[k] - 1] : null);

    function listed(s, t) {
      const list = s * topics + t;
      let next = before[list];
      return Array.from({ length: depth }, (_, n) => {
        const at = list * depth + n, found = data.ranked[at];
        return { rank: n + 1, added: data.added[at] * data.unit, beyond: found === 0,
          document: found > 1 ? data.ends[t] + found - 2 : null,
          unjudged: found === 1 ? unjudged(next++) : null };
      }).filter((one) => !one.beyond);
    }

    // What a document adds to A minus what it adds to B; the largest of these decide.
    function deciding(first, second) {
      const adds = new Map();
      for (const [list, sign] of [[first, 1], [second, -1]]) {
        for (const { document: d, added } of list) {
          if (d !== null) adds.set(d, (adds.get(d) ?? 0) + sign * added);
        }
      }
      const order = [...adds].filter(([, v]) => v !== 0).sort(([, v], [, w]) => Math.abs(w) - Math.abs(v));
      let left = order.reduce((sum, [, v]) => sum + Math.abs(v), 0) / 2;
      const marked = new Map();
      for (const [d, v] of order) {
        if (left <= 1e-9) break;
        marked.set(d, v);
        left -= Math.abs(v);
      }
      return marked;
    }

    const label = (d, k) => data.labels[k * data.documents.length + d];
    const written = (value) => (data.soft ? `${value} %` : String(value));
    const shade = (value) => {
      const share = data.soft ? value / 100 : value / top;
      return share <= 0 ? 0 : share >= 1 ? 3 : share <= 0.5 ? 1 : 2;
    };
    function votes(d) {
      const strip = make("span", "votes"), counts = new Map();
      strip.setAttribute("role", "img");
      data.judges.forEach((judge, k) => {
        const value = label(d, k), none = value === data.none;
        const cell = make("i", none ? "none" : `g${shade(value)}`, none ? "·" : data.soft ? "" : String(value));
        cell.title = `${judge}: ${none ? "no label" : written(value)}`;
        strip.append(cell);
        if (!none) counts.set(value, (counts.get(value) ?? 0) + 1);
      });
      const words = [...counts].sort(([v], [w]) => w - v)
        .map(([value, count]) => `${written(value)} by ${plural(count, "judge")}`);
      strip.setAttribute("aria-label", words.length ? `Labels: ${words.join(", ")}` : "No labels");
      return strip;
    }
    const gold = (d) => (data.gold.length && data.gold[d] !== NOT_KNOWN ? data.gold[d] / 100 : null);
    const chance = (d, k) => data.chances[(k - 1) * data.documents.length + d];

    function facts(d, added) {
      const line = make("p", "facts-line", `P(≥ ${data.threshold}) ${chance(d, data.threshold)} %`);
      if (data.chances.length === data.documents.length) line.textContent = `P(relevant) ${chance(d, 1)} %`;
      if (gold(d) !== null) line.append(" · ", make("b", "", `gold ${gold(d)}`));
      line.append(` · adds ${number(added)}`);
      return line;
    }
    function more(d) {
      const all = make("details", "", make("summary", "", "Labels", make("span", "hidden", ` of ${data.documents[d]}`)));
      all.addEventListener("toggle", () => {
        if (all.childElementCount > 1) return;
        const rows = make("ul", "labels");
        if (gold(d) !== null) rows.append(make("li", "", make("b", "", "gold"), ` ${gold(d)}`));
        data.judges.forEach((judge, k) => {
          const value = label(d, k);
          rows.append(make("li", "", named(judge, data.judgesPrefix), ` ${value === data.none ? "–" : written(value)}`));
        });
        const steps = data.chances.length / data.documents.length;
        const chances = Array.from({ length: steps }, (_, k) => `P(≥ ${k + 1}) ${chance(d, k + 1)} %`);
        all.append(rows, ...(steps > 1 ? [make("p", "facts-line", chances.join(" · "))] : []));
      });
      return all;
    }
    function text(id) {
      const found = data.texts?.[id];
      if (!found) return [];
      const [title, body] = found;
      const box = make("details", "text", make("summary", "", make("b", "", title), title && body ? " " : "", body));
      box.firstChild.dir = "auto";
      box.firstChild.title = "Show all of it";
      return [box];
    }

    // What tells documents apart: a number, or the id of one that no judge labelled.
    const identity = (one) => one.document ?? (one.unjudged === null ? null : `id ${one.unjudged}`);
    function row(one, marked, ranks, other) {
      const { document: d } = one;
      const item = make("li", "", make("span", "rank", String(one.rank)));
      const box = make("div", "");
      item.append(box);
      const key = identity(one);
      const elsewhere = ranks.has(key) ? `rank ${ranks.get(key)} of ${other}` : `not in ${other}’s first ${depth}`;
      if (key !== null) item.dataset.document = key;
      if (d === null) {
        item.className = "unjudged";
        if (key === null) box.append(make("p", "", "A document that no judge labelled"));
        else box.append(make("p", "", isolated(one.unjudged), " ", make("small", "", `${elsewhere}; no judge labelled it`)),
          ...text(one.unjudged));
        return item;
      }
      box.append(make("p", "", named(data.documents[d], data.documentsPrefix), " ", make("small", "", elsewhere)),
        ...text(data.documents[d]), votes(d));
      const line = facts(d, one.added);
      const foot = make("div", "foot", line, more(d));
      if (marked.has(d)) {
        const by = better * marked.get(d), side = by > 0 ? "A" : "B";
        item.classList.add("decides", `for-${side.toLowerCase()}`);
        const mark = make("span", "mark", `decides: ${number(Math.abs(by))} for ${side}`);
        mark.title = "One of the documents that make up half of the difference between the lists";
        line.append(" ", mark);
      }
      box.append(foot);
      return item;
    }

    function difference(a, b, t) {
      const by = ahead(a, b, t);
      const summary = document.getElementById("pair-summary");
      const wins = Array.from({ length: topics }, (_, u) => Math.sign(ahead(a, b, u)));
      const count = (sign) => wins.filter((one) => one === sign).length;
      summary.replaceChildren("Topic ", isolated(data.topics[t]), `: ${number(score(a, t))} for A, ${number(score(b, t))} for B`,
        by === 0 ? ". They are equal." : `; ${by > 0 ? "A" : "B"} is better by ${number(Math.abs(by))}.`,
        ` Of ${plural(topics, "topic")} A is better on ${count(1)}, B on ${count(-1)}.`,
        ` P(A beats B) = ${percent(beats(a, b))}${apart(a, b) ? "" : ", not told apart"}.`);
    }
    function query(t) {
      const box = document.getElementById("pair-query"), found = data.queries?.[data.topics[t]];
      box.hidden = !found;
      if (found) box.replaceChildren(make("b", "", found[0]), found[1] ? ` ${found[1]}` : "");
    }

    // All topics, from A's best to B's best; a bar can be clicked, the box of topics offers the same.
    const bars = document.getElementById("pair-bars");
    let sorted = [];
    function drawBars(a, b, t) {
      const size = Math.max(...sorted.map((u) => Math.abs(ahead(a, b, u))), 1e-9);
      const path = (sign) => sorted.map((u, x) => {
        const by = ahead(a, b, u);
        return by * sign > 0 ? `M${x + 0.5} 1v${(-by / size).toFixed(3)}` : "";
      }).join("");
      bars.setAttribute("viewBox", `0 0 ${topics} 2`);
      bars.querySelector(".for-a").setAttribute("d", path(1));
      bars.querySelector(".for-b").setAttribute("d", path(-1));
      bars.querySelector(".base").setAttribute("d", `M0 1H${topics}`);
      bars.querySelector(".here").setAttribute("x", sorted.indexOf(t));
    }
    const barAt = (event) => {
      const box = bars.getBoundingClientRect();
      return sorted[Math.min(Math.max(Math.floor(((event.clientX - box.left) / box.width) * topics), 0), topics - 1)];
    };

    let now = null;
    function render(wanted) {
      const { a, b, topic: t } = wanted;
      if (!now || now.a !== a || now.b !== b) {
        sorted = [...Array(topics).keys()].sort((u, v) => ahead(a, b, v) - ahead(a, b, u));
        chosen.topic.replaceChildren(...sorted.map((u) => new Option(`${data.topics[u]}  (${signed(ahead(a, b, u))})`, u)));
      }
      now = wanted;
      for (const [key, box] of Object.entries(chosen)) box.value = String(wanted[key]);
      difference(a, b, t);
      query(t);
      drawBars(a, b, t);
      const [first, second] = [listed(a, t), listed(b, t)];
      const marked = deciding(first, second);
      const ranks = (list) => new Map(list.map((one) => [identity(one), one.rank]));
      for (const [key, s, list, others, other] of [["a", a, first, second, "B"], ["b", b, second, first, "A"]]) {
        document.getElementById(`pair-name-${key}`).replaceChildren(`${key.toUpperCase()} `, system(s));
        const box = document.getElementById(`pair-list-${key}`), where = ranks(others);
        box.replaceChildren(...list.map((one) => row(one, marked, where, other)));
        if (!list.length) box.append(make("li", "unjudged", "No list for this topic"));
      }
    }

    const address = ({ a, b, topic }) =>
      `#${new URLSearchParams({ a: data.systems[a], b: data.systems[b], topic: data.topics[topic] })}`;
    const telling = (a, b) => [...Array(topics).keys()].reduce((best, t) =>
      (Math.abs(ahead(a, b, t)) > Math.abs(ahead(a, b, best)) ? t : best), 0);
    const lost = document.getElementById("pair-lost");
    // What the address asks for: null if it says nothing about pairs.
    function asked() {
      const words = new URLSearchParams(location.hash.slice(1));
      if (!words.has("a") && !words.has("b")) return null;
      const a = data.systems.indexOf(words.get("a")), b = data.systems.indexOf(words.get("b"));
      const known = (s) => s >= 0 && s < data.lists;
      const topic = words.has("topic") ? data.topics.indexOf(words.get("topic")) : 0;
      lost.hidden = known(a) && known(b) && a !== b && topic >= 0;
      if (!lost.hidden) return null;
      return { a, b, topic: words.has("topic") ? topic : telling(a, b) };
    }
    // The best system, and the next one with other scores.
    function usual() {
      const others = [...Array(data.lists).keys()].slice(1);
      const b = others.find((s) => ahead(0, s, telling(0, s)) !== 0) ?? 1;
      return { a: 0, b, topic: telling(0, b) };
    }
    const go = (wanted) => { render(wanted); location.hash = address(wanted); };
    comparePair = (a, b) => {
      if (a >= data.lists || b >= data.lists) return;
      go({ a, b, topic: telling(a, b) });
      section.scrollIntoView();
    };

    for (const key of ["a", "b"]) {
      chosen[key].append(...data.systems.slice(0, data.lists).map((name, s) => new Option(`${s + 1}  ${name}`, s)));
      chosen[key].addEventListener("change", () => {
        const wanted = { ...now, [key]: Number(chosen[key].value) };
        if (wanted.a === wanted.b) wanted[key === "a" ? "b" : "a"] = now[key];
        go(wanted);
      });
    }
    chosen.topic.addEventListener("change", () => go({ ...now, topic: Number(chosen.topic.value) }));
    bars.addEventListener("click", (event) => go({ ...now, topic: barAt(event) }));
    bars.addEventListener("pointermove", (event) => {
      const t = barAt(event);
      show([isolated(data.topics[t]), line(), `A − B = ${signed(score(now.a, t) - score(now.b, t))}`], event.clientX, event.clientY);
    });
    bars.addEventListener("pointerleave", hide);
    for (const key of ["a", "b"]) {
      const box = document.getElementById(`pair-list-${key}`);
      const light = (event) => {
        const d = event.target.closest("[data-document]")?.dataset.document;
        for (const item of section.querySelectorAll("[data-document]")) {
          item.classList.toggle("same", item.dataset.document === d);
        }
      };
      for (const kind of ["pointerover", "focusin"]) box.addEventListener(kind, light);
      box.addEventListener("pointerleave", () => light({ target: document.body }));
    }
    addEventListener("hashchange", () => {
      const wanted = asked();
      if (wanted && address(wanted) === address(now)) return;  // `go` has shown it
      if (wanted || !location.hash) render(wanted ?? usual());
    });
    section.hidden = false;
    document.querySelector('nav a[href="#pair"]').hidden = false;
    section.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    const first = asked();
    render(first ?? usual());
    if (first || !lost.hidden) section.scrollIntoView();
  }
  document.documentElement.dataset.ready = "yes";
