// The table of queries: search, filter, sort, and the rankings of two sides beside each other.

const PAGE = 200;
const COLUMNS = 4;

// What a reader most probably wants to see first: the comparison that failed by most, else golden against today.
function firstView() {
  const compared = report.gates
    .filter((gate) => gate.finding.kind === "comparison")
    .map((gate) => ({ gate, pair: pairOf(gate.finding.candidate, gate.finding.baseline) }))
    .filter(({ pair }) => pair);
  const failed = compared.filter(({ gate }) => ["failed", "inconclusive"].includes(gate.verdict));
  const loss = ({ gate }) => gate.finding.difference * (direction(gate.finding.metric) || 1);
  failed.sort((a, b) => ORDER.indexOf(a.gate.verdict) - ORDER.indexOf(b.gate.verdict) || loss(a) - loss(b));
  const best = failed[0] || compared[0];
  if (best) return { metric: best.gate.finding.metric, ...best.pair };
  const gate = report.gates.find((one) => one.finding.metric && !["passed", "advisory"].includes(one.verdict));
  const golden = sides.findIndex((side) => side.golden && (!gate || side.of === gate.configuration));
  const metric = gate && gate.finding.metric;
  if (golden >= 0) return { metric, from: golden, to: sideOf(sides[golden].of, null) };
  return { metric, from: 0, to: sides.length > 1 ? 1 : 0 };
}

