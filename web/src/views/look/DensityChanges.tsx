import type { Fit } from 'leapfrog';
import { displayName } from '#engine/formats/columns.js';
import { pool } from '#engine/inference/diagnostics/chains.js';
import { comparedDensityPlot } from '#engine/plots/compared-density.js';
import { chosenQuantities } from '../../plots/choosing.js';
import { columnOf, quantitiesOf } from '../../state/fits.js';
import { nameOf, type Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { Figure } from './Figure.js';
import { columnNames, useColumns, useFit } from './useFit.js';
import { useLabels } from './useLabels.js';

/** Overlaid densities of the chosen quantities in both runs: prior and posterior, or two models. */
export function DensityChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const selection = useStore(({ selection }) => selection);
  const known = columnNames(before, useFit(before));
  const shared = quantitiesOf(columnNames(after, useFit(after))).filter((name) => known.includes(name));
  const { names } = chosenQuantities(shared, selection, after.generated);
  const labeling = useLabels(after);
  const [old, now] = [useColumns(before, names), useColumns(after, names)];
  if (old === undefined || now === undefined || old.draws < 2 || now.draws < 2) return null;
  return (
    <section aria-label={t('compare.densitiesLabel')}>
      <h2>{t('compare.densities')}</h2>
      <div className="figures">
        {names.map((name) => (
          <Figure
            key={name}
            height={180}
            isDescribed
            version={`${nameOf(before)} ${nameOf(after)} ${before.id} ${after.id} ${labeling(displayName(name))}`}
            plot={(size) =>
              comparedDensityPlot(
                labeling(displayName(name)),
                [sample(before, old, name), sample(after, now, name)],
                size,
              )
            }
          />
        ))}
      </div>
    </section>
  );
}

function sample(run: Run, fit: Fit, column: string) {
  return { name: nameOf(run), draws: pool(columnOf(fit, column) ?? []) };
}
