import { type ReactNode, useEffect, useRef } from 'react';
import { update } from '../../state/store.js';

/** A window over the page. Esc, or a click beside it, closes it. */
export function Overlay({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    // The browser focuses the first focusable element, which may be a box around the field.
    dialog.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Esc does the same, by the element's own manners
    <dialog
      className="overlay"
      aria-label={label}
      ref={dialog}
      onClose={closeOverlay}
      onClick={({ target }) => target === dialog.current && closeOverlay()}
    >
      <div className="overlay-content">{children}</div>
    </dialog>
  );
}

export function closeOverlay(): void {
  update({ overlay: undefined });
}