function queriesSection() {
  const metrics = report.metrics.filter((name) => measured.some((one) => one.queries.some((query) => query.scores[name] !== undefined)));
  if (!queries.size || !metrics.length) return null;
  const today = sides.map((_, index) => index).filter((index) => !sides[index].golden);
  const hasText = [...queries.values()].some((query) => query.text);
  const state = { text: "", segment: "", changed: false, shown: PAGE, open: new Set(), sort: "difference", descending: false, ...firstView() };
  if (!metrics.includes(state.metric)) state.metric = metrics[0];

  const option = (value, text) => el("option", { value }, short(text, 60));
  const select = (key, options) => el("select", { id: key, onchange: (event) => { state[key] = key === "metric" || key === "segment" ? event.target.value : Number(event.target.value); state.shown = PAGE; draw(); } }, options);
  const tags = [...new Set([...queries.values()].flatMap((query) => segmentKeys.flatMap((key) => valuesOf(query, key).map((value) => `${key}=${value}`))))].sort();
  const controls = {
    text: el("input", { type: "search", id: "search", placeholder: hasText ? "id or text  ( / )" : "id  ( / )", autocomplete: "off", oninput: (event) => { state.text = event.target.value.trim().toLowerCase(); state.shown = PAGE; draw(); } }),
    metric: select("metric", metrics.map((name) => option(name, name))),
    from: select("from", sides.map((side, index) => option(index, side.name))),
    to: select("to", sides.map((side, index) => option(index, side.name))),
    segment: select("segment", [option("", "all"), ...tags.map((tag) => option(tag, tag))]),
    changed: el("input", { type: "checkbox", id: "changed", onchange: (event) => { state.changed = event.target.checked; state.shown = PAGE; draw(); } }),
  };
  const labelled = (words, control) => el("label", {}, el("span", {}, words), control);
  const bar = el("div", { class: "controls", role: "search" },
    labelled("Search", controls.text), labelled("Metric", controls.metric), labelled("From", controls.from), labelled("To", controls.to),
    tags.length ? labelled("Segment", controls.segment) : null, el("label", { class: "check" }, controls.changed, el("span", {}, "changed only")));
  const status = el("p", { id: "shown", class: "note", role: "status" });
  const table = el("table", { id: "query-table" });
  const more = el("button", { type: "button", class: "more", onclick: () => { state.shown += PAGE; draw(); } });

  const change = (id) => {
    const [before, after] = [scoreOf(state.from, id, state.metric), scoreOf(state.to, id, state.metric)];
    return before === null || after === null ? null : after - before;
  };
  const matches = (query) => (!state.text || query.id.toLowerCase().includes(state.text) || (query.text || "").toLowerCase().includes(state.text))
    && (!state.segment || segmentKeys.some((key) => valuesOf(query, key).some((value) => `${key}=${value}` === state.segment)))
    && (!state.changed || isChange(change(query.id)));

  function columns() {
    const compared = [...new Set([state.from, state.to])];
    return today.length > COLUMNS ? compared : [...compared.filter((side) => !today.includes(side)), ...today];
  }
  function keyOf(query) {
    if (state.sort === "query") return query.id;
    if (state.sort === "text") return (query.text || "").toLowerCase();
    const value = state.sort === "difference" ? change(query.id) : scoreOf(state.sort, query.id, state.metric);
    return value === null ? null : Math.round(value * 1e6) / 1e6;
  }
  function sorted() {
    const sign = (state.descending ? -1 : 1) * (state.sort === "difference" && direction(state.metric) < 0 ? -1 : 1);
    const keyed = [...queries.values()].filter(matches).map((query) => ({ query, key: keyOf(query) }));
    const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    // Queries without a value come last, whichever way.
    keyed.sort((a, b) => (a.key === null) - (b.key === null) || sign * order(a.key, b.key) || order(a.query.id, b.query.id));
    return keyed.map(({ query }) => query);
  }

  function header(key, words, className) {
    const way = state.sort === key ? (state.descending ? "descending" : "ascending") : "none";
    return el("th", { scope: "col", class: className, "aria-sort": way },
      el("button", { type: "button", class: "sort data", onclick: () => { state.descending = state.sort === key && !state.descending; state.sort = key; draw(); } }, words));
  }
  function row(query, shown) {
    const isOpen = state.open.has(query.id);
    const toggle = () => { if (isOpen) state.open.delete(query.id); else state.open.add(query.id); draw(); };
    const difference = change(query.id);
    const digits = isCount(state.metric) ? 0 : 3;
    const line = el("tr", { id: "q=" + query.id, onclick: (event) => { if (!event.target.closest("button") && !String(getSelection())) toggle(); } },
      el("th", { scope: "row" }, el("button", { type: "button", class: "open data", "aria-expanded": String(isOpen), onclick: toggle }, short(query.id, 60))),
      hasText ? el("td", { class: "text data" }, short(query.text || "", 240)) : null,
      segmentKeys.length ? el("td", { class: "tags" }, segmentKeys.flatMap((key) => valuesOf(query, key).map((value) => el("span", { class: "tag data", title: `${key}=${value}` }, short(/[a-z]/i.test(value) && !/^(true|false)$/.test(value) ? value : `${key}=${value}`, 40))))) : null,
      shown.map((side) => {
        const value = scoreOf(side, query.id, state.metric);
        return el("td", { class: "number", "data-label": sides[side].name }, value === null ? "\u2013" : fixed(value, digits));
      }),
      el("td", { class: "number " + trend(state.metric, difference), "data-label": "difference" }, isChange(difference) ? signed(difference, digits) : ""));
    return isOpen ? [line, detail(query, 4 + shown.length)] : [line];
  }
  function detail(query, span) {
    return el("tr", { class: "detail" }, el("td", { colspan: String(span) }, el("p", { class: "asked data" }, clean(query.text || "")),
      el("div", { class: "sides" }, rankingOf(query.id, state.from, state.to, false), state.from === state.to ? null : rankingOf(query.id, state.to, state.from, true))));
  }
  function draw() {
    const all = sorted();
    const shown = columns();
    const columnsShown = [header("query", "query"), hasText ? header("text", "text") : null, segmentKeys.length ? el("th", { scope: "col" }, "segments") : null,
      ...shown.map((side) => header(side, short(sides[side].name, 60), "number")), header("difference", "difference", "number")];
    // What has the focus keeps it, though it is drawn anew.
    const focused = document.activeElement && document.activeElement.closest("#query-table button");
    const [inRow, inHead] = focused ? [focused.closest("tr").id, focused.closest("th").cellIndex] : [];
    table.replaceChildren(el("thead", {}, el("tr", {}, columnsShown.filter(Boolean))), el("tbody", {}, all.slice(0, state.shown).flatMap((query) => row(query, shown))));
    const again = inRow ? document.getElementById(inRow) : inRow === "" ? table.tHead.rows[0].cells[inHead] : null;
    if (again) again.querySelector("button").focus({ preventScroll: true });
    status.textContent = `${all.length < queries.size ? count(all.length) + " of " : ""}${counted(queries.size, "query", "queries")}; difference: ${clean(sides[state.to].name)} minus ${clean(sides[state.from].name)} on ${clean(state.metric)}`;
    more.hidden = all.length <= state.shown;
    more.textContent = `Show ${count(Math.min(PAGE, all.length - state.shown))} more of ${count(all.length - state.shown)}`;
    Object.entries(controls).forEach(([key, control]) => { if (control.tagName === "SELECT") control.value = String(state[key]); });
  }

  // A link to a query opens it, seen by its metric and between its sides.
  function follow() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const id = parts.get("q");
    if (!id || !queries.has(id)) return;
    if (metrics.includes(parts.get("m"))) state.metric = parts.get("m");
    for (const key of ["from", "to"]) {
      const place = sides.findIndex((side) => side.name === parts.get(key));
      if (place >= 0) state[key] = place;
    }
    Object.assign(state, { text: "", segment: "", changed: false });
    controls.text.value = "";
    controls.changed.checked = false;
    state.open.add(id);
    const place = sorted().findIndex((query) => query.id === id);
    state.shown = Math.max(state.shown, place + 1);
    draw();
    const target = document.getElementById("q=" + id);
    target.classList.add("is-target");
    target.scrollIntoView({ block: "start" });
    target.querySelector("button.open").focus({ preventScroll: true });
  }
  addEventListener("hashchange", follow);
  // The same link once more changes no address.
  addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#q=']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      controls.text.focus();
    }
    if (event.key === "Escape" && document.activeElement === controls.text) controls.text.blur();
  });
  draw();
  setTimeout(follow);
  return [bar, status, scroll("Queries", table), more];
}

