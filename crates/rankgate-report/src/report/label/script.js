// One document after the other. Text is only ever set as text; what is graded is kept in the browser.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const pairs = data.pairs;
  const control = (id) => document.getElementById(id);
  const key = (pair) => JSON.stringify([pair.query, pair.document]);
  const scale = (pair) => pair.scale || data.grades;
  const buttons = [...document.querySelectorAll(".grades button[id^=grade-]")];

  // What is kept: grades by pair, the name, whether the guidelines are open.

  let kept = { grades: {}, who: "", how: true };
  let keeps = true;
  try {
    kept = { ...kept, ...JSON.parse(localStorage.getItem(data.id) || "{}") };
  } catch {
    keeps = false;
  }
  const keep = () => {
    try {
      localStorage.setItem(data.id, JSON.stringify(kept));
    } catch {
      keeps = false;
    }
    if (!keeps) control("told").textContent = "This browser keeps nothing of the page: save before you close it.";
  };
  const has = (pair) => Object.hasOwn(kept.grades, key(pair));
  const next = (from) => {
    for (let step = 0; step < pairs.length; step += 1) {
      const at = (from + step) % pairs.length;
      if (!has(pairs[at])) return at;
    }
    return -1;
  };

  // Words of the query, and of the document those that begin alike.

  const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const stem = (word) => (word.length > 5 ? word.slice(0, Math.max(5, word.length - 3)) : word);
  const marked = (text, wanted) => {
    const fragment = document.createDocumentFragment();
    let end = 0;
    for (const found of text.matchAll(/[\p{L}\p{N}]+/gu)) {
      if (!wanted.has(stem(found[0].toLowerCase()))) continue;
      fragment.append(text.slice(end, found.index));
      const mark = document.createElement("mark");
      mark.textContent = found[0];
      fragment.append(mark);
      end = found.index + found[0].length;
    }
    fragment.append(text.slice(end));
    return fragment;
  };

  // What is shown

  let at = Math.max(0, next(0));
  const show = () => {
    const pair = pairs[at];
    const done = pairs.filter(has).length;
    control("bar").max = Math.max(1, pairs.length);
    control("bar").value = done;
    control("done").textContent = done === pairs.length ? `all ${done} graded: save them` : `${done} of ${pairs.length} graded`;
    for (const button of document.querySelectorAll(".bar button")) button.disabled = !pair;
    if (!pair) return;
    control("query").textContent = pair.query_text || pair.query;
    const wanted = new Set(words(pair.query_text).filter((word) => word.length > 3 || /\p{N}/u.test(word)).map(stem));
    const [first, ...rest] = pair.document_text.split("\n");
    const title = document.createElement(rest.length ? "b" : "span");
    title.append(marked(first, wanted));
    control("document").replaceChildren(title, marked(rest.join("\n"), wanted));
    const grade = has(pair) ? kept.grades[key(pair)] : undefined;
    const pressed = (id, yes) => control(id).setAttribute("aria-pressed", String(yes));
    buttons.forEach((button, value) => {
      const name = scale(pair)[value];
      button.hidden = name === undefined;
      button.querySelector("span").textContent = name || "";
      pressed(button.id, grade === value);
    });
    pressed("unsure", grade === null);
    control("back").disabled = at === 0;
    control("on").disabled = at === pairs.length - 1;
    window.scrollTo(0, control("how").open ? window.scrollY : 0);
  };
  const go = (to) => {
    if (to < 0 || to >= pairs.length) return;
    at = to;
    show();
    window.scrollTo(0, Math.min(window.scrollY, document.querySelector(".query").offsetTop));
  };
  const grade = (value) => {
    if (!pairs[at]) return;
    kept.grades[key(pairs[at])] = value;
    // Who has begun knows how to grade; the guidelines open again.
    if (Object.keys(kept.grades).length === 1) control("how").open = false;
    keep();
    const to = next(at + 1);
    if (to < 0) show();
    else go(to);
  };

  // What is saved

  const save = () => {
    const who = kept.who.trim();
    const line = (pair) => {
      const line = { document: pair.document };
      if (pair.document_sha256) line.document_sha256 = pair.document_sha256;
      line.grade = kept.grades[key(pair)];
      line.query = pair.query;
      if (pair.query_sha256) line.query_sha256 = pair.query_sha256;
      if (who) line.who = who;
      return `${JSON.stringify(line)}\n`;
    };
    const order = (a, b) => (key(a) < key(b) ? -1 : 1);
    const text = pairs.filter(has).sort(order).map(line).join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/jsonl" }));
    const name = [data.title, who].filter(Boolean).join("-").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
    link.download = `${name.replace(/^-+|-+$/g, "") || "labels"}.jsonl`;
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  buttons.forEach((button, value) => button.addEventListener("click", () => grade(value)));
  control("unsure").addEventListener("click", () => grade(null));
  control("back").addEventListener("click", () => go(at - 1));
  control("on").addEventListener("click", () => go(at + 1));
  control("save").addEventListener("click", save);
  control("who").value = kept.who;
  control("who").addEventListener("input", () => {
    kept.who = control("who").value;
    keep();
  });
  control("how").open = kept.how;
  control("how").addEventListener("toggle", () => {
    kept.how = control("how").open;
    keep();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === control("who")) {
      if (event.key === "Escape" || event.key === "Enter") control("who").blur();
      return;
    }
    const value = "0123456789".indexOf(event.key);
    if (event.key.length === 1 && value >= 0 && pairs[at] && value < scale(pairs[at]).length) grade(value);
    else if (event.key === "c") grade(null);
    else if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "s") save();
    else return;
    event.preventDefault();
  });
  keep();
  show();
})();
