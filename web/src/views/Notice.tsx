import { type FocusEvent, useEffect, useRef, useState } from 'react';
import { type Notice as Shown, update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { returnFocus } from './returning-focus.js';

/** The current notice, in a line above the status bar. */
export function Notice() {
  const notice = useStore(({ notice }) => notice);
  return (
    <div className="notice-place" role="status">
      {notice !== undefined && <NoticeLine notice={notice} />}
    </div>
  );
}

/** Milliseconds that a notice is shown; time with the focus or the pointer on it does not count, and starts it again. */
const SHOWN_FOR = 10_000;

function NoticeLine({ notice }: { readonly notice: Shown }) {
  const line = useRef<HTMLParagraphElement>(null);
  const [isHeld, setHeld] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a notice appears under the pointer, or replaces one that has the focus
  useEffect(() => setHeld(line.current?.matches(':hover, :focus-within') === true), [notice]);
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(
      () => update(({ notice: now }) => ({ notice: now === notice ? undefined : now })),
      SHOWN_FOR,
    );
    return () => clearTimeout(timer);
  }, [notice, isHeld]);
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) setHeld(currentTarget.matches(':hover'));
  };
  return (
    <p
      ref={line}
      className="notice"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={({ currentTarget }) => setHeld(currentTarget.matches(':focus-within'))}
      onFocus={() => setHeld(true)}
      onBlur={onBlur}
    >
      <span>{notice.text}</span>
      {notice.undo !== undefined && (
        <button
          type="button"
          onClick={() => {
            returnFocus();
            update({ notice: undefined });
            notice.undo?.();
          }}
        >
          {t('frame.undo')}
        </button>
      )}
      <button
        type="button"
        className="quiet"
        aria-label={t('frame.closeNotice')}
        onClick={() => {
          returnFocus();
          update({ notice: undefined });
        }}
      >
        <span aria-hidden="true">×</span>
      </button>
    </p>
  );
}
