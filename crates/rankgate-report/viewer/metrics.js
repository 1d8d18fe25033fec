// Metrics of the configurations, and by segment.

function metricCell(metric, one, isBest, wantsLabel) {
  if (!one) return el("td", { class: "number", "data-label": wantsLabel }, "\u2013");
  const value = el(isBest ? "strong" : "span", {}, isBest ? el("span", { class: "best", title: "highest" }, "\u2605") : null, score(metric, one.value));
  const digits = isCount(metric) ? 0 : 3;
  const lines = [];
  lines.push(el("small", {}, one.interval ? range(one.interval, digits) : "no interval: " + one.interval_kind));
  const change = typeof one.golden === "number" ? one.value - one.golden : 0;
  if (isChange(change)) lines.push(el("small", { class: trend(metric, change) }, signed(change, isCount(metric) ? 0 : digitsOf(change)) + " from golden"));
  if (one.spread) lines.push(el("small", {}, "repeats " + range(one.spread, digits)));
  return el("td", { class: "number", "data-label": wantsLabel }, value, lines);
}

function metricsSection() {
  const names = [...new Set(measured.flatMap((one) => one.metrics.map((metric) => metric.metric)))];
  if (!names.length) return null;
  const of = (one, name) => one.metrics.find((metric) => metric.metric === name);
  const rows = names.map((name) => {
    const cells = measured.map((one) => of(one, name));
    const values = cells.filter(Boolean).map((cell) => cell.value);
    const highest = Math.max(...values);
    const isStarred = view.starred.includes(name) && values.some((value) => highest - value > ROUNDING);
    return el("tr", { class: report.metrics.includes(name) ? null : "extra" },
      el("th", { scope: "row", class: "data" }, short(label(name), 60)),
      cells.map((cell, index) => metricCell(name, cell, isStarred && cell && highest - cell.value <= ROUNDING, measured[index].name)));
  });
  const table = el("table", { class: "stacked metrics" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "metric"), measured.map((one) => el("th", { scope: "col", class: "number data" }, short(one.name, 60))))),
    el("tbody", {}, rows));
  return [
    scroll("Metrics of the configurations", table),
    el("p", { class: "note" }, `In brackets: ${percent(report.confidence)} intervals of the mean.${measured.length > 1 ? " \u2605 highest." : ""}`),
    (view.notes || []).length ? el("ul", { class: "notes" }, view.notes.map(([name, text]) => el("li", {}, el("strong", { class: "data" }, short(name, 60)), " ", data(text.replace(/\s*\n\s*/g, " \u00b7 "), 400)))) : null,
  ];
}

// Sections that the terminal shows as well: title and tables.
function plainSection({ heading, parts }) {
  return [heading.length ? el("h3", {}, typeset(heading)) : null, parts.map((part) => part.map((one) => block(one, (id) => linkTo(id))))];
}

// From which distance from the mean of all queries a cell has each of its colours.
const HEAT = [0.02, 0.05, 0.1, 0.2];
const SEGMENTS = 200;

function heatOf(metric, distance) {
  const steps = isCount(metric) ? 0 : HEAT.filter((step) => Math.abs(distance) >= step).length;
  const way = direction(metric) * distance;
  return steps ? ` ${way > 0 ? "better" : way < 0 ? "worse" : "apart"}-${steps}` : "";
}

function segmentTable(name) {
  const of = (one, key, value) => (one.segments || []).find((segment) => segment.key === key && segment.value === value);
  const metricOf = (all) => all && all.metrics.find((metric) => metric.metric === name);
  const whole = measured.map((one) => metricOf(one));
  const row = (title, queryCount, cells, isAll) => el("tr", { class: isAll ? "all" : null },
    el("th", { scope: "row", class: "data" }, title), el("td", { class: "number", "data-label": "queries" }, queryCount),
    cells.map((cell, index) => {
      const distance = cell && whole[index] ? cell.value - whole[index].value : 0;
      return el("td", { class: "number" + (isAll ? "" : heatOf(name, distance)), "data-label": measured[index].name }, cell ? score(name, cell.value) : "\u2013");
    }));
  const rows = segmentKeys.flatMap((key) => {
    const values = [...new Set(measured.flatMap((one) => (one.segments || []).filter((segment) => segment.key === key).map((segment) => segment.value)))];
    const shown = values.slice(0, SEGMENTS).map((value) => {
      const all = measured.map((one) => of(one, key, value));
      return row(`${short(key, 60)}=${short(value, 60)}`, count((all.find(Boolean) || { queries: 0 }).queries), all.map(metricOf), false);
    });
    return values.length > SEGMENTS ? [...shown, el("tr", {}, el("th", { class: "note" }, `${count(values.length - SEGMENTS)} more values of ${short(key, 60)} are in report.json`))] : shown;
  });
  return scroll(`${name} by segment`, el("table", { class: "stacked heat" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "segment"), el("th", { scope: "col", class: "number" }, "queries"), measured.map((one) => el("th", { scope: "col", class: "number data" }, short(one.name, 60))))),
    el("tbody", {}, row("all queries", "", whole, true), rows)));
}

function segmentsSection() {
  const names = report.metrics.filter((name) => measured.some((one) => (one.segments || []).some((segment) => segment.metrics.some((metric) => metric.metric === name))));
  if (!names.length) return null;
  return [
    el("p", { class: "note" }, "Colours show the distance from all queries: blue is better, orange is worse, gray has no direction."),
    names.map((name, index) => {
      const details = el("details", { class: "segment", open: index === 0 }, el("summary", {}, el("strong", { class: "data" }, label(name))));
      const paint = () => details.childElementCount < 2 && details.append(segmentTable(name));
      if (index === 0) paint();
      details.addEventListener("toggle", paint);
      return details;
    }),
  ];
}
