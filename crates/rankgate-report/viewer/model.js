// What the report holds, and what the view says of it.

const report = JSON.parse(document.getElementById("data").textContent);
const view = report.view;
const titles = report.titles || {};

const MARKS = { passed: "\u2713", failed: "\u2717", inconclusive: "?", advisory: "i", reported: "i", error: "!" };
const ORDER = ["failed", "error", "inconclusive", "advisory", "reported", "passed"];

const concluded = ({ conclusion }) => conclusion && conclusion.replace(/-/g, " ");
const badge = (verdict, words) => el("span", { class: "badge " + verdict }, el("span", { "aria-hidden": "true" }, MARKS[verdict] || ""), " ", words || verdict);

const measured = (report.configurations || [])
  .filter((one) => one.outcome && one.outcome.measured)
  .map((one) => ({ name: one.name, ...one.outcome.measured, queries: one.outcome.measured.queries || [] }));

const direction = (metric) => (view.higher.includes(metric) ? 1 : view.lower.includes(metric) ? -1 : 0);
const isCount = (metric) => view.counts.includes(metric);
const score = (metric, value, digits = 4) => fixed(value, isCount(metric) ? 0 : digits);
const label = (metric) => ((report.cut_short || []).includes(metric) && report.configurations.length ? `${metric} (depth ${report.configurations[0].depth})` : metric);
const trend = (metric, change) => {
  const gain = isChange(change) ? change * direction(metric) : 0;
  return gain > 0 ? "is-gain" : gain < 0 ? "is-loss" : "";
};

// A side is a configuration today, or its golden run. Golden queries hold only what differs from today.
const sides = measured.flatMap((one) => {
  const side = (golden, queries) => ({
    name: golden ? `${one.name} (${golden})` : one.name,
    of: one.name,
    golden,
    queries: new Map(queries.map((query) => [query.id, query])),
  });
  const past = one.queries
    .filter((query) => query.golden)
    .map((query) => ({ ...query, scores: { ...query.scores, ...query.golden.scores }, ranking: query.golden.ranking || query.ranking }));
  return past.length ? [side(null, one.queries), side("golden", past)] : [side(null, one.queries)];
});

const sideOf = (name, golden) => sides.findIndex((side) => side.of === name && side.golden === golden);

// Both sides of a comparison: a baseline that is a golden run belongs to the candidate.
function pairOf(candidate, baseline) {
  const past = sideOf(candidate, baseline);
  const from = past >= 0 ? past : sideOf(baseline, null);
  const to = sideOf(candidate, null);
  return from >= 0 && to >= 0 ? { from, to } : null;
}

const scoreOf = (side, id, metric) => {
  const query = sides[side].queries.get(id);
  const value = query ? query.scores[metric] : undefined;
  return value === undefined ? null : value;
};

// Every query that a side has, by id.
const queries = new Map();
for (const side of sides) for (const [id, query] of side.queries) if (!queries.has(id)) queries.set(id, query);

const segmentKeys = [...new Set(measured.flatMap((one) => (one.segments || []).map((segment) => segment.key)))];
const valuesOf = (query, key) => {
  const value = (query.metadata || {})[key];
  return value === undefined || value === null ? [] : (Array.isArray(value) ? value : [value]).map(String);
};

// The differences of a comparison, largest loss first, and how many queries did not change.
function changesOf(finding) {
  const pair = pairOf(finding.candidate, finding.baseline);
  if (!pair) return null;
  const changes = [];
  let unchanged = 0;
  for (const [id, query] of sides[pair.to].queries) {
    if (finding.segment && !valuesOf(query, finding.segment[0]).includes(finding.segment[1])) continue;
    const [before, after] = [scoreOf(pair.from, id, finding.metric), scoreOf(pair.to, id, finding.metric)];
    if (before === null || after === null) continue;
    if (isChange(after - before)) changes.push({ id, text: query.text, before, after, change: after - before });
    else unchanged += 1;
  }
  changes.sort((a, b) => a.change - b.change || (a.id < b.id ? -1 : 1));
  return { pair, changes, unchanged };
}

// A place in this page: a query, seen by a metric and between two sides.
function linkTo(id, metric, pair) {
  const parts = [["q", id]];
  if (metric) parts.push(["m", metric]);
  if (pair) parts.push(["from", sides[pair.from].name], ["to", sides[pair.to].name]);
  return "#" + parts.map(([key, value]) => key + "=" + encodeURIComponent(value)).join("&");
}
