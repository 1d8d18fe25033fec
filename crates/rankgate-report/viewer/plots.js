// Plots as SVG: intervals on one scale, differences by query.

const isNarrow = () => innerWidth <= 720;

// About so many round values from low to high, and the decimals that tell them apart.
function ticksOf(low, high, about) {
  const rough = (high - low) / about || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  // The finest step of which no more than one tick too many fits.
  const fits = (step) => Math.floor(high / step + 1e-9) - Math.ceil(low / step - 1e-9) <= about;
  const step = [0.5, 1, 2, 5, 10].map((one) => one * power).find(fits);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const ticks = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) ticks.push([at * step, fixed(at * step, digits)]);
  return ticks;
}

function padded(values, share = 0.06) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * share;
  return [low - room, high + room];
}

// Intervals

// Where a gate wants the difference to be, and its limits.
function wantedOf({ expect, limit = 0, conclusion }) {
  if (conclusion || !expect) return null;
  switch (expect) {
    case "improvement": return { from: limit, to: Infinity, limits: [limit] };
    case "equivalence": return { from: -limit, to: limit, limits: [-limit, limit] };
    case "no-regression":
    case "non-inferiority": return { from: -limit, to: Infinity, limits: [-limit] };
    default: return null;
  }
}

function intervalScale(findings) {
  const values = findings.flatMap((finding) => [0, finding.difference, ...(finding.interval || []), ...((wantedOf(finding) || { limits: [] }).limits)]);
  const [low, high] = padded(values);
  const ticks = ticksOf(low, high, 4);
  const at = (value) => ((100 * (Math.min(Math.max(value, low), high) - low)) / (high - low)).toFixed(3) + "%";
  return { ticks, at };
}

function intervalPlot(finding, verdict, { ticks, at }) {
  const plot = svg("svg", { class: "interval-plot " + verdict, width: "100%", height: "28", role: "img", "aria-label": `difference ${signed(finding.difference, 4)}` });
  const wanted = wantedOf(finding);
  if (wanted) plot.append(svg("rect", { class: "wanted", x: at(wanted.from), y: 0, height: 28, width: Math.max(0, parseFloat(at(wanted.to)) - parseFloat(at(wanted.from))) + "%" }));
  for (const [value] of ticks) plot.append(svg("line", { class: value === 0 ? "zero" : "grid", x1: at(value), x2: at(value), y1: 0, y2: 28 }));
  plot.append(svg("line", { class: "zero", x1: at(0), x2: at(0), y1: 0, y2: 28 }));
  for (const limit of (wanted || { limits: [] }).limits) if (limit) plot.append(svg("line", { class: "limit", x1: at(limit), x2: at(limit), y1: 2, y2: 26 }));
  if (finding.interval) plot.append(svg("line", { class: "span", x1: at(finding.interval[0]), x2: at(finding.interval[1]), y1: 14, y2: 14 }));
  plot.append(svg("circle", { class: "point", cx: at(finding.difference), cy: 14, r: 5 }));
  return plot;
}

function intervalAxis({ ticks, at }) {
  const axis = svg("svg", { class: "interval-plot axis", width: "100%", height: "18", "aria-hidden": "true" });
  // About as wide as the column will be: labels that would overlap are left out, and never 0.
  const width = isNarrow() ? innerWidth - 60 : 0.36 * Math.min(innerWidth, 1200) - 30;
  const taken = [];
  for (const [value, text] of [...ticks].sort(([a], [b]) => Math.abs(a) - Math.abs(b))) {
    const [place, room] = [(parseFloat(at(value)) * width) / 100, 7.2 * text.length + 6];
    const anchor = place < room / 2 ? "start" : place > width - room / 2 ? "end" : "middle";
    const from = place - { start: 0, middle: room / 2, end: room }[anchor];
    if (taken.some((other) => from < other.to && other.from < from + room)) continue;
    taken.push({ from, to: from + room });
    axis.append(svg("text", { x: at(value), y: 13, "text-anchor": anchor }, text));
  }
  return axis;
}

// What labels of an axis on the left take: on a phone the plot is drawn smaller, and its letters larger.
const roomFor = (ticks) => Math.max(40, 12 + (isNarrow() ? 10.5 : 7.2) * Math.max(...ticks.map(([, text]) => text.length)));

// Differences by query

const BARS = 400;

