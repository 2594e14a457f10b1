import type { Fit } from 'leapfrog';
import { displayName } from '#engine/formats/columns.js';
import { tracePlot } from '#engine/plots/trace.js';
import { warmupPlot } from '#engine/plots/warmup.js';
import { fitOf, quantitiesOf, warmupOf } from '../../state/fits.js';
import type { Run } from '../../state/run.js';
import { Figure } from './Figure.js';
import { useLabels } from './useLabels.js';

const MOST = 4;
const HEIGHT = 150;

/** Traces of the log density in warmup, then of the log density and the first few quantities. `version` changes when there are more draws. */
export function LiveTraces({ run, version }: { readonly run: Run; readonly version: number }) {
  const fit = fitOf(run.id);
  return (
    <div className="figures">
      {fit === undefined || Math.max(...fit.columnAt(0).map(({ length }) => length)) < 2 ? (
        <WarmupTrace run={run} version={version} />
      ) : (
        <DrawTraces run={run} version={version} fit={fit} />
      )}
    </div>
  );
}

function WarmupTrace({ run, version }: { readonly run: Run; readonly version: number }) {
  const warmup = warmupOf(run.id);
  if (Math.max(...warmup.map(({ length }) => length)) < 2) return null;
  return (
    <Figure
      height={HEIGHT}
      version={version}
      plot={(size) => warmupPlot({ name: 'lp__', chains: warmup.map((chain) => Float64Array.from(chain)) }, size)}
    />
  );
}

function DrawTraces({ run, version, fit }: { readonly run: Run; readonly version: number; readonly fit: Fit }) {
  const labeling = useLabels(run);
  const given = run.source.settings.arguments.num_samples;
  const expected = typeof given === 'number' ? given : 1000;
  return quantitiesOf(fit.columns)
    .slice(0, MOST)
    .map((name) => (
      <Figure
        key={name}
        height={HEIGHT}
        version={`${version} ${labeling(displayName(name))}`}
        plot={(size) => tracePlot({ name: labeling(displayName(name)), chains: fit.column(name) }, size, { expected })}
      />
    ));
}
