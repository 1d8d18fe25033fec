// Each gate with its message: what broke, how certain that is, which queries and documents moved, what to do next.

const OPEN = 3;

// Arrows, minus signs of intervals, and commands as a page has them; a terminal has ASCII.
function typeset(text) {
  const parts = clean(text).replace(/ -> /g, " \u2192 ").replace(/(\[|, )-(?=\d+\.\d)/g, "$1\u2212").split(/`([^`\n]+)`/);
  return parts.map((part, index) => (index % 2 ? el("code", {}, part) : part));
}

function blockTable({ head, rows, right }) {
  const isRight = (column) => right.includes(column);
  const row = (cells) =>
    el("tr", {}, cells.map((cell, column) =>
      el(column === 0 ? "th" : "td", { scope: column === 0 ? "row" : null, class: isRight(column) ? "number" : "data", "data-label": head[column] || null }, typeset(cell))));
  const table = el("table", { class: head.length ? "stacked" : "facts-table" });
  if (head.length) {
    table.append(el("thead", {}, el("tr", {}, head.map((cell, column) => el("th", { scope: "col", class: isRight(column) ? "number" : null }, typeset(cell))))));
  }
  table.append(el("tbody", {}, rows.map(row)));
  return scroll("numbers", table);
}

function moved({ rows, more }, link) {
  const item = (one) => {
    const known = queries.has(one.key);
    const id = known ? el("a", { href: link(one.key), class: "data" }, short(one.id, 60)) : el("span", { class: "data" }, short(one.id, 60));
    return el("li", {},
      el("div", { class: "query" }, id, el("span", { class: "asked data" }, short(one.text, 160)), el("span", { class: "whole" }, typeset(one.number))),
      one.details.map((detail) => el("div", { class: "document-move" },
        detail.document && el("span", { class: "data name" }, short(detail.document, 60)), detail.title && el("cite", { class: "data" }, short(detail.title, 100)),
        el("span", { class: "how" }, typeset(detail.said.trim())))));
  };
  return [el("ul", { class: "moved" }, rows.map(item)), more ? el("p", { class: "note" }, `and ${count(more)} more`) : null];
}

function block(one, link) {
  const [[kind, what]] = Object.entries(one);
  switch (kind) {
    case "paragraph": return el("p", { class: "data" }, typeset(what));
    case "nested": return el("p", { class: "nested data" }, typeset(what));
    case "preformatted": return el("pre", {}, clean(what));
    case "table": return blockTable(what);
    case "queries": return moved(what, link);
    default: return null;
  }
}

// A word as a shell takes it.
const quoted = (word) => (/^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`);

function steps(gate) {
  const all = (gate.advice || []).map(({ label, value }) => [label, value]);
  if (gate.place) all.push(["this gate", gate.place]);
  all.push(report.rerun && clean(gate.name) === gate.name ? ["run it again", `${report.rerun} ${quoted(gate.name)}`] : ["its name as a test", gate.name]);
  return el("dl", { class: "steps next" }, all.map(([purpose, action]) =>
    el("div", {}, el("dt", {}, clean(purpose)), el("dd", {}, el("code", { class: "data" }, clean(action)), " ", copyButton(action)))));
}

// The query's rankings open between the sides and by the metric that the gate compares.
function linkOf(gate) {
  const finding = gate.finding;
  const golden = sideOf(gate.configuration, "golden") >= 0 ? "golden" : null;
  const pair = pairOf(finding.candidate || gate.configuration, finding.baseline || golden || gate.configuration);
  return (id) => linkTo(id, finding.metric, pair);
}

function gateDetails(gate, index, isOpen) {
  const { headline, seen, body } = view.gates[index];
  const link = linkOf(gate);
  const name = gate.name.startsWith(report.benchmark + "::") ? gate.name.slice(report.benchmark.length + 2) : gate.name;
  const details = el("details", { class: "gate " + gate.verdict, open: isOpen },
    el("summary", {},
      badge(gate.verdict, concluded(gate.finding)),
      el("span", { class: "name data" }, short(name), gate.advisory && gate.verdict !== "advisory" ? el("span", { class: "note" }, " (advisory)") : null),
      el("span", { class: "seen data" }, minus(clean(seen)))));
  const paint = () => {
    if (details.childElementCount > 1) return;
    const parts = body.filter((part) => part.length).map((part) => {
      // Numbers and queries get the width of the page, sentences stand beside each other.
      const isWide = part.some((one) => one.queries || (one.table && one.table.head.length));
      return el("div", { class: isWide ? "part wide" : "part" }, part.map((one) => block(one, link)));
    });
    details.append(el("div", { class: "told" }, el("p", { class: "headline data" }, typeset(headline)), parts, steps(gate)));
  };
  if (isOpen) paint();
  details.addEventListener("toggle", paint);
  return details;
}

function gatesSection() {
  if (!report.gates.length) return null;
  const gates = report.gates.map((gate, index) => ({ gate, index }));
  const of = (verdicts) => gates.filter(({ gate }) => verdicts.includes(gate.verdict));
  const weight = ({ gate }) => 2 * ORDER.indexOf(gate.verdict) + (gate.finding.kind === "comparison" ? 0 : 1);
  const first = of(["failed", "error", "inconclusive"]).sort((a, b) => weight(a) - weight(b) || a.index - b.index);
  const list = first.map(({ gate, index }, place) => gateDetails(gate, index, place < OPEN));
  list.push(...of(["advisory", "reported"]).map(({ gate, index }) => gateDetails(gate, index, false)));
  const passed = of(["passed"]).map(({ gate, index }) => gateDetails(gate, index, false));
  if (passed.length) {
    list.push(el("details", { class: "group", open: !first.length }, el("summary", {}, badge("passed", `${count(passed.length)} passed`)), passed));
  }
  return list;
}
