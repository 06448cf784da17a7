// What is found is shown at once: each change of a filter asks for it, and only the results are replaced.

/** @param {HTMLFormElement} form - with the filters; its results stand in `#found` */
export function prepareSearch(form) {
  const main = /** @type {HTMLElement} */ (form.closest("main"));
  const field = form.elements.namedItem("q");
  let asked = 0;

  async function search() {
    const data = new FormData(form);
    if (data.get("in") === "positions") return form.submit();
    const words = new URLSearchParams();
    for (const [name, value] of data) if (value) words.append(name, String(value));
    const address = `${form.action}?${words}`;
    const [turn, status] = [++asked, main.querySelector("[role=status]")];
    if (status) status.textContent = "Searching…";
    try {
      const answer = await fetch(address);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (turn !== asked) return;
      show(page, address);
    } catch {
      if (status) status.textContent = "The page cannot be reached. Try again.";
    }
  }

  /** Replace what was found; the place that is read aloud stays, and the filters are left alone.
   * @param {Document} page @param {string} address */
  function show(page, address) {
    const [old, fresh] = [main.querySelector("#found"), page.querySelector("#found")];
    const [says, said] = [old?.querySelector("[role=status]"), fresh?.querySelector("[role=status]")];
    if (!old || !fresh || !says || !said) return location.assign(address);
    says.className = said.className;
    says.replaceChildren(...said.childNodes);
    for (const [kept, other] of [[says, said], [says.parentElement, said.parentElement]]) {
      while (kept?.nextSibling) kept.nextSibling.remove();
      while (other?.nextSibling) kept?.parentElement?.append(other.nextSibling);
    }
    const [bare, other] = [form.querySelector("a.bare"), page.querySelector("a.bare")];
    if (other) bare?.setAttribute("href", other.getAttribute("href") ?? "");
    history.replaceState(null, "", address);
    count();
  }

  /** The first one that is selected makes saving the main thing to do. */
  function count() {
    const some = main.querySelector(".pick :checked") !== null;
    main.querySelector("[data-these]")?.classList.toggle("primary", !some);
  }

  form.addEventListener("change", (event) => {
    // What is set up is searched when it is done.
    if (!(event.target instanceof Element) || !event.target.closest(".editor")) search();
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  if (field instanceof HTMLTextAreaElement) {
    field.addEventListener("input", (event) => {
      if (event instanceof InputEvent && event.inputType === "insertFromPaste") field.dispatchEvent(new Event("change", { bubbles: true }));
    });
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey) return;
      event.preventDefault();
      field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  }
  main.addEventListener("change", count);
  main.addEventListener("reset", () => setTimeout(count));
  main.addEventListener("click", (event) => {
    const all = event.target instanceof Element ? event.target.closest("[data-all]") : null;
    if (!all) return;
    // Not another page: what is shown is selected here.
    event.preventDefault();
    event.stopPropagation();
    for (const box of main.querySelectorAll(".pick input")) if (box instanceof HTMLInputElement) box.checked = true;
    main.querySelector(".pick input")?.dispatchEvent(new Event("change", { bubbles: true }));
  });
  count();
}
