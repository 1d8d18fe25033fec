// Sorts and filters the table of queries and opens their rankings. Text is only ever set as text.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const table = document.getElementById("query-table");
  if (!table) return;
  document.documentElement.classList.add("js");

  const control = (id) => document.getElementById(id);
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const headers = [...table.tHead.rows[0].cells];
  const last = headers.length - 1;
  const firstScore = last - data.others - data.today.length;
  const state = { metric: 0, from: data.chosen[0], to: data.chosen[1], sort: null, descending: false };
  // The side of each column; a column without one is hidden.
  let columns = [];

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };

  // Numbers

  const decimals = () => (data.counts[state.metric] ? 0 : 3);
  const minus = (text) => text.replace("-", "\u2212");
  // A half is rounded away from zero in decimal, as everywhere: toFixed makes 0.900 of 0.9005.
  const rounded = (value, digits) => {
    const scale = 10 ** digits;
    return ((Math.sign(value) * Math.round(Math.abs(value) * scale)) / scale).toFixed(digits);
  };
  const fixed = (value) => (value === null ? "\u2013" : minus(rounded(value, decimals()).replace(/^-(0(\.0+)?)$/, "$1")));
  const score = (query, side) => {
    const of = query.sides[side];
    return of ? of.scores[state.metric] : null;
  };
  const difference = (query) => {
    const from = score(query, state.from);
    const to = score(query, state.to);
    // What the sums of doubles differ by is no difference.
    return from === null || to === null ? null : Math.round((to - from) * 1e6) / 1e6;
  };
  const isChange = (value) => value !== null && Math.abs(value) > 5e-7;
  const signed = (value) => {
    if (!isChange(value)) return "";
    return (value > 0 ? "+" : "\u2212") + rounded(Math.abs(value), decimals());
  };

  // Table

  const fill = () => {
    const compared = [...new Set([state.from, state.to])].filter((side) => !data.today.includes(side));
    columns = Array.from({ length: data.others }, (_, column) => (column in compared ? compared[column] : null)).concat(data.today);
    columns.forEach((side, column) => {
      headers[firstScore + column].hidden = side === null;
      headers[firstScore + column].firstElementChild.textContent = side === null ? "" : data.sides[side];
    });
    rows.forEach((row, index) => {
      const query = data.queries[index];
      columns.forEach((side, column) => {
        const cell = row.cells[firstScore + column];
        cell.hidden = side === null;
        cell.textContent = side === null ? "" : fixed(score(query, side));
        cell.dataset.label = side === null ? "" : data.sides[side];
      });
      const change = difference(query);
      const cell = row.cells[last];
      cell.textContent = signed(change);
      const gain = isChange(change) ? change * data.better[state.metric] : 0;
      cell.className = "number" + (gain < 0 ? " is-loss" : gain > 0 ? " is-gain" : "");
      const detail = row.nextElementSibling;
      if (detail && detail.classList.contains("detail")) detail.replaceWith(open(index));
    });
  };

  const filter = () => {
    const wanted = control("filter-text").value.trim().toLowerCase();
    const segment = control("filter-segment") ? control("filter-segment").value : "";
    const changed = control("filter-changed").checked;
    let shown = 0;
    rows.forEach((row, index) => {
      const query = data.queries[index];
      const matches =
        (!wanted || query.id.toLowerCase().includes(wanted) || query.text.toLowerCase().includes(wanted)) &&
        (segment === "" || query.tags.includes(Number(segment))) &&
        (!changed || isChange(difference(query)));
      row.hidden = !matches;
      const detail = row.nextElementSibling;
      if (detail && detail.classList.contains("detail")) detail.hidden = !matches;
      if (matches) shown += 1;
    });
    const [counted, compared] = control("shown").children;
    counted.textContent = (shown < rows.length ? shown + " of " : "") + rows.length + (rows.length === 1 ? " query" : " queries");
    if (compared) compared.textContent = "; difference: " + data.sides[state.to] + " minus " + data.sides[state.from];
  };

  const key = (index, column) => {
    const query = data.queries[index];
    if (column === 0) return query.id;
    if (column === last) return difference(query);
    if (column >= firstScore) return score(query, columns[column - firstScore]);
    return column === 1 ? query.text.toLowerCase() : rows[index].cells[column].textContent;
  };

  // What lost most comes first, until the reader sorts otherwise.
  const sortByLoss = () => {
    if (state.chosen || state.from === state.to) return;
    state.sort = last;
    state.descending = data.better[state.metric] < 0;
  };

  const sort = () => {
    const order = rows.map((_, index) => index);
    if (state.sort !== null) {
      const keys = order.map((index) => key(index, state.sort));
      const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
      const sign = state.descending ? -1 : 1;
      order.sort((a, b) => {
        // What has no value comes last, whichever way.
        if ((keys[a] === null) !== (keys[b] === null)) return keys[a] === null ? 1 : -1;
        return sign * compare(keys[a], keys[b]) || a - b;
      });
    }
    order.forEach((index) => {
      const row = rows[index];
      const detail = row.nextElementSibling;
      const isOpen = detail && detail.classList.contains("detail");
      body.append(row);
      if (isOpen) body.append(detail);
    });
    headers.forEach((header, index) => {
      const way = state.descending ? "descending" : "ascending";
      header.setAttribute("aria-sort", index === state.sort ? way : "none");
    });
  };

  // Rankings

  const grade = (value) => {
    if (value === null) {
      const mark = make("span", "grade unjudged", "\u2013");
      mark.title = "nobody judged it";
      return mark;
    }
    const mark = make("span", "grade" + (value > 0 ? " relevant" : ""), String(value));
    mark.title = "grade " + value;
    return mark;
  };

  // The rank of each document of a side, as far as it is known.
  const ranks = (side) => {
    const known = new Map();
    if (!side) return known;
    (side.ranking || []).forEach(([document], index) => known.set(document, index + 1));
    (side.missed || []).forEach(([document, , rank]) => rank && known.set(document, rank));
    return known;
  };

  // Which way is good is known of relevant documents alone.
  const moved = (rank, other, isAfter, isRelevant) => {
    if (other === undefined) return isAfter ? ["new", "is-new"] : ["left", "is-left"];
    if (rank === other) return ["", ""];
    const rose = isAfter ? rank < other : other < rank;
    const words = isAfter ? "from " + other : "to " + other;
    return [(rose ? "\u25b2 " : "\u25bc ") + words, isRelevant ? (rose ? "is-gain" : "is-loss") : "is-neutral"];
  };

  const ranking = (query, side, other, isAfter) => {
    const of = query.sides[side];
    const part = make("div", "side");
    const title = make("p", "side-title");
    title.append(make("strong", "data", data.sides[side]));
    part.append(title);
    if (!of) {
      part.append(make("p", "note", "not asked"));
      return part;
    }
    const scores = make("p", "side-scores");
    data.metrics.forEach((metric, index) => {
      const value = of.scores[index];
      if (value === null) return;
      const one = make("span", "data", metric + " ");
      one.append(make("b", "", data.counts[index] ? String(value) : minus(rounded(value, 3))));
      scores.append(one, " ");
    });
    part.append(scores);
    if (!of.ranking) {
      part.append(make("p", "note", "The ranking is not in this report."));
      return part;
    }
    if (of.ranking.length === 0) part.append(make("p", "note", "no result"));
    const compared = side !== other && query.sides[other] && query.sides[other].ranking;
    const places = ranks(query.sides[other]);
    const list = make("table", "ranking");
    const head = list.createTHead().insertRow();
    ["rank", "grade", "document", compared ? "moved" : ""].forEach((text) => {
      const cell = make(text ? "th" : "td", "", text);
      if (text) cell.scope = "col";
      head.append(cell);
    });
    const lines = list.createTBody();
    const line = (rank, value, document, words, className) => {
      const row = lines.insertRow();
      row.append(make("td", "number", rank));
      const named = make("td", "data document", data.documents[document]);
      if (data.titles[document]) named.append(make("span", "document-title data", data.titles[document]));
      const cell = make("td");
      cell.append(grade(value));
      const move = make("td", "move " + className, words);
      // Further down than the report carries, nobody knows.
      if (words === "new" || words === "left") move.title = "not among the first of " + data.sides[other];
      row.append(cell, named, move);
      return row;
    };
    of.ranking.forEach(([document, value], index) => {
      const [words, className] = compared ? moved(index + 1, places.get(document), isAfter, value > 0) : ["", ""];
      line(String(index + 1), value, document, words, className);
    });
    (of.missed || []).forEach(([document, value, rank]) => {
      const [words, className] =
        !compared || (rank === null && places.get(document) === undefined)
          ? ["", ""]
          : rank === null
            ? [(isAfter ? "from " : "to ") + places.get(document), isAfter ? "is-loss" : "is-gain"]
            : moved(rank, places.get(document), isAfter, true);
      // Outside of what is shown, nobody knows whether a document is new.
      const unknown = places.get(document) === undefined;
      const row = line(rank === null ? "\u2013" : String(rank), value, document, unknown ? "" : words, className);
      row.className = "missed";
      row.title = rank === null ? "relevant and not retrieved" : "relevant and below what is shown";
    });
    if (of.ranking.length || (of.missed || []).length) part.append(list);
    return part;
  };

  const open = (index) => {
    const query = data.queries[index];
    const detail = make("tr", "detail");
    detail.id = "d-" + index;
    const cell = detail.insertCell();
    cell.colSpan = headers.length;
    if (query.text) cell.append(make("p", "asked data", query.text));
    const both = make("div", "sides");
    both.append(ranking(query, state.from, state.to, false));
    if (state.to !== state.from) both.append(ranking(query, state.to, state.from, true));
    cell.append(both);
    return detail;
  };

  const toggle = (index, wanted) => {
    const row = rows[index];
    const button = row.querySelector("button.open");
    const detail = row.nextElementSibling;
    const isOpen = Boolean(detail && detail.classList.contains("detail"));
    if (wanted === isOpen) return;
    if (isOpen) {
      detail.remove();
      button.removeAttribute("aria-controls");
    } else {
      row.after(open(index));
      button.setAttribute("aria-controls", "d-" + index);
    }
    button.setAttribute("aria-expanded", String(!isOpen));
  };

  // What readers do

  headers.forEach((header, index) => {
    header.querySelector("button").addEventListener("click", () => {
      state.descending = state.sort === index && !state.descending;
      state.sort = index;
      state.chosen = true;
      sort();
    });
  });
  rows.forEach((row, index) => {
    row.addEventListener("click", (event) => {
      // Whoever marks text to copy it does not want the row to open.
      const marks = String(window.getSelection());
      if (event.target.closest("button.open") || !marks) toggle(index);
    });
  });
  const show = () => {
    fill();
    filter();
    sortByLoss();
    if (state.sort !== null) sort();
  };
  const choose = (name, id) => {
    control(id).addEventListener("change", (event) => {
      state[name] = Number(event.target.value);
      show();
    });
  };
  choose("metric", "metric");
  choose("from", "side-from");
  choose("to", "side-to");
  control("filter-text").addEventListener("input", filter);
  control("filter-changed").addEventListener("change", filter);
  if (control("filter-segment")) control("filter-segment").addEventListener("change", filter);

  // Bars say below the plot which query they stand for.
  document.querySelectorAll(".change").forEach((change) => {
    const readout = change.querySelector(".readout");
    const say = (event) => {
      const bar = event.target.closest(".bar");
      if (bar) readout.textContent = bar.querySelector("title").textContent;
    };
    change.addEventListener("mouseover", say);
    change.addEventListener("focusin", say);
  });

  // A link to a query says by which metric and between which sides it is to be seen.
  const views = /^#q-(\d+)(?:\?m=(\d+)&from=(\d+)&to=(\d+))?$/;
  const selects = [["metric", "metric", data.metrics], ["from", "side-from", data.sides], ["to", "side-to", data.sides]];
  document.querySelectorAll("[data-view]").forEach((part) => {
    const [metric, from, to] = part.dataset.view.split(",");
    part.querySelectorAll("a[href^='#q-']").forEach((link) => {
      link.setAttribute("href", link.getAttribute("href") + "?m=" + metric + "&from=" + from + "&to=" + to);
    });
  });
  // A plot is one stop of the keyboard; arrows lead from bar to bar.
  document.querySelectorAll(".change").forEach((change) => {
    const bars = [...change.querySelectorAll("a.bar")];
    bars.forEach((bar, index) => bar.setAttribute("tabindex", index ? "-1" : "0"));
    change.addEventListener("keydown", (event) => {
      const at = bars.indexOf(event.target.closest("a.bar"));
      const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: bars.length - 1 }[event.key];
      if (at < 0 || !bars[to]) return;
      event.preventDefault();
      bars[at].setAttribute("tabindex", "-1");
      bars[to].setAttribute("tabindex", "0");
      bars[to].focus();
    });
  });

  const follow = () => {
    const match = views.exec(location.hash);
    const index = match ? Number(match[1]) : -1;
    if (!rows[index]) return;
    if (match[2] !== undefined) {
      const view = match.slice(2).map(Number);
      selects.forEach(([name, id, known], place) => {
        if (view[place] >= known.length) return;
        state[name] = view[place];
        control(id).value = String(view[place]);
      });
      show();
    }
    if (rows[index].hidden) {
      control("filter-text").value = "";
      control("filter-changed").checked = false;
      if (control("filter-segment")) control("filter-segment").value = "";
      filter();
    }
    rows.forEach((row) => row.classList.remove("is-target"));
    rows[index].classList.add("is-target");
    toggle(index, true);
    rows[index].scrollIntoView({ block: "start" });
    rows[index].querySelector("button.open").focus({ preventScroll: true });
  };
  // Paper shows why a gate did not pass, whatever is folded on the screen.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.gate:not(.passed):not([open])")];
    folded.forEach((gate) => { gate.open = true; });
  });
  window.addEventListener("afterprint", () => folded.forEach((gate) => { gate.open = false; }));

  window.addEventListener("hashchange", follow);
  // A second click on the same link changes no address, but what is shown may have changed.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#q-']");
    if (link && link.getAttribute("href") === location.hash) follow();
  });
  // Browsers restore what was chosen before a reload.
  state.metric = Number(control("metric").value);
  state.from = Number(control("side-from").value);
  state.to = Number(control("side-to").value);
  show();
  follow();
})();
