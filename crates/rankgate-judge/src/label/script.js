// One document after the other. Text is only ever set as text; what is graded is kept in the browser.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const pairs = data.pairs;
  const control = (id) => document.getElementById(id);
  const key = (pair) => JSON.stringify([pair.query, pair.document]);
  const scale = (pair) => pair.scale || data.grades;
  const buttons = [...document.querySelectorAll(".grades button[id^=grade-]")];
  const tell = (text) => {
    control("told").textContent = text;
  };

  // What is kept: each grade by itself, so that tabs of one page never write over what another one graded. It is known by
  // the texts that were graded, so that a page written anew has it too. Beside them the name, and whether guidelines are open.

  const name = (pair) => {
    const texts = [pair.query_sha256 || pair.query_text, pair.document_sha256 || pair.document_text];
    return `rankgate-grade ${JSON.stringify([data.title, pair.query, pair.document, ...texts, scale(pair)])}`;
  };
  const names = new Map(pairs.map((pair) => [name(pair), pair]));
  const isGrade = (pair, value) =>
    value === null || (Number.isInteger(value) && value >= 0 && value < scale(pair).length);
  const grades = new Map();
  // Grades that the browser did not take: what it has in their place is older.
  const unkept = new Set();
  let keeps = true;
  const lost = () => {
    keeps = false;
    tell("This browser keeps nothing of the page: save before you close it.");
  };
  const read = (name) => {
    try {
      return JSON.parse(localStorage.getItem(name) ?? "{}");
    } catch {
      return {};
    }
  };
  const load = () => {
    for (const [name, pair] of names) {
      if (unkept.has(name)) continue;
      const value = read(name);
      if (isGrade(pair, value)) grades.set(key(pair), value);
    }
  };
  const write = (name, value) => {
    try {
      localStorage.setItem(name, JSON.stringify(value));
      unkept.delete(name);
    } catch {
      unkept.add(name);
      lost();
    }
  };
  const settings = `rankgate-page ${data.title}`;
  let set = { who: "", how: true, page: "", ...read(settings) };
  const keep = (changed) => {
    set = { ...set, ...read(settings), ...changed };
    write(settings, set);
  };
  const has = (pair) => grades.has(key(pair));
  const next = (from) => {
    for (let step = 0; step < pairs.length; step += 1) {
      const at = (from + step) % pairs.length;
      if (!has(pairs[at])) return at;
    }
    return -1;
  };
  load();

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
    const rubric = (pair && pair.rubric) || data.guidelines;
    if (control("guidelines").textContent !== rubric) {
      // Another kind of question is graded by other rules.
      if (control("guidelines").textContent) control("how").open = true;
      control("guidelines").textContent = rubric;
    }
    const done = pairs.filter(has).length;
    const state = done === pairs.length ? `all ${done} graded: save them` : `${done} of ${pairs.length} graded`;
    control("bar").max = Math.max(1, pairs.length);
    control("bar").value = done;
    control("done").textContent = state;
    for (const button of document.querySelectorAll(".bar button")) button.disabled = !pair;
    if (!pair) return;
    control("query").textContent = pair.query_text || pair.query;
    const wanted = new Set(words(pair.query_text).filter((word) => word.length > 3 || /\p{N}/u.test(word)).map(stem));
    const [first, ...rest] = pair.document_text.split("\n");
    const title = document.createElement(rest.length ? "b" : "span");
    title.append(marked(first, wanted));
    control("document").replaceChildren(title, marked(rest.join("\n"), wanted));
    // Whoever listens hears what is to be graded next, and not only how far they are.
    const heard = `${state}. Query: ${control("query").textContent}. To grade: ${control("document").textContent}`;
    if (control("heard").textContent !== heard) control("heard").textContent = heard;
    const grade = grades.get(key(pair));
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
  };
  const scroll = () => {
    const below = Math.min(window.scrollY, document.querySelector(".query").offsetTop);
    window.scrollTo(0, control("how").open ? below : 0);
  };
  const go = (to) => {
    if (to < 0 || to >= pairs.length) return;
    at = to;
    show();
    scroll();
  };
  const grade = (value) => {
    const pair = pairs[at];
    if (!pair || !isGrade(pair, value)) return;
    load();
    grades.set(key(pair), value);
    write(name(pair), value);
    // Who has begun knows how to grade; the guidelines open again.
    if (grades.size === 1) control("how").open = false;
    const to = next(at + 1);
    go(to < 0 ? at : to);
  };

  // What is saved

  const save = () => {
    load();
    const who = set.who.trim();
    const line = (pair) => {
      const line = { document: pair.document };
      if (pair.document_sha256) line.document_sha256 = pair.document_sha256;
      line.grade = grades.get(key(pair));
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

  // What was saved, on this machine or on another one, goes on here: a file with a line that is none is not taken at all.

  const taken = (file, text) => {
    const known = new Map(pairs.map((pair) => [key(pair), pair]));
    const found = new Map();
    const whose = new Set();
    let [foreign, changed] = [0, 0];
    text.split("\n").forEach((line, number) => {
      if (!line.trim()) return;
      const fail = (why) => {
        throw new Error(`${file}, line ${number + 1}: ${why}: ${line.trim().slice(0, 80)}`);
      };
      let one;
      try {
        one = JSON.parse(line);
      } catch {
        fail("not JSON");
      }
      if (typeof one?.query !== "string" || typeof one.document !== "string") fail("no query or no document");
      if (one.grade === undefined) fail("no grade");
      const pair = known.get(key(one));
      if (!pair) {
        foreign += 1;
        return;
      }
      if (!isGrade(pair, one.grade)) fail(`the grade is none of 0 to ${scale(pair).length - 1}, nor null`);
      const isOther = (name) => one[name] && pair[name] && one[name] !== pair[name];
      if (isOther("document_sha256") || isOther("query_sha256")) {
        changed += 1;
        return;
      }
      if (found.has(pair) && found.get(pair) !== one.grade) fail("a second grade of one document");
      found.set(pair, one.grade);
      whose.add(typeof one.who === "string" ? one.who.trim() : "");
    });
    whose.delete("");
    if (whose.size > 1) throw new Error(`${file} has grades of several people: ${[...whose].join(", ")}`);
    const [who] = whose;
    if (who && set.who.trim() && who !== set.who.trim()) {
      throw new Error(`${file} has the grades of ${who}, and this page those of ${set.who.trim()}`);
    }
    return { found, foreign, changed, who };
  };
  const take = async (file) => {
    let all;
    try {
      all = taken(file.name, await file.text());
    } catch (error) {
      tell(`Nothing was loaded. ${error.message}`);
      return;
    }
    load();
    let [new_, other] = [0, 0];
    for (const [pair, value] of all.found) {
      if (!has(pair)) {
        new_ += 1;
        grades.set(key(pair), value);
        write(name(pair), value);
      } else if (grades.get(key(pair)) !== value) other += 1;
    }
    if (all.who && !set.who.trim()) {
      keep({ who: all.who });
      control("who").value = all.who;
    }
    const said = [`Loaded ${new_} of ${all.found.size + all.foreign + all.changed} grades from ${file.name}.`];
    if (other) said.push(`Graded otherwise here, which stays: ${other}.`);
    if (all.changed) said.push(`Of another text than here: ${all.changed}.`);
    if (all.foreign) said.push(`Not on this page: ${all.foreign}.`);
    if (!keeps) said.push("This browser keeps nothing of the page: save before you close it.");
    tell(said.join(" "));
    at = Math.max(0, next(0));
    show();
  };

  buttons.forEach((button, value) => button.addEventListener("click", () => grade(value)));
  control("unsure").addEventListener("click", () => grade(null));
  control("back").addEventListener("click", () => go(at - 1));
  control("on").addEventListener("click", () => go(at + 1));
  control("save").addEventListener("click", save);
  control("load").addEventListener("click", () => control("file").click());
  control("file").addEventListener("change", async () => {
    const [file] = control("file").files;
    if (file) await take(file);
    // The same file can be chosen again.
    control("file").value = "";
  });
  control("who").value = set.who;
  control("who").addEventListener("input", () => keep({ who: control("who").value }));
  control("how").open = set.how;
  control("how").addEventListener("toggle", () => keep({ how: control("how").open }));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target === control("who")) {
      if (event.key === "Escape" || event.key === "Enter") control("who").blur();
      return;
    }
    const value = "0123456789".indexOf(event.key);
    const isGrading = (event.key.length === 1 && value >= 0) || "cs".includes(event.key);
    // A key that is held grades one document, also where it presses a button.
    if (event.repeat && (isGrading || (event.key === "Enter" && event.target.closest("button")))) {
      event.preventDefault();
      return;
    }
    if (event.key.length === 1 && value >= 0) grade(value);
    else if (event.key === "c") grade(null);
    else if (event.key === "ArrowLeft") go(at - 1);
    else if (event.key === "ArrowRight") go(at + 1);
    else if (event.key === "s") save();
    else return;
    event.preventDefault();
  });
  // Another tab graded or named somebody.
  window.addEventListener("storage", (event) => {
    if (event.key === settings) {
      set = { ...set, ...read(settings) };
      if (document.activeElement !== control("who")) control("who").value = set.who;
    } else if (names.has(event.key)) {
      const was = has(pairs[at]);
      load();
      // What the other one graded is done: this one goes on behind it.
      if (!was && has(pairs[at])) at = Math.max(0, next(at + 1));
      show();
    }
  });
  // One that was left and comes back as it was.
  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    load();
    show();
  });
  if (grades.size > 0 && set.page !== data.id) {
    const whose = set.who.trim() ? ` of ${set.who.trim()}` : "";
    tell(`Grades${whose} from an earlier page of the same texts go on here: ${grades.size}.`);
  }
  keep({ page: data.id });
  show();
})();
