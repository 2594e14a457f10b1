import { lazy, Suspense } from 'react';
import { areTermsOf } from '#engine/formula/model-terms.js';
import type { Run } from '../../state/run.js';

const FormulaResults = lazy(async () => ({ default: (await import('./FormulaResults.js')).FormulaResults }));

const PredictedCurveFigure = lazy(async () => ({
  default: (await import('./PredictedCurveFigure.js')).PredictedCurveFigure,
}));

/** What a run reports about its data: effects and fitted values if a formula has written its program, otherwise predictions along time or a predictor. */
export function Answer({ run }: { readonly run: Run }) {
  const { program, terms } = run.source;
  if (run.draws < 2) return null;
  if (terms !== undefined && areTermsOf(terms, program))
    return (
      <Suspense fallback={<div className="answer" />}>
        <FormulaResults run={run} terms={terms} />
      </Suspense>
    );
  return (
    <Suspense fallback={null}>
      <PredictedCurveFigure run={run} />
    </Suspense>
  );
}
