// The search of the first page, and tables that a click on a heading sorts. Nothing is fetched.
"use strict";
const box = document.querySelector("#q");
const rows = [...document.querySelectorAll("tr[data-find]")].map((row) => ({ row, text: row.dataset.find.toLowerCase() }));

function search() {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
  const found = [];
  for (const section of document.querySelectorAll("main section")) {
    const count = section.querySelectorAll("tr[data-find]:not([hidden])").length;
    section.hidden = words.length > 0 && count === 0;
    if (count) found.push(`${count} in ${section.querySelector("h2").textContent}`);
  }
  document.querySelector("#found").textContent = words.length ? `Found: ${found.join(", ") || "nothing"}.` : "";
}

function remember() {
  const query = box.value ? `?q=${encodeURIComponent(box.value)}` : location.pathname;
  // A page that is opened from a disk may not be allowed to.
  try { history.replaceState(null, "", query); } catch { /* the search works without */ }
}

if (rows.length) {
  box.value = new URLSearchParams(location.search).get("q") || "";
  search();
  box.addEventListener("input", () => { search(); remember(); });
  box.form.addEventListener("submit", (event) => { event.preventDefault(); search(); remember(); });
}
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
});

function key(row, column, asText) {
  const text = row.cells[column].textContent.trim().toLowerCase();
  const number = asText ? NaN : Number.parseFloat(text.replaceAll(",", ""));
  return Number.isNaN(number) ? text : number;
}

function sort(table, column, head) {
  const asText = head.classList.contains("text"), before = head.getAttribute("aria-sort");
  const up = before === "descending" || (asText && !before);
  for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", up ? "ascending" : "descending");
  const body = table.tBodies[0], sign = up ? 1 : -1;
  const order = (a, b) => typeof a !== typeof b ? (typeof a === "number" ? -1 : 1) : sign * (a < b ? -1 : a > b ? 1 : 0);
  body.append(...[...body.rows].sort((a, b) => order(key(a, column, asText), key(b, column, asText))));
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    button.addEventListener("click", () => sort(table, column, head));
    head.replaceChildren(button);
  });
}
