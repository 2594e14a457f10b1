import { Tabs } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { type LeftTab, update, useStore } from '../../state/store.js';
import { DataEditor } from './DataEditor.js';
import { ProgramEditor } from './ProgramEditor.js';

const SettingsForm = lazy(async () => ({ default: (await import('./SettingsForm.js')).SettingsForm }));

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
        {about !== '' && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room, which the keyboard must be able to do
          <section className="about" aria-label="About this example" tabIndex={0}>
            {about}
          </section>
        )}
        <Tabs.Content className="tab" value="program" tabIndex={-1}>
          <ProgramEditor />
        </Tabs.Content>
        <Tabs.Content className="tab" value="data" tabIndex={-1}>
          <DataEditor />
        </Tabs.Content>
      </Tabs.Root>
      <Suspense fallback={<div className="settings" />}>
        <SettingsForm />
      </Suspense>
    </section>
  );
}
