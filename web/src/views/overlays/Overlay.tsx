import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import { update } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { returnFocus } from '../returning-focus.js';

/** A window over the page. Esc, or a click beside it, closes it. */
export function Overlay({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const { current } = dialog;
    if (current === null) return undefined;
    current.showModal();
    // The browser focuses the first focusable element, which may be a box around a field or a list of tabs.
    const first =
      current.querySelector<HTMLElement>('[data-first]') ??
      current.querySelector<HTMLElement>('input, textarea, select, [role=tab][aria-selected=true]');
    first?.focus();
    // The event comes late: the next window may be open by then.
    current.addEventListener('close', closeOverlay);
    return () => {
      current.removeEventListener('close', closeOverlay);
      // While it is open, the page cannot be focused.
      current.close();
      returnFocus();
    };
  }, []);
  return (
    <dialog
      className="overlay"
      aria-label={label}
      ref={dialog}
      // By itself, the browser closes it after the next keys.
      onKeyDown={({ key, nativeEvent }) =>
        key === 'Escape' && !nativeEvent.isComposing && !nativeEvent.defaultPrevented && closeOverlay()
      }
      onClick={({ target }) => target === dialog.current && closeOverlay()}
    >
      <div className="overlay-content">{children}</div>
    </dialog>
  );
}

export function CloseButton() {
  return (
    <button type="button" onClick={closeOverlay}>
      {t('frame.close')}
    </button>
  );
}

/** Closes the window at once, so that what follows can move the focus in the page. */
export function closeOverlay(): void {
  flushSync(() => update({ overlay: undefined }));
}
