// Texts are written by strangers: they become text nodes, never markup.

const WORD = /[\p{L}\p{N}\p{M}]+/gu;
// Words that say little; marking them would mark everything.
const COMMON = new Set((
  "a an and are as at be by can did do does for from had has have how i if in is it its of on or s t "
  + "that the their there they this to was were what when where which who why will with you your "
  + "der die das und ist im le la les des et est un une el los las de y en"
).split(" "));
const ENDINGS = /(?:ies|ing|ed|es|s|y|e)$/u;

/** A word without case, accents and common endings: "Studies" and "study", "causes" and "cause" are one. */
export function stem(word) {
  const plain = word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const short = plain.replace(ENDINGS, "");
  return short.length > 2 ? short : plain;
}

/** The words of a query that are worth marking. */
export function terms(query) {
  const words = query.match(WORD) ?? [];
  const telling = words.filter((word) => !COMMON.has(word.toLowerCase()));
  return new Set((telling.length ? telling : words).map(stem));
}

/** Text with the given words marked, as nodes. */
export function marked(text, wanted) {
  const out = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    if (!wanted.has(stem(found[0]))) continue;
    out.append(text.slice(from, found.index));
    const mark = document.createElement("mark");
    mark.textContent = found[0];
    out.append(mark);
    from = found.index + found[0].length;
  }
  out.append(text.slice(from));
  return out;
}

/** Paragraphs, with words marked. */
export function paragraphs(text, wanted) {
  const out = document.createDocumentFragment();
  for (const part of text.split(/\n\s*\n/u)) {
    const paragraph = document.createElement("p");
    paragraph.append(marked(part, wanted));
    out.append(paragraph);
  }
  return out;
}

/** "about 12 min" */
export function duration(seconds) {
  if (seconds < 90) return "about a minute";
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `about ${minutes} min`;
  const hours = seconds / 3600;
  return hours < 10 ? `about ${hours.toFixed(1)} h` : `about ${Math.round(hours)} h`;
}
