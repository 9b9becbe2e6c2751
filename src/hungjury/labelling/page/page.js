import { duration, marked, paragraphs, terms } from "./text.js";

const REASONS = [
  "I cannot tell",
  "The text is broken or incomplete",
  "I cannot read this language",
  "I should not judge this document",
];
const POLL = 15000; // milliseconds between looks at what others did

const $ = (id) => document.getElementById(id);
let state = null; // what the server said last
let busy = false; // a request is under way: ignore keys
let shown = null; // when the clock of this document was started, or null while the page is hidden
let mode = "label"; // or "adjudicate": decide documents whose labels conflict
let spent = 0; // milliseconds that were counted before

// ---- talking to the server

const wait = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Ask until there is an answer: the server may be restarted meanwhile. */
async function post(what, body = {}) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      const reply = await fetch(what, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ ...body, mode }),
      });
      const found = await reply.json();
      if (!reply.ok) throw new Refusal(found.error ?? `Error ${reply.status}`);
      trouble("");
      return found;
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const last = "grade" in body ? ` Your label ${body.grade} will be stored when it is back.` : "";
      trouble(`The server does not answer.${last} Start it again, or wait.`);
      await wait(Math.min(500 * 1.5 ** attempt, 5000));
    }
  }
}

class Refusal extends Error {}

function trouble(text) {
  $("trouble").hidden = !text;
  $("trouble").textContent = text;
}

/** One request at a time; what it brings is shown. */
async function ask(what, body, done) {
  if (busy) return;
  busy = true;
  try {
    const before = state?.progress.batch;
    const found = await post(what, body);
    show(found);
    const next = what === "label" && found.progress.batch > before;
    say(found.refused ? "This document had another answer already; go on with this one"
      : next ? `${done}. Batch ${before} is complete: a good place to stop` : done);
  } catch (error) {
    trouble(error.message);
  } finally {
    busy = false;
  }
}

// ---- showing

function say(text) {
  $("status").textContent = text ?? "";
}

function show(found) {
  state = found;
  $("person").textContent = found.person;
  showProgress(found);
  if ($("grades").childElementCount === 0) makeGrades(found.grades);
  const task = found.task;
  $("task").hidden = task === null;
  $("finished").hidden = task !== null;
  $("answer").hidden = task === null && !found.undo;
  $("grades").hidden = $("skip").hidden = $("add-note").hidden = task === null;
  $("undo").disabled = !found.undo;
  if (task === null) showFinished(found.progress);
  else showTask(task);
}

function showTask(task) {
  const wanted = terms(task.query);
  $("topic").textContent = task.query ? task.topic : "";
  $("query").textContent = task.query || task.topic;
  $("description").textContent = task.description;
  $("description").hidden = !task.description;
  $("query-kind").textContent = task.answer ? "Question" : "Query";
  $("kind").textContent = task.answer ? "Answer" : "Document";
  $("task").setAttribute("aria-label", $("kind").textContent);
  showMore("rubric", task.rubric, new Set());
  showMore("context", task.context, wanted);
  $("document").textContent = task.title || task.text ? task.document : "";
  $("title").replaceChildren(marked(task.title || (task.text ? "" : task.document), wanted));
  $("title").hidden = $("title").textContent === "";
  $("text").replaceChildren(paragraphs(task.text, wanted));
  $("text").hidden = !task.text;
  showLink(task.link);
  showSaid(task.said);
  const before = task.before;
  $("note").value = before?.note ?? "";
  $("note-box").hidden = !$("note").value;
  for (const button of $("grades").children) {
    button.setAttribute("aria-pressed", String(before?.grade === Number(button.dataset.grade)));
    button.classList.remove("pressed");
  }
  toTop();
  $("task").focus({ preventScroll: true });
  document.title = `${task.query || task.topic} · hungjury`;
  spent = 0;
  shown = document.hidden ? null : performance.now();
}

/** A scroll by the keyboard may still be on its way; it ends with the box that it scrolls. */
function toTop() {
  const task = $("task");
  task.hidden = true;
  task.getBoundingClientRect();
  task.hidden = false;
  task.scrollTop = 0;
  window.scrollTo(0, 0);
}

