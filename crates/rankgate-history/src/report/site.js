// Keys press what is on the page.
"use strict";
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const own = (one) => one.dataset.key === event.key;
  const found = [...document.querySelectorAll("[data-key]")].find(own);
  if (!found) return;
  event.preventDefault();
  // A key that is held grades one document: the page of the next one is told of it as well.
  if (event.repeat && found.tagName === "BUTTON") return;
  found.click();
});
