import type { LeaveOneOut } from 'leapfrog';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { TableFrame } from './TableFrame.js';

/** The names that ArviZ and the R package loo give them. */
const COLUMNS = { elpd: 'elpd', mcse: 'mcse' } as const;

/** Maximum number of observations in the table. */
const MOST_SHOWN = 20;

/** Estimates of the observations whose Pareto k is high, and of those that refits have left out, which are marked as exact. */
export function LooObservations({ loo, run }: { readonly loo: LeaveOneOut; readonly run: Run }) {
  const refits = useStore((state) => state.refits[run.id]);
  const exact = refits?.kind === 'done' ? refits.names : undefined;
  const { observations, unreliable } = loo;
  const rows = observations.flatMap((observation, place) => {
    const isExact = exact?.has(observation.name) === true;
    return isExact || unreliable.includes(place) ? [{ ...observation, isExact }] : [];
  });
  // Unknown values come first, as they do in the comparison of runs.
  const rank = ({ paretoK }: { readonly paretoK: number }) => (Number.isNaN(paretoK) ? Infinity : paretoK);
  rows.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)));
  if (rows.length === 0) return null;
  const title = t(exact === undefined ? 'compare.highTitle' : 'plots.refittedTitle');
  return (
    <>
      <h3>{title}</h3>
      <TableFrame label={title}>
        <table className="numbers estimates" aria-label={title}>
          <thead>
            <tr>
              <th scope="col">{t('compare.observation')}</th>
              <th scope="col">{COLUMNS.elpd}</th>
              <th scope="col">{COLUMNS.mcse}</th>
              <th scope="col">
                {t('figures.paretoK')}
                <Term name="paretoK" label={t('figures.paretoK')} />
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, MOST_SHOWN).map(({ elpd, isExact, mcse, name, paretoK }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{numerals.column(elpd)}</td>
                <td>{numerals.column(mcse)}</td>
                {isExact ? (
                  <td title={t('plots.exactHelp')}>{t('plots.exact')}</td>
                ) : (
                  <td className="wrong">{numerals.column(paretoK)}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </TableFrame>
      {rows.length > MOST_SHOWN && (
        <p className="prose muted">{t('plots.firstObservations', { shown: MOST_SHOWN, count: rows.length })}</p>
      )}
    </>
  );
}