/** A text that opens and closes, and stays so for the next document. */
function showMore(id, text, wanted) {
  $(id).hidden = !text;
  $(id).querySelector(".text").replaceChildren(paragraphs(text, wanted));
}

function toggle(id) {
  if (!$(id).hidden) $(id).open = !$(id).open;
}

function showLink(link) {
  $("link").hidden = !link;
  if (!link) return;
  const web = /^https?:\/\//i.test(link);
  const element = document.createElement(web ? "a" : "code");
  element.textContent = link;
  if (web) Object.assign(element, { href: link, target: "_blank", rel: "noopener noreferrer" });
  $("link").replaceChildren(element);
}

function showSaid(said) {
  $("said").hidden = said.length === 0;
  $("said").querySelector("ul").replaceChildren(...said.map((one) => {
    const line = document.createElement("li");
    const name = document.createElement("bdi");
    name.textContent = one.person;
    const grade = state.grades.find((g) => g.grade === one.grade);
    const note = one.note ? ` (${one.note})` : "";
    line.append(name, `: ${one.grade} ${grade?.meaning ?? ""}${note}`);
    return line;
  }));
}

function showFinished(progress) {
  const [head, text] = [$("finished").querySelector("h1"), $("finished").querySelector("p")];
  head.textContent = progress.left ? "Nothing left for you" : "All done. Thank you!";
  if (mode === "adjudicate" && !progress.left) head.textContent = "No conflicts left";
  text.textContent = progress.left
    ? "The other documents are being labelled by other people, or you have seen them. You may close this page; it goes "
      + "on by itself if a document becomes free."
    : mode === "adjudicate" ? `${progress.done} of ${progress.total} conflicts are decided.`
      : `${progress.done} of ${progress.total} documents have a label. You may close this page.`;
  document.title = "Done · hungjury";
  shown = null;
}

function showProgress({ progress, results }) {
  $("bar").max = Math.max(progress.total, 1);
  $("bar").value = progress.done;
  const deciding = mode === "adjudicate";
  const parts = [`${progress.done} of ${progress.total} ${deciding ? "conflicts decided" : "labelled"}`];
  if (progress.batch !== null && progress.batches > 1) {
    const left = progress.batch_left ? ` (${progress.batch_left} to go)` : "";
    parts.push(`batch ${progress.batch} of ${progress.batches}${left}`);
  }
  if (progress.seconds_left !== null && progress.left) parts.push(`${duration(progress.seconds_left)} left`);
  $("count").textContent = parts.join(" · ");
  $("conflicts").hidden = !deciding && !progress.conflicts;
  $("conflicts").textContent = deciding ? "Back to labelling"
    : `Decide ${progress.conflicts} conflict${progress.conflicts === 1 ? "" : "s"}`;
  $("open-results").hidden = !results && !progress.agreement;
  showResults(results ?? { sentences: [], columns: [], rows: [] }, progress.agreement);
}

function showResults(results, agreement) {
  const out = document.createDocumentFragment();
  for (const text of [...results.sentences, ...(agreement ? [agreement] : [])]) {
    const paragraph = document.createElement("p");
    paragraph.textContent = text;
    out.append(paragraph);
  }
  if (results.rows.length) {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const name of results.columns) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = name;
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of results.rows) {
      const line = body.insertRow();
      for (const value of row) line.insertCell().textContent = value;
    }
    out.append(table);
  }
  $("results").replaceChildren(out);
}

function makeGrades(grades) {
  $("grades").toggleAttribute("data-many", grades.length > 5);
  for (const { grade, meaning } of grades) {
    const button = document.createElement("button");
    const key = document.createElement("kbd");
    const words = document.createElement("span");
    button.type = "button";
    button.dataset.grade = grade;
    button.setAttribute("aria-keyshortcuts", String(grade));
    key.textContent = grade;
    words.textContent = meaning;
    button.append(key, words);
    button.addEventListener("click", () => label(grade));
    $("grades").append(button);
  }
}

