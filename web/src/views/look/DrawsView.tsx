import type { Fit } from 'leapfrog';
import { useMemo, useState } from 'react';
import { displayName, variableOf } from '#engine/formats/columns.js';
import { replaceData } from '../../data/replacing.js';
import { simulatedIn, withSimulated } from '../../data/simulated.js';
import { saveBlob, saveText } from '../../files/saving.js';
import { chosenColumns } from '../../plots/choosing.js';
import { reasonOf } from '../../reasons.js';
import { columnOf, fitOf } from '../../state/fits.js';
import { isOver, type Run } from '../../state/run.js';
import { notify, update, useStore } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';
import { SearchField } from './SearchField.js';
import { columnNames, useColumns, useFit } from './useFit.js';

/** Maximum number of columns of the table. Names select the columns. */
const MOST_COLUMNS = 40;

/** All values of the chosen quantities and of the sampler, one chain at a time. */
export function DrawsView({ run }: { readonly run: Run }) {
  const names = columnNames(run, useFit(run));
  const selection = useStore(({ selection }) => selection);
  const [asked, setChain] = useState(0);
  const chosen = useMemo(() => chosenColumns(names, selection), [names, selection]);
  const fit = useColumns(run, chosen.slice(0, MOST_COLUMNS));
  const chain = fit === undefined ? 0 : Math.min(asked, fit.chains.length - 1);
  const columns = useMemo(() => {
    return chosen.slice(0, MOST_COLUMNS).map((name): NumberColumn<number> => {
      const draws = (fit && columnOf(fit, name))?.[chain] ?? new Float64Array();
      const text = draws.every(Number.isInteger) ? (value: number) => numerals.fixed(value, 0) : numerals.column;
      return {
        heading: displayName(name),
        meaning: t('tables.drawsOf', { name: displayName(name) }),
        value: (row) => draws[row] ?? Number.NaN,
        text: (row) => text(draws[row] ?? Number.NaN),
        isBad: (row) => name === 'divergent__' && draws[row] === 1,
      };
    });
  }, [chosen, fit, chain]);
  const count = fit?.columnAt(0)[chain]?.length ?? 0;
  const rows = useMemo(() => Array.from({ length: count }, (_, index) => index), [count]);
  if (fit === undefined && isOver(run) && run.draws > 0) return <p className="empty">{t('tables.loading')}</p>;
  if (fit === undefined || run.draws === 0) return <p className="empty">{t('tables.noDraws')}</p>;
  const { id } = fit.chains[chain];
  return (
    <div className="summary">
      <div className="toolbar">
        <SearchField
          label={t('tables.quantities')}
          hint={t('tables.quantitiesHint')}
          value={selection}
          onChange={(next) => update({ selection: next })}
        />
        <label className="inline-field">
          {t('tables.chain')}{' '}
          <select value={chain} onChange={({ target }) => setChain(Number(target.value))}>
            {fit.chains.map(({ id }, place) => (
              <option key={id} value={place}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <span className="muted">
          {chosen.length > MOST_COLUMNS
            ? t('tables.drawCountOf', { count, shown: MOST_COLUMNS, columns: chosen.length })
            : t('tables.drawCount', { count })}
        </span>
        <span className="space" />
        <SimulatedData run={run} fit={fit} chain={chain} count={count} />
        <button type="button" onClick={() => void saveChain(run, fit, id)}>
          {t('tables.saveCsv')}
        </button>
      </div>
      <NumberTable
        label={t('runs.draws')}
        rows={rows}
        keyOf={(row) => `${row}`}
        head={{
          heading: t('tables.draw'),
          meaning: t('tables.chainOrder'),
          value: (row) => row,
          content: (row) => <span className="plain">{row + 1}</span>,
        }}
        columns={columns}
      />
    </div>
  );
}

/** Uses a draw of this run as data for the next one. */
function SimulatedData({
  run,
  fit,
  chain,
  count,
}: {
  readonly run: Run;
  readonly fit: Fit;
  readonly chain: number;
  readonly count: number;
}) {
  const inputs = useStore(({ report }) => report?.info?.inputs);
  const [draw, setDraw] = useState(1);
  const simulated = simulatedIn(run.generated, Object.keys(inputs ?? {}));
  if (simulated.length === 0) return null;
  const words = simulated.map(({ quantity, variable }) => t('tables.from', { variable, quantity })).join(', ');
  return (
    <span className="inline-field">
      <label className="inline-field">
        {t('tables.draw')}
        <input
          className="short"
          inputMode="numeric"
          value={draw}
          onChange={({ target }) => setDraw(Math.min(count, Math.max(1, Math.trunc(Number(target.value)) || 1)))}
        />
      </label>
      <button
        type="button"
        title={t('tables.writes', { changes: words })}
        onClick={async () => {
          const loaded = await withColumns(
            run,
            fit,
            simulated.map(({ quantity }) => quantity),
          );
          const { data } = useStore.getState().project;
          replaceData(
            withSimulated(data, loaded, chain, draw - 1, simulated),
            t('tables.dataWritten', { changes: words, draw }),
          );
        }}
      >
        {t('tables.useAsData')}
      </button>
    </span>
  );
}

/** Saves a chain with all columns. The server writes the file for its large runs. */
async function saveChain({ remote }: Run, fit: Fit, chain: number): Promise<void> {
  const name = `draws_${chain}.csv`;
  if (remote?.isLarge !== true) {
    saveText(fit.csv(chain), name, 'text/csv');
    return;
  }
  try {
    const { serverClient } = await import('../../server/server.js');
    saveBlob(await serverClient().fit(remote.fit).file('csv', { chain }), name);
  } catch (error) {
    notify(t('tables.notSaved', { reason: reasonOf(error) }));
  }
}

/** The draws with all columns of these variables, which may have to be loaded from the server. */
async function withColumns(run: Run, fit: Fit, variables: readonly string[]): Promise<Fit> {
  if (run.remote?.isLarge !== true) return fit;
  const { loadMore } = await import('../../server/remote-draws.js');
  await loadMore(
    run,
    columnNames(run, fit).filter((name) => variables.includes(variableOf(name))),
  );
  return fitOf(run.id) ?? fit;
}
