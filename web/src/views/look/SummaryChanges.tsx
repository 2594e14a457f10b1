import { useMemo } from 'react';
import { displayName } from '#engine/run/columns.js';
import { onlyIn, type SummaryChange, summaryChanges } from '../../compare/summary-changes.js';
import type { Run } from '../../state/run.js';
import { update } from '../../state/store.js';
import { numberText } from '../../statistics/number-text.js';
import { type NumberColumn, NumberTable } from './NumberTable.js';
import { areRefused, useSummaries } from './useSummaries.js';

/** Number of Monte Carlo standard errors within which a difference may be due to chance. */
const MOST_BY_CHANCE = 4;

function columnsOf(before: Run, after: Run): readonly NumberColumn<SummaryChange>[] {
  const number = (heading: string, meaning: string, value: (change: SummaryChange) => number) => ({
    ...{ heading, meaning, value },
    text: (change: SummaryChange) => numberText(value(change)),
  });
  return [
    number(`mean ${before.number}`, `Mean in run ${before.number}`, ({ before }) => before.mean),
    number(`mean ${after.number}`, `Mean in run ${after.number}`, ({ after }) => after.mean),
    number('difference', 'Of the means', ({ difference }) => difference),
    {
      ...number(
        'in mcse',
        `The difference in Monte Carlo standard errors; a value within ±${MOST_BY_CHANCE} may be due to chance`,
        ({ inErrors }) => inErrors,
      ),
      isBad: ({ inErrors }) => Math.abs(inErrors) > MOST_BY_CHANCE,
    },
    number(`sd ${before.number}`, `Standard deviation in run ${before.number}`, ({ before }) => before.sd),
    number(`sd ${after.number}`, `Standard deviation in run ${after.number}`, ({ after }) => after.sd),
    number('ratio', 'The later standard deviation divided by the earlier one', ({ spread }) => spread),
  ];
}

/** Summaries of both runs for the quantities that they share. */
export function SummaryChanges({ before, after }: { readonly before: Run; readonly after: Run }) {
  const told = [useSummaries(before), useSummaries(after)];
  const [old, now] = told.map((each) => (areRefused(each) ? undefined : each));
  const changes = useMemo(() => old && now && summaryChanges(old, now), [old, now]);
  const columns = useMemo(() => columnsOf(before, after), [before, after]);
  const refused = told.find(areRefused);
  if (refused !== undefined) return <p className="empty">{refused.refused}</p>;
  if (old === undefined || now === undefined || changes === undefined) {
    return before.draws > 0 && after.draws > 0 ? <p className="empty">Summarizing…</p> : null;
  }
  const alone = [
    [before, onlyIn(old, now)],
    [after, onlyIn(now, old)],
  ] as const;
  return (
    <section aria-label="Changes of the summary">
      <h2>Summary</h2>
      <NumberTable
        label="Summaries side by side"
        rows={changes}
        keyOf={({ name }) => name}
        head={{
          heading: 'quantity',
          meaning: 'In the order of the program',
          value: ({ name }) => displayName(name),
          content: ({ name }) => (
            <button type="button" className="quiet" onClick={() => update({ selection: displayName(name) })}>
              {displayName(name)}
            </button>
          ),
        }}
        columns={columns}
      />
      {alone.map(
        ([{ number }, names]) =>
          names.length > 0 && (
            <p className="prose muted" key={number}>
              Run {number} alone has {listed(names.map(displayName))}.
            </p>
          ),
      )}
    </section>
  );
}

const MOST_NAMED = 8;

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_NAMED;
  return names.slice(0, MOST_NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
