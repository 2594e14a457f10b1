import type { Refits } from 'leapfrog';
import { MOST_RHAT } from '#engine/studies/refit-results.js';
import type { Folds } from '../../state/refitting.js';
import { numerals, t } from '../../words/messages.js';
import { TableFrame } from './TableFrame.js';

/** The name that ArviZ and the R package loo give it. */
const ELPD = 'elpd';

/** Maximum number of refits in the table. */
const MOST_SHOWN = 100;

/**
 * One row per refit: the fold that it leaves out, the accuracy of its predictions for this fold, and its convergence.
 */
export function KfoldRefits({
  folds,
  refits: { observations, refits },
}: {
  readonly folds: Folds;
  readonly refits: Refits;
}) {
  const elpds = new Map<number, number>();
  for (const { elpd, fold } of observations) elpds.set(fold, (elpds.get(fold) ?? 0) + elpd);
  return (
    <>
      <h3>{t('plots.refits')}</h3>
      <TableFrame label={t('plots.refits')}>
        <table className="numbers estimates" aria-label={t('plots.refits')}>
          <thead>
            <tr>
              <th scope="col">{'variable' in folds ? folds.variable : t('plots.fold')}</th>
              <th scope="col">{t('plots.foldSize')}</th>
              <th scope="col" title={t('plots.foldElpdHelp')}>
                {ELPD}
              </th>
              <th scope="col" title={t('plots.foldRhatHelp')}>
                {t('runs.rhat')}
              </th>
              <th scope="col">{t('runs.linkDivergences')}</th>
            </tr>
          </thead>
          <tbody>
            {refits.slice(0, MOST_SHOWN).map(({ divergences, fold, observations: size, rhat }) => (
              <tr key={fold}>
                <th scope="row">{'variable' in folds ? folds.values[fold - 1] : fold}</th>
                <td>{size}</td>
                <td>{numerals.column(elpds.get(fold) ?? Number.NaN)}</td>
                <td className={rhat > MOST_RHAT ? 'wrong' : ''}>{numerals.column(rhat)}</td>
                <td className={divergences > 0 ? 'wrong' : ''}>{divergences}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {refits.length > MOST_SHOWN && (
        <p className="prose muted">{t('plots.firstRefits', { shown: MOST_SHOWN, count: refits.length })}</p>
      )}
    </>
  );
}
