import { displayName } from '#engine/formats/columns.js';
import { tracePlot } from '#engine/plots/trace.js';
import { fitOf, quantitiesOf } from '../../state/fits.js';
import type { Run } from '../../state/run.js';
import { Figure } from './Figure.js';
import { useLabels } from './useLabels.js';

const MOST = 4;

/** Traces of the log density and the first few quantities. `version` changes when there are more draws. */
export function LiveTraces({ run, version }: { readonly run: Run; readonly version: number }) {
  const labeling = useLabels(run);
  const fit = fitOf(run.id);
  if (fit === undefined || Math.max(...fit.columnAt(0).map(({ length }) => length)) < 2) return null;
  const given = run.source.settings.arguments.num_samples;
  const expected = typeof given === 'number' ? given : 1000;
  return (
    <div className="figures">
      {quantitiesOf(fit.columns)
        .slice(0, MOST)
        .map((name) => (
          <Figure
            key={name}
            height={150}
            version={`${version} ${labeling(displayName(name))}`}
            plot={(size) =>
              tracePlot({ name: labeling(displayName(name)), chains: fit.column(name) }, size, { expected })
            }
          />
        ))}
    </div>
  );
}
