"use strict";
// While a run goes on the page reloads; the browser's history entry keeps what the reader chose.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const fields = () => all("main input, main select");
  const stops = () => all("a[href], button, input, select, summary, [tabindex]");
  const heads = () => all("table.scores thead tr").map((row) => all("th", row));
  const pause = document.getElementById("pause");
  history.scrollRestoration = "manual";

  const kept = () => ({
    fields: fields().map((field) => (field.type === "checkbox" ? field.checked : field.value)),
    sorts: heads().map((row) => row.map((head) => head.getAttribute("aria-sort"))),
    open: all("details").map((part) => part.open),
    across: all(".scroll").map((part) => part.scrollLeft),
    focus: stops().indexOf(document.activeElement),
    x: scrollX, y: scrollY,
  });

  const restore = (state) => {
    fields().forEach((field, place) => {
      const [name, value] = [field.type === "checkbox" ? "checked" : "value", state.fields[place]];
      if (value === undefined) return;
      field[name] = value;
      for (const event of ["input", "change"]) field.dispatchEvent(new Event(event));
    });
    heads().forEach((row, table) => row.forEach((head, place) => {
      const wanted = (state.sorts[table] || [])[place];
      // The first click sorts one way, the second the other.
      for (let click = 0; wanted && click < 2 && head.getAttribute("aria-sort") !== wanted; click += 1) all("button", head)[0].click();
    }));
    all("details").forEach((part, place) => { part.open = state.open[place] ?? part.open; });
    all(".scroll").forEach((part, place) => { part.scrollLeft = state.across[place] || 0; });
    const focused = stops()[state.focus];
    if (focused) focused.focus({ preventScroll: true });
    scrollTo(state.x, state.y);
  };

  if (history.state) restore(history.state);
  pause.addEventListener("click", () => pause.setAttribute("aria-pressed", pause.getAttribute("aria-pressed") === "false"));
  setInterval(() => {
    // An open dialog is being read: do not reload then.
    if (pause.getAttribute("aria-pressed") === "true" || document.querySelector("dialog[open]")) return;
    history.replaceState(kept(), "");
    location.reload();
  }, 1000 * document.getElementById("live").dataset.seconds);
})();
