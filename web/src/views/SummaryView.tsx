import { useMemo, useState } from 'react';
import { displayName } from '#engine/run/columns.js';
import type { NamedSummary } from '#engine/run/statistics.js';
import { isOver, type Run } from '../state/run.js';
import { update, useStore } from '../state/store.js';
import { useSummaries } from './useSummaries.js';

type Field = Exclude<keyof NamedSummary, 'name' | 'variation'>;

const COLUMNS: readonly (readonly [field: Field, heading: string, meaning: string])[] = [
  ['mean', 'mean', 'Mean of the draws'],
  ['mcseMean', 'mcse', 'Monte Carlo standard error of the mean'],
  ['sd', 'sd', 'Standard deviation of the draws'],
  ['q05', '5%', 'Quantile of 5 %'],
  ['q50', '50%', 'Median'],
  ['q95', '95%', 'Quantile of 95 %'],
  ['essBulk', 'ess bulk', 'Effective sample size of the bulk'],
  ['essTail', 'ess tail', 'Effective sample size of the tails'],
  ['rhat', 'R-hat', 'Rank-normalized split R-hat'],
];

/** Above these rows only what can be seen is in the page. */
const ROW_HEIGHT = 28;
const MARGIN = 10;

/** The usual numbers of each quantity, sortable and searchable. */
export function SummaryView({ run }: { readonly run: Run }) {
  const summaries = useSummaries(run);
  const [search, setSearch] = useState('');
  const [order, setOrder] = useState<{ readonly field: Field | 'name'; readonly isUp: boolean }>();
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const shown = useMemo(() => sorted(matching(summaries ?? [], search), order), [summaries, search, order]);
  const selection = useStore(({ selection }) => selection);
  if (!isOver(run)) return <p className="empty">The summary comes with the end of the run.</p>;
  if (run.draws === 0) return <p className="empty">There are no draws to summarize.</p>;
  if (summaries === undefined) return <p className="empty">Summarizing…</p>;
  if (summaries.length === 0) return <p className="empty">There are no draws to summarize.</p>;
  const first = Math.max(0, Math.floor(scroll.top / ROW_HEIGHT) - MARGIN);
  const last = Math.min(shown.length, Math.ceil((scroll.top + scroll.height) / ROW_HEIGHT) + MARGIN);
  const sortBy = (field: Field | 'name') =>
    setOrder((now) => (now?.field === field ? (now.isUp ? { field, isUp: false } : undefined) : { field, isUp: true }));
  const heading = (field: Field | 'name', text: string, meaning: string) => (
    <th key={field} scope="col" aria-sort={order?.field !== field ? 'none' : order.isUp ? 'ascending' : 'descending'}>
      <button type="button" className="quiet" title={meaning} onClick={() => sortBy(field)}>
        {text}
        <span aria-hidden="true">{order?.field !== field ? '' : order.isUp ? ' ↑' : ' ↓'}</span>
      </button>
    </th>
  );
  return (
    <div className="summary">
      <div className="toolbar">
        <input
          type="search"
          aria-label="Search quantities"
          placeholder="Search, such as theta or theta[*]"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
        />
        <span className="muted">
          {shown.length} of {summaries.length}
        </span>
      </div>
      <section
        className="table-frame"
        aria-label="Summary"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        onScroll={({ currentTarget }) =>
          setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })
        }
      >
        <table className="numbers" aria-rowcount={shown.length + 1}>
          <thead>
            <tr>
              {heading('name', 'quantity', 'In the order of the program')}
              {COLUMNS.map(([field, text, meaning]) => heading(field, text, meaning))}
            </tr>
          </thead>
          <tbody>
            {first > 0 && <tr style={{ height: first * ROW_HEIGHT }} />}
            {shown.slice(first, last).map((summary) => {
              const name = displayName(summary.name);
              return (
                <tr key={summary.name} className={selection === name ? 'chosen' : ''}>
                  <th scope="row">
                    <button
                      type="button"
                      className="quiet"
                      title={`Plots of ${name}`}
                      onClick={() => update({ selection: name, rightTab: 'plots' })}
                    >
                      {name}
                    </button>
                  </th>
                  {COLUMNS.map(([field]) => (
                    <td key={field} className={isBad(field, summary) ? 'wrong' : ''}>
                      {cellText(field, summary)}
                    </td>
                  ))}
                </tr>
              );
            })}
            {last < shown.length && <tr style={{ height: (shown.length - last) * ROW_HEIGHT }} />}
          </tbody>
        </table>
      </section>
    </div>
  );
}

function matching(summaries: readonly NamedSummary[], search: string): readonly NamedSummary[] {
  const pattern = search
    .trim()
    .toLowerCase()
    .replace(/\[\*\]$/, '[');
  return pattern === '' ? summaries : summaries.filter(({ name }) => displayName(name).toLowerCase().includes(pattern));
}

function sorted(
  summaries: readonly NamedSummary[],
  order: { readonly field: Field | 'name'; readonly isUp: boolean } | undefined,
): readonly NamedSummary[] {
  if (order === undefined) return summaries;
  const { field, isUp } = order;
  const compare = (a: NamedSummary, b: NamedSummary): number => {
    if (field === 'name') return a.name.localeCompare(b.name, 'en', { numeric: true });
    const [x, y] = [a[field], b[field]];
    return Number.isNaN(x) ? 1 : Number.isNaN(y) ? -1 : x - y;
  };
  return summaries.toSorted((a, b) => (isUp ? compare(a, b) : compare(b, a)));
}

function isBad(field: Field, { rhat }: NamedSummary): boolean {
  return field === 'rhat' && rhat > 1.01;
}

function cellText(field: Field, summary: NamedSummary): string {
  const value = summary[field];
  if (!Number.isFinite(value)) return Number.isNaN(value) ? '–' : value > 0 ? '∞' : '−∞';
  if (field === 'essBulk' || field === 'essTail') return value.toFixed(0);
  if (field === 'rhat') return value.toFixed(3);
  const text =
    Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : value.toPrecision(3);
  const plain = Math.abs(value) >= 1000 && Math.abs(value) < 1e5 ? value.toFixed(0) : text;
  return plain.replace('-', '−').replace('e+', 'e');
}
