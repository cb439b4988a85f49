"use strict";
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const one = (id) => document.getElementById(id);
  const root = document.documentElement;

  // Theme: the system's until the button is pressed; a page on disk may be denied storage.
  const stored = { get: () => { try { return localStorage.getItem("pubench-theme"); } catch { return null; } },
                   set: (value) => { try { localStorage.setItem("pubench-theme", value); } catch { /* not kept */ } } };
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const named = () => { one("theme").textContent = dark() ? "Light" : "Dark"; };
  if (stored.get()) root.dataset.theme = stored.get();
  named();
  one("theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; stored.set(root.dataset.theme); named(); });
  if (!one("metric")) return;

  one("tools").hidden = one("columns").hidden = false;
  const choose = () => {
    all("[data-metric]").forEach((part) => { part.hidden = part.dataset.metric !== one("metric").value; });
    // What is wider than a small screen can be scrolled by keys, too.
    all("figure").forEach((part) => { if (part.scrollWidth > part.clientWidth) part.tabIndex = 0; });
  };
  one("metric").addEventListener("change", choose);
  choose();

  const rows = all("table.scores tbody tr");
  one("find").addEventListener("input", () => {
    const words = one("find").value.toLowerCase().split(/\s+/).filter(Boolean);
    rows.forEach((row) => {
      const text = all(".text", row).map((cell) => cell.textContent).join(" ").toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    });
  });
  one("sd").addEventListener("change", () => one("scores").classList.toggle("nosd", !one("sd").checked));
  one("heat").addEventListener("change", () => one("scores").classList.toggle("flat", !one("heat").checked));
  all("input", one("columns")).forEach((box) => box.addEventListener("change", () => {
    all(`[data-column="${box.value}"]`).forEach((cell) => { cell.hidden = !box.checked; });
  }));

  // Sorting: by the number behind a mean, or by the text of the first three columns; missing values last.
  all("table.scores").forEach((table) => {
    const heads = all("thead th", table), body = table.tBodies[0], first = [...body.rows];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const before = head.getAttribute("aria-sort");
        const order = before === "descending" ? "ascending" : before === "ascending" ? "" : "descending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        if (order) head.setAttribute("aria-sort", order);
        const sign = order === "ascending" ? 1 : -1;
        const key = (row) => head.classList.contains("text") ? row.cells[column].textContent : parseFloat(row.cells[column].dataset.value);
        const compare = (a, b) => {
          const [x, y] = [key(a), key(b)];
          if (typeof x === "string") return sign * x.localeCompare(y, "en", { numeric: true });
          if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
          return sign * (x - y);
        };
        body.append(...(order ? [...first].sort(compare) : first));
      });
    });
  });

  one("csv").addEventListener("click", async () => {
    const table = all("table.scores").find((each) => !each.closest("[data-metric]").hidden);
    const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    const value = (cell) => (cell.tagName === "TD" && !cell.classList.contains("text") ? cell.dataset.value || "" : cell.textContent.trim());
    const lines = [table.tHead.rows[0], ...table.tBodies[0].rows].filter((row) => !row.hidden)
      .map((row) => [...row.cells].filter((cell) => !cell.hidden).map((cell) => quoted(value(cell))).join(","));
    const text = lines.join("\n") + "\n";
    try { await navigator.clipboard.writeText(text); } catch {
      const area = Object.assign(document.createElement("textarea"), { value: text });
      document.body.append(area); area.select(); document.execCommand("copy"); area.remove(); one("csv").focus();
    }
    one("csv").dataset.text = text;
    one("said").textContent = `${lines.length - 1} rows copied`;
  });

  // A mean opens the replicates behind it. The rows are unpacked when the first is asked for.
  let data;
  const unpacked = async () => {
    if (data) return data;
    const bytes = Uint8Array.from(atob(one("rows").textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    data = await new Response(stream).json();
    return data;
  };
  const show = async (row, column) => {
    const { columns, rows: packed, texts } = await unpacked();
    const plain = (value) => (typeof value === "string" && value[0] === "#" ? texts[+value.slice(1)] : value);
    const at = Object.fromEntries(columns.map((name, index) => [name, index]));
    const [dataset, labelling, criterion] = all(".text", row).map((cell) => cell.textContent);
    const algorithm = all("#columns input")[column].parentElement.textContent.trim();
    const wanted = (cell) => plain(cell[at.dataset]) === dataset && plain(cell[at.labelling]) === labelling
      && plain(cell[at.algorithm]).trim() === algorithm && [criterion, null].includes(plain(cell[at.criterion]));
    const shown = columns.filter((name) => !["dataset", "labelling", "criterion", "algorithm"].includes(name));
    const [head, body] = [all("thead", one("cell"))[0], all("tbody", one("cell"))[0]];
    const line = (tag, values) => {
      const made = document.createElement("tr");
      values.forEach((text) => { const cell = document.createElement(tag); cell.className = "text"; cell.textContent = text ?? ""; made.append(cell); });
      return made;
    };
    one("cell-title").textContent = [algorithm, dataset, labelling, criterion].filter(Boolean).join(" · ");
    head.replaceChildren(line("th", shown));
    body.replaceChildren(...packed.filter(wanted).map((cell) => line("td", shown.map((name) => plain(cell[at[name]])))));
    one("cell").showModal();
  };
  all("table.scores tbody td[data-column]").forEach((cell) => {
    const text = cell.firstChild;
    if (!text || text.nodeType !== Node.TEXT_NODE) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = text.textContent.trim();
    button.title = "Show the replicates";
    text.replaceWith(button, " ");
    button.addEventListener("click", () => show(cell.parentElement, +cell.dataset.column));
  });
})();
