import { lazy, Suspense, useRef, useState } from 'react';
import type { TermName } from '../terms/term-names.js';
import { t } from '../words/messages.js';

const Explanation = lazy(async () => ({ default: (await import('./Explanation.js')).Explanation }));

/** A button beside a statistical term, which opens its explanation. */
export function Term({ name, label }: { readonly name: TermName; readonly label: string }) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <button
        type="button"
        className="term"
        ref={button}
        aria-label={t('frame.explain', { term: label })}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <Suspense fallback={null}>
          <Explanation name={name} label={label} button={button} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