function differencesPlot({ pair, changes, unchanged }, finding, readout) {
  // Of very many the largest losses and gains are drawn.
  const cut = changes.length > BARS;
  const drawn = cut ? [...changes.slice(0, BARS / 2), ...changes.slice(-BARS / 2)] : changes;
  const [low, high] = padded([0, ...drawn.map((one) => one.change)], 0.04);
  const ticks = ticksOf(low, high, 4);
  const [width, height, left, top, bottom] = [560, 190, roomFor(ticks), 8, 8];
  const y = (value) => top + ((high - value) / (high - low)) * (height - top - bottom);
  const step = (width - left) / Math.max(drawn.length, 24);
  const plot = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": `Differences by query on ${finding.metric}` });
  for (const [value, text] of ticks) {
    plot.append(svg("line", { class: value === 0 ? "zero" : "grid", x1: left, x2: width, y1: y(value), y2: y(value) }),
      svg("text", { x: left - 8, y: y(value) + 4, "text-anchor": "end" }, text));
  }
  const bars = drawn.map((one, index) => {
    const [from, to] = [y(Math.max(one.change, 0)), y(Math.min(one.change, 0))];
    const words = `${short(one.id, 40)} ${short(one.text, 80)}: ${fixed(one.before, 3)} \u2192 ${fixed(one.after, 3)}`;
    const bar = svg("a", { class: "bar", href: linkTo(one.id, finding.metric, pair), tabindex: index ? "-1" : "0", "aria-label": words },
      svg("rect", { class: "reach", x: left + index * step, y: top, width: step, height: height - top - bottom }),
      svg("rect", { class: trend(finding.metric, one.change) || "is-neutral", x: left + index * step + step * 0.1, y: from, width: Math.max(step * 0.8, 0.5), height: Math.max(to - from, 1) }));
    const say = () => { readout.textContent = words; };
    bar.addEventListener("mouseover", say);
    bar.addEventListener("focus", say);
    return bar;
  });
  // The plot is one stop of the keyboard; arrows lead from bar to bar.
  plot.addEventListener("keydown", (event) => {
    const place = bars.indexOf(event.target.closest(".bar"));
    const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: bars.length - 1 }[event.key];
    if (place < 0 || !bars[to]) return;
    event.preventDefault();
    bars[place].setAttribute("tabindex", "-1");
    bars[to].setAttribute("tabindex", "0");
    bars[to].focus();
  });
  plot.append(...bars);
  const losses = changes.filter((one) => one.change < 0).length;
  const words = `${counted(losses, "query", "queries")} lower, ${count(changes.length - losses)} higher, ${count(unchanged)} unchanged${cut ? `; the ${count(BARS)} largest differences are drawn` : ""}.`;
  return [plot, el("p", { class: "note" }, words), readout];
}

// Comparisons: a table with the intervals in it, then the queries behind them.

function comparisonTable(rows) {
  const scale = intervalScale(rows.map(({ finding }) => finding));
  let pair = "";
  const body = rows.flatMap(({ gate, finding, p }) => {
    const heading = `${short(finding.candidate, 60)} vs ${short(finding.baseline, 60)}`;
    const digits = isCount(finding.metric) ? 0 : digitsOf(finding.difference);
    const measure = label(finding.metric) + (finding.segment ? ` [${finding.segment.join("=")}]` : "");
    const row = el("tr", {},
      el("th", { scope: "row", class: "data" }, short(measure, 60)),
      el("td", { class: "number " + trend(finding.metric, finding.difference), "data-label": "difference" }, signed(finding.difference, digits)),
      el("td", { class: "number", "data-label": "interval" }, finding.interval ? range(finding.interval, Math.max(digits - 1, 3)) : "\u2013"),
      el("td", { class: "plot-cell" }, intervalPlot(finding, gate.verdict, scale)),
      el("td", { class: "number", "data-label": "p" }, pValue(p)),
      el("td", { class: "number", "data-label": "higher / same / lower" }, `${count(finding.wins)} / ${count(finding.ties)} / ${count(finding.losses)}`),
      el("td", { "data-label": finding.expect || "expects nothing" }, badge(gate.verdict, concluded(finding))));
    if (heading === pair) return [row];
    pair = heading;
    return [el("tr", { class: "pair" }, el("th", { scope: "rowgroup", colspan: "7", class: "data" }, heading)), row];
  });
  body.push(el("tr", { class: "axis-row" }, el("td", { colspan: "3" }), el("td", { class: "plot-cell" }, intervalAxis(scale), el("div", { class: "ways" }, el("span", {}, "\u2190 baseline higher"), el("span", {}, "candidate higher \u2192"))), el("td", { colspan: "3" })));
  const titles = [["metric", null], ["difference", "number"], ["interval", "number"], ["", "plot-cell"], ["p", "number"], ["higher / same / lower", "number"], ["verdict", null]];
  return scroll("Comparisons", el("table", { class: "stacked forest" },
    el("thead", {}, el("tr", {}, titles.map(([title, name]) => el(title ? "th" : "td", { scope: title ? "col" : null, class: name }, title)))), el("tbody", {}, body)));
}

function comparisonsSection() {
  const all = report.gates.map((gate, index) => ({ gate, finding: gate.finding, p: view.gates[index].p }));
  const rows = all.filter(({ finding }) => finding.kind === "comparison");
  if (!rows.length) return null;
  // Metrics between 0 and 1 share a scale; every count has its own.
  const groups = new Map();
  for (const row of rows) {
    const key = isCount(row.finding.metric) ? row.finding.metric : "";
    groups.set(key, [...(groups.get(key) || []), row]);
  }
  const figures = rows.map(({ finding }) => {
    const of = changesOf(finding);
    if (!of || !of.changes.length) return null;
    const readout = el("p", { class: "readout", "aria-hidden": "true" }, "\u00a0");
    const parts = differencesPlot(of, finding, readout);
    return el("figure", { class: "change" },
      el("figcaption", { class: "heading" }, el("strong", { class: "data" }, `${short(finding.candidate, 60)} vs ${short(finding.baseline, 60)}`), " ", short(finding.metric, 60), finding.segment ? ` [${short(finding.segment.join("="), 60)}]` : ""),
      parts);
  }).filter(Boolean);
  return [
    [...groups.values()].map(comparisonTable),
    el("p", { class: "note" }, `Mean difference per query with its ${percent(report.confidence)} interval, not adjusted. The shaded range is what the gate expects; a dashed line is its margin. p is two-sided and adjusted for the gate's family, unless a margin decides.`),
    figures.length ? [el("h3", {}, "Queries behind the differences"), el("p", { class: "note" }, "One bar per query that scores differently, largest loss first. Select a bar to see the query's rankings."), el("div", { class: "plots" }, figures)] : null,
  ];
}
