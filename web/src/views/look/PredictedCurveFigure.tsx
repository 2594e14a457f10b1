import { useMemo } from 'react';
import { type PredictedCurve, predictedCurve } from '#engine/fits/predicted-curve.js';
import { pool } from '#engine/inference/diagnostics/chains.js';
import { quantiles } from '#engine/inference/diagnostics/moments.js';
import { FITTED_QUANTILES, type Fitted, fittedHeight, fittedPlot } from '#engine/plots/fitted.js';
import { evenColumn } from '../../state/fits.js';
import type { Run } from '../../state/run.js';
import { t } from '../../words/messages.js';
import { Figure } from './Figure.js';
import { columnNames, useColumns, useFit } from './useFit.js';

/** The data along time or another variable, with the simulations of the fit as bands; nothing if the data do not suggest one. */
export function PredictedCurveFigure({ run }: { readonly run: Run }) {
  const names = columnNames(run, useFit(run));
  const curve = useMemo(() => predictedCurve(run.source.data, names), [run.source.data, names]);
  const fit = useColumns(run, curve?.series.flatMap(({ columns }) => columns) ?? []);
  const drawn = useMemo(
    () => (fit === undefined || curve === undefined ? undefined : fittedOf(curve, (name) => evenColumn(fit, name))),
    [fit, curve],
  );
  if (drawn === undefined) return null;
  return (
    <section className="answer" aria-label={t('plots.curve')}>
      <Figure
        height={(width) => fittedHeight(drawn, width)}
        version={run.id}
        hasLegend
        isDescribed
        plot={(size) => fittedPlot(drawn, size)}
      />
    </section>
  );
}

function fittedOf(
  { axis, grid, name, series }: PredictedCurve,
  drawsOf: (column: string) => readonly Float64Array[],
): Fitted {
  return {
    title: t('formula.against', { name, other: axis }),
    xLabel: axis,
    yLabel: name,
    expected: name,
    arePredictions: true,
    grid: [...grid],
    panels: series.map(({ columns, name: label, observed }) => ({
      label: series.length > 1 ? label : '',
      x: grid,
      y: observed,
      at: columns.map((column) => quantiles(pool(drawsOf(column)), FITTED_QUANTILES)),
    })),
    groups: series.length,
    isBinary: false,
  };
}
