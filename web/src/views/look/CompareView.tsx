import { useMemo, useState } from 'react';
import { changesBetween } from '../../compare/text-changes.js';
import { startPrior } from '../../run/running.js';
import { compareWith } from '../../state/comparing.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import { DensityChanges } from './DensityChanges.js';
import { LooChanges } from './LooChanges.js';
import { SummaryChanges } from './SummaryChanges.js';
import { TextChanges } from './TextChanges.js';

/** Compares a run with an earlier one: changes in the inputs, and in the results. */
export function CompareView({ run }: { readonly run: Run }) {
  const runs = useStore(({ runs }) => runs);
  const other = useStore((state) => compareWith(state, run));
  const changes = useMemo(() => other && changesBetween(other.source, run.source), [other, run]);
  if (other === undefined || changes === undefined) {
    return (
      <div className="empty">
        <p>{t('compare.only')}</p>
        <PriorButton />
      </div>
    );
  }
  return (
    <div className="compare scrolls">
      <div className="toolbar">
        {/* biome-ignore lint/a11y/noLabelWithoutControl: the message contains the control */}
        <label className="inline-field">
          {rich('compare.comparedWith', {
            run: nameOf(run),
            choice: (
              <select value={other.id} onChange={({ target }) => update({ compareId: target.value })}>
                {runs
                  .filter(({ id }) => id !== run.id)
                  .map((each) => (
                    <option key={each.id} value={each.id}>
                      {nameOf(each)}
                    </option>
                  ))}
              </select>
            ),
          })}
        </label>
        <span className="space" />
        <PriorButton />
      </div>
      {[other, run].map((each) => each.draws === 0 && <WithoutDraws key={each.id} run={each} />)}
      <TextChanges changes={changes} />
      <SummaryChanges before={other} after={run} />
      <DensityChanges before={other} after={run} />
      <LooChanges before={other} after={run} />
    </div>
  );
}

/** Why the results of a run cannot be compared. */
function WithoutDraws({ run }: { readonly run: Run }) {
  const names = { run: nameOf(run) };
  if (run.status !== 'failed')
    return <p className="prose wrong">{t(isOver(run) ? 'compare.emptyRun' : 'compare.startedRun', names)}</p>;
  return (
    <>
      <p className="prose wrong">{t('compare.failedRun', names)}</p>
      <pre className="message" lang="en">
        {run.message}
      </pre>
    </>
  );
}

/** Draws from the prior, to compare with the posterior. */
function PriorButton() {
  const [reason, setReason] = useState<string>();
  const hasProgram = useStore(({ project }) => project.program.trim() !== '');
  if (!hasProgram) return null;
  return (
    <>
      <button type="button" title={t('compare.priorHelp')} onClick={() => void startPrior().then(setReason)}>
        {t('compare.prior')}
      </button>
      <button type="button" title={t('calibration.checkHelp')} onClick={() => update({ overlay: 'calibration' })}>
        {t('calibration.check')}
      </button>
      {reason !== undefined && (
        <p className="wrong" role="status">
          {t('compare.priorUnclear', { reason })}
        </p>
      )}
    </>
  );
}
