// The page from top to bottom.

function verdictsLine() {
  const tally = ORDER.map((verdict) => [verdict, report.gates.filter((gate) => gate.verdict === verdict).length]).filter(([, gates]) => gates);
  if (report.error || !tally.length) return el("p", { class: "verdicts" }, badge(report.error ? "error" : "reported", clean(view.summary)));
  return el("p", { class: "verdicts" }, tally.map(([verdict, gates]) => badge(verdict, `${count(gates)} ${verdict}`)));
}

function facts() {
  const all = [];
  const one = report.collection;
  if (one) {
    all.push([one.judgments ? "judged queries" : "queries", count(one.queries)]);
    if (one.unjudgeable) all.push(["without a relevant document", count(one.unjudgeable)]);
    if (one.unanswerable) all.push(["unanswerable queries", count(one.unanswerable)]);
    if (one.without_judgments) all.push(["unjudged queries, not asked", count(one.without_judgments)]);
    all.push(["judgments", count(one.judgments)]);
    if (one.documents) all.push(["documents", count(one.documents)]);
    all.push(["relevant from grade", String(one.relevant_from)]);
  } else if (report.suite) all.push(["collections", count(report.suite.collections.length)]);
  else if (!report.error) all.push(["collection", "could not be loaded"]);
  if (report.spec) all.push(["spec", report.spec]);
  if (report.history && report.history.commit) all.push(["commit", report.history.commit.slice(0, 12)]);
  if (report.spec_sha256) all.push(["SHA-256 of the spec", report.spec_sha256.slice(0, 12)]);
  return el("dl", { class: "facts" }, all.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, data(value, 400)))));
}

function build() {
  const sections = [
    ["gates", "Gates", gatesSection()],
    ["metrics", "Metrics", metricsSection()],
    ["comparisons", "Comparisons", comparisonsSection()],
    ["segments", "Segments", segmentsSection()],
    ["details", "Details", view.sections.length ? view.sections.map(plainSection) : null],
    ["queries", "Queries", queriesSection()],
  ].filter(([, , content]) => content);
  const undecided = report.gates_in_spec - report.gates.length;
  document.body.prepend(
    el("header", {},
      el("p", { class: "overline" }, report.suite ? "Retrieval suite" : report.spec ? "Retrieval benchmark" : "Runs compared"), el("h1", { class: "data" }, short(report.benchmark, 60)),
      verdictsLine(),
      report.error ? el("pre", { class: "problem data" }, clean(report.error)) : null,
      undecided > 0 ? el("p", { class: "note" }, `${counted(undecided, "gate")} of the spec ${undecided === 1 ? "was" : "were"} not decided: not selected.`) : null,
      facts(),
      view.warnings.length ? el("ul", { class: "warnings" }, view.warnings.map((text) => el("li", {}, el("strong", {}, "Warning"), " ", el("span", { class: "data" }, clean(text))))) : null,
      sections.length === 0 ? null : el("nav", { "aria-label": "Sections" }, sections.map(([id, title]) => el("a", { href: "#" + id }, title)))),
    el("main", {}, sections.map(([id, title, content]) => el("section", { "aria-labelledby": id }, el("h2", { id }, title), content))),
    el("footer", {}, el("p", {}, clean(view.made_by))));
}

build();
