import { useMemo, useState } from 'react';
import { showTab } from '../../actions/panes.js';
import { isOver, type Run } from '../../state/run.js';
import { update, useStore } from '../../state/store.js';
import { elementRows, foldedRows, matchingSummaries, type SummaryRow } from '../../statistics/folding.js';
import type { TermName } from '../../terms/term-names.js';
import { numerals, t } from '../../words/messages.js';
import { Term } from '../Term.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';
import { SearchField } from './SearchField.js';
import { useLabels } from './useLabels.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** Terms in the headings and rows of the summary. */
const terms = (): readonly (readonly [TermName, string])[] => [
  ['mcse', t('tables.mcse')],
  ['rhat', t('tables.rhat')],
  ['ess', t('runs.ess')],
  ['lp', LOG_DENSITY],
];

const LOG_DENSITY = 'lp__';

type Field = 'mean' | 'mcseMean' | 'sd' | 'q05' | 'q50' | 'q95' | 'essBulk' | 'essTail' | 'rhat';

/** The columns for reliability stay visible while the others scroll. */
const columns = (): readonly NumberColumn<SummaryRow>[] => [
  column('mean', t('tables.mean'), t('tables.meanHelp')),
  column('sd', t('tables.sd'), t('tables.sdHelp')),
  column('q05', t('tables.q05'), t('tables.q05Help')),
  column('q50', t('tables.q50'), t('tables.q50Help')),
  column('q95', t('tables.q95'), t('tables.q95Help')),
  column('mcseMean', t('tables.mcse'), t('tables.mcseHelp')),
  { ...column('rhat', t('tables.rhat'), t('runs.rhatHelp')), keeps: 3, isBad: (row) => numberOf(row, 'rhat') > 1.01 },
  { ...column('essBulk', t('tables.essBulk'), t('tables.essBulkHelp')), keeps: 2 },
  { ...column('essTail', t('tables.essTail'), t('tables.essTailHelp')), keeps: 1 },
];

function column(field: Field, heading: string, meaning: string): NumberColumn<SummaryRow> {
  return {
    heading,
    meaning,
    value: (row) => numberOf(row, field),
    text: (row) => (row.kind === 'variable' && !isField(field, row.worst) ? '' : textOf(field, numberOf(row, field))),
  };
}

function isField<Part extends object>(field: PropertyKey, part: Part): field is keyof Part {
  return Object.hasOwn(part, field);
}

function numberOf(row: SummaryRow, field: Field): number {
  if (row.kind === 'element') return row.summary[field];
  return isField(field, row.worst) ? row.worst[field] : Number.NaN;
}

function textOf(field: Field, value: number): string {
  if (field === 'rhat') return numerals.fixed(value, 3);
  return field === 'essBulk' || field === 'essTail' ? numerals.fixed(value, 0) : numerals.column(value);
}

function nameOf(row: SummaryRow): string {
  return row.kind === 'variable' ? row.name : row.summary.name;
}

/** Summary statistics of each quantity, sortable and searchable, with large variables collapsed. */
export function SummaryView({ run }: { readonly run: Run }) {
  const loaded = useSummaries(run);
  const summaries = areRefused(loaded) ? undefined : loaded;
  const [search, setSearch] = useState('');
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const labeling = useLabels(run);
  const found = useMemo(() => matchingSummaries(summaries ?? [], search, labeling), [summaries, search, labeling]);
  const elements = useMemo(() => elementRows(found), [found]);
  const rows = useMemo(() => (search === '' ? foldedRows(found, open) : elements), [search, found, open, elements]);
  const selection = useStore(({ selection }) => selection);
  const shownColumns = useMemo(columns, []);
  if (!isOver(run)) return <p className="empty">{t('tables.whenOver')}</p>;
  if (run.draws === 0) return <p className="empty">{t('tables.nothingToSummarize')}</p>;
  if (areRefused(loaded)) return <p className="empty">{loaded.refused}</p>;
  if (summaries === undefined) return <p className="empty">{t('runs.summarizing')}</p>;
  const toggle = (name: string) =>
    setOpen((now) => new Set(now.has(name) ? [...now].filter((each) => each !== name) : [...now, name]));
  return (
    <div className="summary">
      <div className="toolbar">
        <SearchField label={t('tables.search')} hint={t('tables.searchHint')} value={search} onChange={setSearch} />
        <span className="muted">{t('tables.found', { found: found.length, count: summaries.length })}</span>
        <span className="space" />
        {terms().map(([name, label]) => (
          <span key={name} className="muted">
            {label} <Term name={name} label={label} />
          </span>
        ))}
      </div>
      <NumberTable
        label={t('runs.summary')}
        rows={rows}
        sortedRows={elements}
        keyOf={(row) => (row.kind === 'variable' ? row.name : row.summary.name)}
        isChosen={(row) => nameOf(row) === selection}
        head={{
          heading: t('runs.quantity'),
          meaning: t('tables.programOrder'),
          value: nameOf,
          content: (row) =>
            row.kind === 'variable' ? (
              <button
                type="button"
                className="quiet quantity"
                aria-expanded={row.isOpen}
                title={t('tables.worst', { name: row.name })}
                onClick={() => toggle(row.name)}
              >
                <span aria-hidden="true">{row.isOpen ? '▾' : '▸'}</span> <span className="base">{row.name}</span>
                <span className="muted">{t('tables.elementCount', { count: row.count })}</span>
              </button>
            ) : (
              <button
                type="button"
                className="quiet quantity"
                aria-label={labeling(nameOf(row))}
                title={t('runs.plotsOf', { name: labeling(nameOf(row)) })}
                onClick={() => {
                  update({ selection: nameOf(row) });
                  showTab({ rightTab: 'plots' });
                }}
              >
                <ShortenedName name={nameOf(row)} label={labeling(nameOf(row))} />
              </button>
            ),
        }}
        columns={shownColumns}
      />
    </div>
  );
}

/** A name that is shortened so that its indexes stay visible. */
function ShortenedName({ name, label }: { readonly name: string; readonly label: string }) {
  if (label !== name) return <span className="base">{label}</span>;
  const indices = /\[[\d,]+\]$/.exec(name)?.[0] ?? '';
  return (
    <>
      <span className="base">{name.slice(0, name.length - indices.length)}</span>
      {indices}
    </>
  );
}
