import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from '../state/store.js';
import { endTour, goToStop, stops } from '../state/tour.js';
import { t } from '../words/messages.js';
import { returnFocus } from './returning-focus.js';

/** A stop of the tour: a frame around the element that it explains, and a note beside it. */
export function Tour() {
  const stop = useStore(({ tourStop }) => tourStop);
  useEffect(() => returnFocus, []);
  return stop === undefined ? null : <StopNote key={stop} index={stop} />;
}

const WIDTH = 300;
const GAP = 12;

function StopNote({ index }: { readonly index: number }) {
  const stop = stops[index];
  const note = useRef<HTMLElement>(null);
  const [frame, setFrame] = useState<DOMRect>();
  const selector = stop?.at ?? 'body';
  useLayoutEffect(() => {
    const measure = () => setFrame(document.querySelector(selector)?.getBoundingClientRect());
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [selector]);
  useEffect(() => note.current?.focus(), []);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      endTour();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  if (stop === undefined) return null;
  const isLast = index === stops.length - 1;
  return (
    <>
      {frame !== undefined && (
        <div
          className="tour-frame"
          style={{ left: frame.left, top: frame.top, width: frame.width, height: frame.height }}
        />
      )}
      <section
        className="tour-note"
        aria-label={t('start.tourStop', { stop: index + 1, count: stops.length })}
        tabIndex={-1}
        ref={note}
        style={frame && placeBeside(frame)}
      >
        <h2>{t(stop.title)}</h2>
        <p>{t(stop.text)}</p>
        <div className="buttons">
          <button type="button" className="primary" onClick={() => goToStop(index + 1)}>
            {t(isLast ? 'start.tourDone' : 'start.tourNext')}
          </button>
          {index > 0 && (
            <button type="button" onClick={() => goToStop(index - 1)}>
              {t('start.tourBack')}
            </button>
          )}
          {!isLast && (
            <button type="button" onClick={endTour}>
              {t('start.tourEnd')}
            </button>
          )}
          <span className="muted">{t('start.tourPlace', { stop: index + 1, count: stops.length })}</span>
        </div>
      </section>
    </>
  );
}

/** The position of the note: in the middle of a large element, below a small one, and always within the page. */
function placeBeside({ bottom, height, left, right, top }: DOMRect) {
  const width = Math.min(WIDTH, innerWidth - 2 * GAP);
  const center = (left + right - width) / 2;
  const isLarge = height > innerHeight / 3;
  return {
    width,
    left: Math.max(GAP, Math.min(innerWidth - width - GAP, center)),
    top: isLarge ? top + height / 3 : bottom + GAP,
  };
}
