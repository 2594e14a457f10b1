import { Tabs } from 'radix-ui';
import { type LeftTab, update, useStore } from '../state/store.js';
import { DataEditor } from './DataEditor.js';
import { ProgramEditor } from './ProgramEditor.js';
import { SettingsForm } from './SettingsForm.js';

/** The left half: texts, and below them how they are run. */
export function WritePane() {
  const tab = useStore(({ leftTab }) => leftTab);
  const about = useStore(({ project }) => project.about);
  return (
    <section className="write" aria-label="Program and data">
      <Tabs.Root className="tabs" value={tab} onValueChange={(value) => update({ leftTab: value as LeftTab })}>
        <Tabs.List className="tab-list" aria-label="Texts">
          <Tabs.Trigger value="program">model.stan</Tabs.Trigger>
          <Tabs.Trigger value="data">data.json</Tabs.Trigger>
        </Tabs.List>
        {about !== '' && <p className="about">{about}</p>}
        <Tabs.Content className="tab" value="program" tabIndex={-1}>
          <ProgramEditor />
        </Tabs.Content>
        <Tabs.Content className="tab" value="data" tabIndex={-1}>
          <DataEditor />
        </Tabs.Content>
      </Tabs.Root>
      <SettingsForm />
    </section>
  );
}
