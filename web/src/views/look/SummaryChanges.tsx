import { useMemo } from 'react';
import { onlyIn, type SummaryChange, summaryChanges } from '../../compare/summary-changes.js';
import type { Run } from '../../state/run.js';
import { update } from '../../state/store.js';
import { numerals, t } from '../../words/messages.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';
import { useLabels } from './useLabels.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** Number of Monte Carlo standard errors within which a difference may be due to chance. */
const MOST_BY_CHANCE = 4;

function columnsOf(before: Run, after: Run): readonly NumberColumn<SummaryChange>[] {
  const number = (heading: string, meaning: string, value: (change: SummaryChange) => number) => ({
    heading,
    meaning,
    value,
    text: (change: SummaryChange) => numerals.column(value(change)),
  });
  const ofBoth = (statistic: 'mean' | 'sd') =>
    (
      [
        ['before', before],
        ['after', after],
      ] as const
    ).map(([side, { number: run }]) =>
      number(
        t(`compare.${statistic}Of`, { run }),
        t(`compare.${statistic}Help`, { run }),
        (change) => change[side][statistic],
      ),
    );
  return [
    ...ofBoth('mean'),
    number(t('compare.difference'), t('compare.differenceHelp'), ({ difference }) => difference),
    {
      ...number(t('compare.inMcse'), t('compare.inMcseHelp', { limit: MOST_BY_CHANCE }), ({ inErrors }) => inErrors),
      isBad: ({ inErrors }) => Math.abs(inErrors) > MOST_BY_CHANCE,
    },
    ...ofBoth('sd'),
    number(t('compare.ratio'), t('compare.ratioHelp'), ({ spread }) => spread),
  ];
}

/** Summaries of both runs for the quantities that they share. */
export function SummaryChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const labeling = useLabels(after);
  const loaded = [useSummaries(before), useSummaries(after)];
  const [old, now] = loaded.map((each) => (areRefused(each) ? undefined : each));
  const changes = useMemo(() => old && now && summaryChanges(old, now), [old, now]);
  const columns = useMemo(() => columnsOf(before, after), [before, after]);
  const refused = loaded.find(areRefused);
  if (refused !== undefined) return <p className="empty">{refused.refused}</p>;
  if (old === undefined || now === undefined || changes === undefined) {
    return before.draws > 0 && after.draws > 0 ? <p className="empty">{t('runs.summarizing')}</p> : null;
  }
  const alone = [
    [before, onlyIn(old, now)],
    [after, onlyIn(now, old)],
  ] as const;
  return (
    <section aria-label={t('compare.changesLabel')}>
      <h2>{t('compare.summary')}</h2>
      <NumberTable
        label={t('compare.sideBySide')}
        rows={changes}
        keyOf={({ name }) => name}
        head={{
          heading: t('runs.quantity'),
          meaning: t('tables.programOrder'),
          value: ({ name }) => name,
          content: ({ name }) => (
            <button type="button" className="quiet" onClick={() => update({ selection: name })}>
              {labeling(name)}
            </button>
          ),
        }}
        columns={columns}
      />
      {alone.map(
        ([{ number }, names]) =>
          names.length > 0 && (
            <p className="prose muted" key={number}>
              {t('compare.alone', { run: number, names: listed(names) })}
            </p>
          ),
      )}
    </section>
  );
}

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(', ');
  return rest > 0 ? t('compare.namesAndMore', { names: shown, count: rest }) : shown;
}
