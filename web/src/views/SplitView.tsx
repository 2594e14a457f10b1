import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef } from 'react';
import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

const LEAST = 0.2;
const GREATEST = 0.8;
const STEP = 0.02;

/** Two halves with a divider that can be dragged, or moved by arrow keys. */
export function SplitView({ left, right }: { readonly left: ReactNode; readonly right: ReactNode }) {
  const ratio = useStore(({ ratio }) => ratio);
  const frame = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    frame.current?.style.setProperty('--left', `${ratio}fr`);
    frame.current?.style.setProperty('--right', `${1 - ratio}fr`);
  }, [ratio]);
  const move = (share: number) => update({ ratio: Math.min(GREATEST, Math.max(LEAST, share)) });
  const onPointerMove = (event: PointerEvent<HTMLDivElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId) || frame.current === null) return;
    const { left: start, width } = frame.current.getBoundingClientRect();
    move((event.clientX - start) / width);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowLeft') move(ratio - STEP);
    else if (event.key === 'ArrowRight') move(ratio + STEP);
    else if (event.key === 'Home') move(LEAST);
    else if (event.key === 'End') move(GREATEST);
    else return;
    event.preventDefault();
  };
  return (
    <main className="split" ref={frame}>
      {left}
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved, a window splitter is a separator with a value (WAI-ARIA) */}
      <div
        className="splitter"
        role="separator"
        aria-label={t('frame.leftWidth')}
        aria-orientation="vertical"
        aria-valuenow={Math.round(100 * ratio)}
        aria-valuemin={100 * LEAST}
        aria-valuemax={100 * GREATEST}
        tabIndex={0}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
        onDoubleClick={() => move(0.46)}
        onKeyDown={onKeyDown}
      />
      {right}
    </main>
  );
}
