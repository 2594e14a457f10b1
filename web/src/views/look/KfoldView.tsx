import type { Fit, Refits } from 'leapfrog';
import { useId, useRef } from 'react';
import type { Companion } from '#engine/plots/predictive-by.js';
import { FEWEST_FOLDS, USUAL_FOLDS } from '#engine/requests/refit-request.js';
import { cancelFolding, startFolding } from '../../run/folding.js';
import type { FoldChoice, Folding, Folds } from '../../state/refitting.js';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { Advice } from './Advice.js';
import { EstimateTable } from './EstimateTable.js';
import { KfoldRefits } from './KfoldRefits.js';
import { RefitProgress } from './RefitProgress.js';

const MEANINGS = [
  ['elpd_kfold', 'elpd', 'plots.elpdKfoldHelp'],
  ['kfoldic', 'kfoldic', 'plots.kfoldicHelp'],
] as const;

/**
 * How well the model predicts each fold of the observations from all others. `observations` is their number, and `groups` the data variables whose
 * values can be folds.
 */
export function KfoldView({
  run,
  fit,
  observations,
  groups,
}: {
  readonly run: Run;
  readonly fit: Fit;
  readonly observations: number;
  readonly groups: readonly Companion[];
}) {
  const folding = useStore((state) => state.foldings[run.id]);
  const chosen = useStore((state) => state.foldChoices[run.id]);
  const { count, variable } = chosen ?? { variable: '', count: Math.min(USUAL_FOLDS, observations) };
  const choose = (choice: Partial<FoldChoice>) =>
    useStore.setState(({ foldChoices }) => ({
      foldChoices: { ...foldChoices, [run.id]: { variable, count, ...choice } },
    }));
  const counted = useRef<HTMLInputElement>(null);
  const help = useId();
  const group = groups.find(({ name }) => name === variable);
  const press = () => {
    // Two presses may precede a rendering.
    if (useStore.getState().foldings[run.id]?.kind === 'running') cancelFolding(run);
    else if (counted.current?.reportValidity() !== false) void startFolding(run, fit, foldsOf(group, count));
  };
  return (
    <section className="loo" aria-label={t('plots.kfold')}>
      <h2>{t('plots.kfold')}</h2>
      <p id={help} className="prose muted">
        {t('plots.kfoldHelp')}
      </p>
      <div className="buttons">
        {groups.length > 0 && (
          <label className="inline-field">
            {t('plots.folds')}
            <select value={group?.name ?? ''} onChange={({ target }) => choose({ variable: target.value })}>
              <option value="">{t('plots.foldsAtRandom')}</option>
              {groups.map(({ name }) => (
                <option key={name} value={name}>
                  {t('plots.foldsBy', { name })}
                </option>
              ))}
            </select>
          </label>
        )}
        {group === undefined && (
          <label className="inline-field">
            {t('plots.foldCount')}
            <input
              ref={counted}
              type="number"
              required
              min={FEWEST_FOLDS}
              max={observations}
              value={Number.isNaN(count) ? '' : count}
              onChange={({ target }) => choose({ count: target.valueAsNumber })}
            />
          </label>
        )}
        {/* One element for all states, so that it keeps the focus. */}
        <button type="button" aria-describedby={help} onClick={press}>
          {folding?.kind === 'running' ? t('frame.cancel') : t('plots.foldStart')}
        </button>
      </div>
      <div className="refits">
        {folding?.kind === 'running' && <RefitProgress refits={folding} />}
        {/* Present in all states: screen readers announce changes of its text. */}
        <p role="status" className={folding?.kind === 'failed' ? 'wrong' : 'muted'}>
          {folding && statusOf(folding)}
        </p>
      </div>
      {folding?.kind === 'done' && <Estimates {...folding} />}
    </section>
  );
}

/** The groups are numbered in the ascending order of their values. */
function foldsOf(group: Companion | undefined, count: number): Folds {
  if (group === undefined) return { count };
  return { variable: group.name, values: [...new Set(group.values)].toSorted((a, b) => a - b) };
}

function statusOf(folding: Folding): string {
  switch (folding.kind) {
    case 'running':
      return t('plots.folding');
    case 'cancelled':
      return t('plots.refitsCancelled');
    case 'failed':
      return t('plots.refitsFailed', { reason: folding.problem });
    case 'done':
      return t('plots.folded', { value: numerals.column(folding.refits.elpd.estimate) });
  }
}

function Estimates({ folds, refits }: { readonly folds: Folds; readonly refits: Refits }) {
  return (
    <>
      <Advice of={refits} className={refits.ok ? 'prose muted' : 'prose wrong'} />
      <EstimateTable rows={MEANINGS.map(([name, field, meaning]) => ({ name, meaning, estimate: refits[field] }))} />
      <p className="prose muted">{t('plots.mcseOfKfold', { value: numerals.column(refits.mcse) })}</p>
      <KfoldRefits folds={folds} refits={refits} />
    </>
  );
}
