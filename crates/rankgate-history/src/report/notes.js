// A note that was typed stays while the page is loaded anew, as for another alarm that was acknowledged; it goes with its form.
"use strict";
for (const note of document.querySelectorAll("form textarea")) {
  const form = note.form;
  const of = ["benchmark", "configuration"].map((name) => form.elements[name]?.value);
  const key = `rankgate-note ${JSON.stringify([form.getAttribute("action"), ...of])}`;
  try {
    if (!note.value) note.value = sessionStorage.getItem(key) ?? "";
    note.addEventListener("input", () => sessionStorage.setItem(key, note.value));
    form.addEventListener("submit", () => sessionStorage.removeItem(key));
  } catch {
    // A browser that keeps nothing loses it, as without script.
  }
}
