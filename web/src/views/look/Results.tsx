import { Tabs } from 'radix-ui';
import { type ComponentType, useEffect, useRef } from 'react';
import { showTab } from '../../actions/panes.js';
import { jumpTo } from '../../language/editors.js';
import { headlineOf } from '../../run/headline-text.js';
import { DATA_FILE } from '../../state/file-names.js';
import { isOver, nameOf, type Run } from '../../state/run.js';
import { type RightTab, update, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { Boundary } from '../Boundary.js';
import { CompareView } from './CompareView.js';
import { DrawsView } from './DrawsView.js';
import { ExploreView } from './ExploreView.js';
import { LogView } from './LogView.js';
import { PlotsView } from './PlotsView.js';
import { PredictiveView } from './PredictiveView.js';
import { RunningView } from './RunningView.js';
import { RunStrip } from './RunStrip.js';
import { SummaryView } from './SummaryView.js';
import { VerdictView } from './VerdictView.js';

const TABS: readonly RightTab[] = ['verdict', 'summary', 'plots', 'predictive', 'compare', 'explore', 'draws', 'log'];
/** Tabs that scroll as a whole; in the others, a table or plots do. */
const SCROLLING: readonly RightTab[] = ['verdict', 'explore', 'log'];

const VIEWS: Readonly<Record<RightTab, ComponentType<{ readonly run: Run }>>> = {
  verdict: VerdictView,
  summary: SummaryView,
  plots: PlotsView,
  predictive: PredictiveView,
  compare: CompareView,
  explore: ExploreView,
  draws: DrawsView,
  log: LogView,
};

/** A line above the results if the current data do not fit the program, because the results are from earlier ones. */
function DataCaution() {
  const problem = useStore(({ dataProblems, isChecked }) =>
    isChecked ? dataProblems.find(({ severity }) => severity === 'error') : undefined,
  );
  if (problem === undefined) return null;
  return (
    <p className="caution">
      <strong>{t('runs.dataMisfit')}</strong>
      <button type="button" onClick={() => jumpTo(DATA_FILE, problem.from)}>
        {t('start.goToData')}
      </button>
    </p>
  );
}

/** A line above the results of a run whose checks have found problems. */
function Caution({ run }: { readonly run: Run }) {
  const { findings } = run;
  if (findings?.some(({ ok }) => !ok) !== true) return null;
  return (
    <p className="caution">
      <strong>{headlineOf(run, findings)}</strong>
      <button type="button" onClick={() => showTab({ rightTab: 'verdict' })}>
        {t('runs.seeVerdict')}
      </button>
    </p>
  );
}

function Note({ run: { note = '' } }: { readonly run: Run }) {
  return note.trim() === '' ? null : <p className="run-note">{note}</p>;
}

/** Results of a run. */
export function Results({ run }: { readonly run: Run }) {
  const tab = useStore(({ rightTab }) => rightTab);
  const project = useStore(({ project }) => project.name);
  const list = useRef<HTMLDivElement>(null);
  // A narrow page shows a part of the list, and actions also choose tabs beyond it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen tab is found in the document
  useEffect(() => {
    list.current?.querySelector('[data-state="active"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab]);
  return (
    <>
      <h1 className="printed">{[project, nameOf(run), t(`runs.${tab}`)].join(', ')}</h1>
      <Tabs.Root className="tabs" value={tab} onValueChange={(value) => update({ rightTab: value as RightTab })}>
        <Tabs.List ref={list} className="tab-list" aria-label={t('runs.results')}>
          {TABS.map((each) => (
            <Tabs.Trigger key={each} value={each}>
              {t(`runs.${each}`)}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {tab === 'verdict' && <Note run={run} />}
        <DataCaution />
        {tab !== 'verdict' && tab !== 'log' && <Caution run={run} />}
        {TABS.map((each) => {
          const View = each === 'verdict' && !isOver(run) ? RunningView : VIEWS[each];
          return (
            <Tabs.Content key={each} className={SCROLLING.includes(each) ? 'tab scrolls' : 'tab'} value={each}>
              <Boundary of={`${run.id} ${tab}`}>
                <View run={run} />
              </Boundary>
            </Tabs.Content>
          );
        })}
      </Tabs.Root>
      <RunStrip />
    </>
  );
}
