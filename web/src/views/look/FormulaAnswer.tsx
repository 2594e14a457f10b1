import { lazy, Suspense } from 'react';
import { areTermsOf } from '#engine/formula/model-terms.js';
import type { Run } from '../../state/run.js';

const FormulaResults = lazy(async () => ({ default: (await import('./FormulaResults.js')).FormulaResults }));

/** Effects and fitted values of a run whose program a formula has written; nothing for other programs. */
export function FormulaAnswer({ run }: { readonly run: Run }) {
  const { program, terms } = run.source;
  if (terms === undefined || run.draws < 2 || !areTermsOf(terms, program)) return null;
  return (
    <Suspense fallback={<div className="answer" />}>
      <FormulaResults run={run} terms={terms} />
    </Suspense>
  );
}