// ---- what a person does

/** Seconds that the document was in sight. */
function seconds() {
  return (spent + (shown === null ? 0 : performance.now() - shown)) / 1000;
}

function label(grade) {
  const known = state?.grades.find((one) => one.grade === grade);
  if (!known || state.task === null || busy) return;
  $("grades").querySelector(`[data-grade="${grade}"]`).classList.add("pressed");
  const body = { item: state.task.item, grade, note: $("note").value, seconds: seconds() };
  ask("label", body, `Labelled ${grade}${known.meaning ? ` · ${known.meaning}` : ""}`);
}

function skip(reason) {
  $("skip-dialog").close();
  if (!reason || state?.task == null) return;
  const body = { item: state.task.item, reason, note: $("note").value, seconds: seconds() };
  ask("skip", body, `Skipped · ${reason}`);
}

function undo() {
  if (state?.undo) ask("undo", {}, "Went back to your last answer");
}

/** Go over to documents whose labels conflict, and back. */
function switchMode() {
  if (busy || $("conflicts").hidden) return;
  mode = mode === "label" ? "adjudicate" : "label";
  ask("task", {}, mode === "label" ? "Labelling" : "Decide which label counts");
}

function openSkip() {
  if (state?.task == null || busy) return;
  $("reason").value = "";
  $("skip-dialog").showModal();
}

function openNote() {
  if (state?.task == null) return;
  $("note-box").hidden = false;
  $("note").focus();
}

REASONS.forEach((reason, i) => {
  const button = document.createElement("button");
  const key = document.createElement("kbd");
  button.type = "button";
  key.textContent = i + 1;
  button.append(key, reason);
  button.addEventListener("click", () => skip(reason));
  $("reasons").append(button);
});
$("other-reason").addEventListener("submit", (event) => {
  event.preventDefault();
  const reason = $("reason").value.trim();
  if (reason) skip(reason);
});
$("undo").addEventListener("click", undo);
$("skip").addEventListener("click", openSkip);
$("add-note").addEventListener("click", openNote);
$("conflicts").addEventListener("click", switchMode);
$("open-help").addEventListener("click", () => $("help-dialog").showModal());
$("open-results").addEventListener("click", () => $("results-dialog").showModal());
for (const dialog of document.querySelectorAll("dialog")) {
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => $("task").focus({ preventScroll: true }));
}

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.altKey || event.metaKey || event.isComposing) return;
  const typing = event.target.matches("input, textarea");
  if (typing) {
    if (event.key === "Escape" && event.target === $("note")) {
      $("note-box").hidden = !$("note").value;
      $("task").focus({ preventScroll: true });
    }
    return;
  }
  if ($("skip-dialog").open) {
    const reason = REASONS[Number(event.key) - 1];
    if (reason && !event.ctrlKey) {
      event.preventDefault();
      skip(reason);
    }
    return;
  }
  if (document.querySelector("dialog[open]")) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey) {
    if (key !== "z") return;
    undo();
  } else if (/^[0-9]$/.test(key)) label(Number(key));
  else if (key === "u" || key === "backspace") undo();
  else if (key === "s") openSkip();
  else if (key === "n") openNote();
  else if (key === "c") switchMode();
  else if (key === "r") toggle("rubric");
  else if (key === "p") toggle("context");
  else if (key === "?") $("help-dialog").showModal();
  else return;
  event.preventDefault();
});

document.addEventListener("visibilitychange", () => {
  if (document.hidden) {
    spent = seconds() * 1000;
    shown = null;
  } else if (state?.task) shown = performance.now();
});

// ---- what others do meanwhile

setInterval(async () => {
  if (document.hidden || busy || state === null) return;
  try {
    const reply = await fetch(`progress?mode=${mode}`);
    if (!reply.ok) return;
    const found = await reply.json();
    if (busy) return;
    showProgress(found);
    if (state.task !== null) return;
    showFinished(found.progress);
    if (found.progress.left) ask("task", {});
  } catch {
    // The next answer tells that the server is away.
  }
}, POLL);

ask("task", {});