// Rankings

function gradeMark(value) {
  if (value === undefined || value === null) return el("span", { class: "grade unjudged", title: "unjudged" }, "\u2013");
  return el("span", { class: "grade" + (value >= ((report.collection || {}).relevant_from || 1) ? " relevant" : ""), title: "grade " + value }, String(value));
}

// The rank of each document of a side, as far as it is known.
function ranksOf(query) {
  const ranks = new Map();
  const ranking = (query && query.ranking) || [];
  ranking.forEach(({ document, rank, missed }, index) => (!missed || rank) && ranks.set(document, missed ? rank : index + 1));
  return ranks;
}

function moveOf(rank, other, isAfter, isRelevant) {
  if (other === undefined) return isAfter ? ["new", "is-neutral"] : ["left", "is-neutral"];
  if (rank === other) return ["", ""];
  const rose = isAfter ? rank < other : other < rank;
  return [`${rose ? "\u25b2" : "\u25bc"} ${isAfter ? "from" : "to"} ${other}`, isRelevant ? (rose ? "is-gain" : "is-loss") : "is-neutral"];
}

function rankingOf(id, side, other, isAfter) {
  const query = sides[side].queries.get(id);
  const part = el("div", { class: "side" }, el("p", { class: "side-title" }, el("strong", { class: "data" }, short(sides[side].name, 60))));
  if (!query) return fill(part, {}, [el("p", { class: "note" }, "not asked")]);
  part.append(el("p", { class: "side-scores" }, Object.entries(query.scores).map(([metric, value]) => [el("span", { class: "data" }, short(metric, 40), " ", el("b", {}, score(metric, value, 3))), " "])));
  if (!query.ranking) return fill(part, {}, [el("p", { class: "note" }, "The ranking is not in this report.")]);
  const [top, missed] = [query.ranking.filter((one) => !one.missed), query.ranking.filter((one) => one.missed)];
  if (!top.length) part.append(el("p", { class: "note" }, "no result"));
  const theirs = sides[other].queries.get(id);
  const compared = side !== other && theirs && theirs.ranking;
  const places = ranksOf(theirs);
  const line = (rank, { document, grade }, [words, className], isMissed) => el("tr", { class: isMissed ? "missed" : null, title: isMissed ? (rank ? "relevant and below the cutoff" : "relevant and not retrieved") : null },
    el("td", { class: "number" }, rank ? String(rank) : "\u2013"), el("td", {}, gradeMark(grade)),
    el("td", { class: "data document" }, short(document), titles[document] ? el("span", { class: "document-title data" }, short(titles[document])) : null),
    el("td", { class: "move " + className, title: words === "new" || words === "left" ? `not among the first of ${sides[other].name}` : null }, words));
  const rows = top.map((one, index) => line(index + 1, one, compared ? moveOf(index + 1, places.get(one.document), isAfter, one.grade > 0) : ["", ""], false));
  rows.push(...missed.map((one) => {
    const place = places.get(one.document);
    const move = !compared || place === undefined ? ["", ""] : one.rank ? moveOf(one.rank, place, isAfter, true) : [`${isAfter ? "from" : "to"} ${place}`, isAfter ? "is-loss" : "is-gain"];
    return line(one.rank, one, move, true);
  }));
  if (rows.length) {
    part.append(el("table", { class: "ranking" }, el("thead", {}, el("tr", {}, ["rank", "grade", "document", compared ? "moved" : ""].map((title) => el(title ? "th" : "td", { scope: title ? "col" : null }, title)))), el("tbody", {}, rows)));
  }
  return part;
}
