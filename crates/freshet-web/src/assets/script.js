// Live values: the server says what changed, this puts it in place. Without it every page still works.
"use strict";

(() => {
  if (!document.querySelector("[data-live]")) return;

  const show = (values) => {
    for (const element of document.querySelectorAll("[data-live]")) {
      const value = values[element.dataset.live];
      if (value !== undefined && element.textContent !== value) element.textContent = value;
    }
  };

  // Whoever is about to press a button, moves by keyboard or has marked text here must not lose it.
  const isHeld = (part) => {
    const [held, marked] = [document.activeElement, getSelection()];
    if (part.contains(held) && held.matches(":focus-visible, a, button, input, select, textarea")) return true;
    return marked !== null && !marked.isCollapsed && marked.containsNode(part, true);
  };

  const refresh = async (part) => {
    if (isHeld(part) || document.hidden) return;
    const answer = await fetch(part.dataset.part, { credentials: "same-origin" });
    if (!answer.ok || answer.redirected) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (isHeld(part)) return;
    // Wide tables stay where they were scrolled to.
    const places = () => part.querySelectorAll(".scroll");
    const scrolled = Array.from(places(), (it) => it.scrollLeft);
    part.replaceChildren(...fresh.body.childNodes);
    places().forEach((it, at) => { it.scrollLeft = scrolled[at] ?? 0; });
  };

  // The server ends the connection now and then, and the browser comes back at once: only a longer silence is told.
  let lost;
  const source = new EventSource("/api/v1/live");
  source.addEventListener("values", (event) => {
    clearTimeout(lost);
    lost = undefined;
    show(JSON.parse(event.data));
  });
  source.addEventListener("part", () => {
    for (const part of document.querySelectorAll("[data-part]")) refresh(part).catch(() => {});
  });
  source.addEventListener("error", () => { lost ??= setTimeout(() => show({ state: "no connection" }), 3000); });
  addEventListener("pagehide", () => source.close());
})();
