import { tracePlot } from '#engine/plots/trace.js';
import { drawsOf } from '../state/draws.js';
import type { Run } from '../state/run.js';
import { Figure } from './Figure.js';

const MOST = 4;

/** Traces of the log density and the first few quantities. `version` says when there are more draws. */
export function LiveTraces({ run, version }: { readonly run: Run; readonly version: number }) {
  const draws = drawsOf(run.id);
  const given = run.source.settings.arguments.num_samples;
  const expected = typeof given === 'number' ? given : 1000;
  return (
    <div className="figures">
      {draws.quantities.slice(0, MOST).map((name) => (
        <Figure
          key={name}
          height={150}
          version={version}
          plot={(size) => tracePlot({ name, chains: draws.column(name) }, size, { expected })}
        />
      ))}
    </div>
  );
}
