const PANES = ['.header', '.write', '.settings', '.look', '.status'];

/** Moves the focus to the next or a previous pane. */
export function focusNextPane(step: number): void {
  const panes = PANES.flatMap((selector) => {
    const found = document.querySelector<HTMLElement>(selector);
    return found === null || found.offsetParent === null ? [] : [found];
  });
  const current = panes.findLastIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(current + step + panes.length) % panes.length];
  next?.querySelector<HTMLElement>('.editor, button:not([disabled]), input, select, a, [tabindex="0"]')?.focus();
}
