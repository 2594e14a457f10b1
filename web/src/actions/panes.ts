import { type LeftTab, type RightTab, update } from '../state/store.js';

const PANES = ['.header', '.write', '.settings', '.look', '.notice', '.status'];

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

/** Shows a tab of the left or the right half, and focuses it. */
export function showTab(tab: { readonly leftTab: LeftTab } | { readonly rightTab: RightTab }): void {
  const isLeft = 'leftTab' in tab;
  update({ ...tab, side: isLeft ? 'left' : 'right' });
  // The half may not be visible until this change is rendered.
  setTimeout(() => {
    const half = isLeft ? '.write' : '.look';
    document.querySelector<HTMLElement>(`${half} [role=tab][aria-selected=true]`)?.focus();
  });
}
