"use strict";
// Elements, numbers and text. Text from data is only ever set as text.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

// Characters that move the cursor or reorder a line are shown as their code.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function clean(text) {
  return String(text).replace(HIDDEN, (c) => "\\u{" + c.codePointAt(0).toString(16) + "}");
}

function short(text, most = 120) {
  const all = [...clean(text)];
  return all.length > most ? all.slice(0, most - 1).join("") + "\u2026" : all.join("");
}

const data = (text, most) => el("span", { class: "data", title: [...String(text)].length > (most || 120) ? clean(text) : null }, short(text, most));

const minus = (text) => text.replace(/-/g, "\u2212");

// Halves are rounded away from zero, as in the other reports: toFixed would print 0.900 for 0.9005.
function fixed(value, digits) {
  const scale = 10 ** digits;
  const text = ((Math.sign(value) * Math.round(Math.abs(value) * scale + 1e-9)) / scale).toFixed(digits);
  return minus(text.replace(/^-(0(\.0+)?)$/, "$1"));
}

const signed = (value, digits) => {
  const text = fixed(value, digits);
  return /^[\d.]/.test(text) && !/^0(\.0+)?$/.test(text) ? "+" + text : text;
};

const count = (number) => number.toLocaleString("en-US");
const counted = (number, one, many = one + "s") => count(number) + " " + (number === 1 ? one : many);
const range = ([low, high], digits) => "[" + fixed(low, digits) + ", " + fixed(high, digits) + "]";
const percent = (share) => fixed(100 * share, 1).replace(/\.0$/, "") + "%";

function pValue(p) {
  if (p < 1e-5) return "< 1e-5";
  return p < 1e-4 ? p.toExponential(1).replace(".0", "") : p.toPrecision(3).replace(/0+$/, "").replace(/\.$/, "");
}

// What sums of doubles differ by is no difference.
const ROUNDING = 5e-7;
const isChange = (value) => value !== null && Math.abs(value) > ROUNDING;
// Enough decimals to tell a small difference from 0.
const digitsOf = (value) => Math.min(6, Math.max(4, 1 - Math.floor(Math.log10(Math.abs(value) || 1))));

function scroll(name, table) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, table);
}

function copyButton(text) {
  const button = el("button", { type: "button", class: "copy", title: "Copy" }, "copy");
  button.addEventListener("click", async () => {
    const done = () => { button.textContent = "copied"; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    try {
      await navigator.clipboard.writeText(text);
      done();
    } catch {
      // Pages from a file may not use the clipboard.
      const area = el("textarea", {}, text);
      document.body.append(area);
      area.select();
      if (document.execCommand("copy")) done();
      area.remove();
    }
  });
  return button;
}
