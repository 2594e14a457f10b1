import { Tabs } from 'radix-ui';
import { isOver, type Run } from '../../state/run.js';
import { type RightTab, update, useStore } from '../../state/store.js';
import { CompareView } from './CompareView.js';
import { DrawsView } from './DrawsView.js';
import { LogView } from './LogView.js';
import { PlotsView } from './PlotsView.js';
import { PredictiveView } from './PredictiveView.js';
import { RunningView } from './RunningView.js';
import { RunStrip } from './RunStrip.js';
import { SummaryView } from './SummaryView.js';
import { VerdictView } from './VerdictView.js';

/** Results of a run. */
export function Results({ run }: { readonly run: Run }) {
  const tab = useStore(({ rightTab }) => rightTab);
  return (
    <>
      <Tabs.Root className="tabs" value={tab} onValueChange={(value) => update({ rightTab: value as RightTab })}>
        <Tabs.List className="tab-list" aria-label="Results">
          <Tabs.Trigger value="verdict">Verdict</Tabs.Trigger>
          <Tabs.Trigger value="summary">Summary</Tabs.Trigger>
          <Tabs.Trigger value="plots">Plots</Tabs.Trigger>
          <Tabs.Trigger value="predictive">Predictive</Tabs.Trigger>
          <Tabs.Trigger value="compare">Compare</Tabs.Trigger>
          <Tabs.Trigger value="draws">Draws</Tabs.Trigger>
          <Tabs.Trigger value="log">Log</Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content className="tab scrolls" value="verdict">
          {isOver(run) ? <VerdictView run={run} /> : <RunningView run={run} />}
        </Tabs.Content>
        <Tabs.Content className="tab" value="summary">
          <SummaryView run={run} />
        </Tabs.Content>
        <Tabs.Content className="tab" value="plots">
          <PlotsView run={run} />
        </Tabs.Content>
        <Tabs.Content className="tab" value="predictive">
          <PredictiveView run={run} />
        </Tabs.Content>
        <Tabs.Content className="tab" value="compare">
          <CompareView run={run} />
        </Tabs.Content>
        <Tabs.Content className="tab" value="draws">
          <DrawsView run={run} />
        </Tabs.Content>
        <Tabs.Content className="tab scrolls" value="log">
          <LogView run={run} />
        </Tabs.Content>
      </Tabs.Root>
      <RunStrip />
    </>
  );
}
