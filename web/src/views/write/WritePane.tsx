import { Tabs } from 'radix-ui';
import { lazy, Suspense } from 'react';
import { DATA_FILE, PROGRAM_FILE, SCRIPT_FILE } from '../../state/file-names.js';
import { addInclude, changeInclude } from '../../state/includes.js';
import { type LeftTab, update, updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { DataEditor } from './DataEditor.js';
import { IncludeTools } from './IncludeTools.js';
import { ProgramEditor } from './ProgramEditor.js';

const LessonPane = lazy(async () => ({ default: (await import('./LessonPane.js')).LessonPane }));
const ScriptPane = lazy(async () => ({ default: (await import('./ScriptPane.js')).ScriptPane }));
const SettingsForm = lazy(async () => ({ default: (await import('./SettingsForm.js')).SettingsForm }));

/** The left half: texts, and below them the settings of runs. */
export function WritePane() {
  const tab = useStore(({ leftTab }) => leftTab);
  const program = useStore(({ project }) => project.program);
  const includes = useStore(({ project }) => project.includes);
  const about = useStore(({ project }) => project.about);
  const lesson = useStore(({ project }) => project.lesson);
  return (
    <section className="write" aria-label={t('write.pane')}>
      <Tabs.Root className="tabs" value={tab} onValueChange={(value) => update({ leftTab: value as LeftTab })}>
        <div className="tab-row">
          <Tabs.List className="tab-list" aria-label={t('write.texts')}>
            <Tabs.Trigger value="program">{PROGRAM_FILE}</Tabs.Trigger>
            <Tabs.Trigger value="data">{DATA_FILE}</Tabs.Trigger>
            <Tabs.Trigger value="script">{SCRIPT_FILE}</Tabs.Trigger>
            {includes.map(({ name }) => (
              <Tabs.Trigger key={name} value={`include:${name}`}>
                {name}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <button type="button" className="quiet add-include" title={t('write.addIncludeHelp')} onClick={addInclude}>
            <span aria-hidden="true">+</span> <span className="visually-hidden">{t('write.addInclude')}</span>
          </button>
        </div>
        {lesson !== undefined && (
          <Suspense>
            <LessonPane source={lesson} />
          </Suspense>
        )}
        {about !== '' && tab !== 'script' && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room, which the keyboard must be able to do
          <section className="about" aria-label={t('write.aboutExample')} tabIndex={0}>
            {about}
          </section>
        )}
        <Tabs.Content className="tab" value="program" tabIndex={-1}>
          <ProgramEditor file={PROGRAM_FILE} text={program} onChange={(text) => updateProject({ program: text })} />
        </Tabs.Content>
        {includes.map((include) => (
          <Tabs.Content key={include.name} className="tab" value={`include:${include.name}`} tabIndex={-1}>
            <IncludeTools key={include.name} include={include} />
            <ProgramEditor
              file={include.name}
              text={include.text}
              onChange={(text) => changeInclude(include.name, { ...include, text })}
            />
          </Tabs.Content>
        ))}
        <Tabs.Content className="tab" value="data" tabIndex={-1}>
          <DataEditor />
        </Tabs.Content>
        <Tabs.Content className="tab" value="script" tabIndex={-1}>
          <Suspense>
            <ScriptPane />
          </Suspense>
        </Tabs.Content>
      </Tabs.Root>
      <Suspense fallback={<div className="settings" />}>
        <SettingsForm />
      </Suspense>
    </section>
  );
}
