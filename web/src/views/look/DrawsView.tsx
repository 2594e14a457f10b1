import { useMemo, useState } from 'react';
import { displayName } from '#engine/run/columns.js';
import { saveText } from '../../files/saving.js';
import { chosenColumns } from '../../plots/choosing.js';
import { columnOf } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { fixedText, numberText } from '../../statistics/number-text.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';
import { useFit } from './useFit.js';

/** Wider tables are not read: names choose the columns. */
const MOST_COLUMNS = 40;

/** Every number of the chosen quantities and of the sampler, one chain at a time. */
export function DrawsView({ run }: { readonly run: Run }) {
  const fit = useFit(run);
  const selection = useStore(({ selection }) => selection);
  const [asked, setChain] = useState(0);
  const chain = fit === undefined ? 0 : Math.min(asked, fit.chains.length - 1);
  const chosen = useMemo(() => (fit === undefined ? [] : chosenColumns(fit.columns, selection)), [fit, selection]);
  const columns = useMemo(() => {
    return chosen.slice(0, MOST_COLUMNS).map((name): NumberColumn<number> => {
      const draws = (fit && columnOf(fit, name))?.[chain] ?? new Float64Array();
      const text = draws.every(Number.isInteger) ? (value: number) => fixedText(value, 0) : numberText;
      return {
        heading: displayName(name),
        meaning: `Draws of ${displayName(name)}`,
        value: (row) => draws[row] ?? Number.NaN,
        text: (row) => text(draws[row] ?? Number.NaN),
        isBad: (row) => name === 'divergent__' && draws[row] === 1,
      };
    });
  }, [chosen, fit, chain]);
  const count = fit?.columnAt(0)[chain]?.length ?? 0;
  const rows = useMemo(() => Array.from({ length: count }, (_, index) => index), [count]);
  if (fit === undefined && isOver(run) && run.draws > 0) return <p className="empty">Loading the draws…</p>;
  if (fit === undefined || run.draws === 0) return <p className="empty">There are no draws to show.</p>;
  const { id } = fit.chains[chain];
  return (
    <div className="summary">
      <div className="toolbar">
        <input
          type="search"
          aria-label="Quantities to list"
          placeholder="All, or such as mu, theta[*]"
          value={selection}
          onChange={({ target }) => update({ selection: target.value })}
        />
        <label className="inline-field">
          chain{' '}
          <select value={chain} onChange={({ target }) => setChain(Number(target.value))}>
            {fit.chains.map(({ id }, place) => (
              <option key={id} value={place}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <span className="muted">
          {count} draws
          {chosen.length > MOST_COLUMNS && `, the first ${MOST_COLUMNS} of ${chosen.length} columns`}
        </span>
        <span className="space" />
        <button type="button" onClick={() => saveText(fit.csv(id), `draws_${id}.csv`, 'text/csv')}>
          Save as CSV
        </button>
      </div>
      <NumberTable
        label="Draws"
        rows={rows}
        keyOf={(row) => `${row}`}
        head={{
          heading: 'draw',
          meaning: 'In the order of the chain, after warmup',
          value: (row) => row,
          content: (row) => <span className="plain">{row + 1}</span>,
        }}
        columns={columns}
      />
    </div>
  );
}
