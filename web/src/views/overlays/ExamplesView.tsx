import { type ReactNode, useId, useState } from 'react';
import { exampleGroups, examples, openExample } from '../../examples/examples.js';
import { lessons, openLesson } from '../../lessons/lessons.js';
import { update } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { ExampleCard } from '../ExampleCard.js';
import { SearchField } from '../look/SearchField.js';
import { closeOverlay, Overlay } from './Overlay.js';

interface Entry {
  readonly title: string;
  readonly teaches: string;
  /** The folder of an example. */
  readonly folder?: string;
  readonly open: () => Promise<void>;
}

/** Examples and lessons as cards in groups, with a search. */
export function ExamplesView() {
  const [sought, setSought] = useState('');
  const words = sought.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const isFound = (text: string) => words.every((word) => text.toLocaleLowerCase().includes(word));
  const groups = allGroups().flatMap(({ entries, title }) => {
    const found = entries.filter((entry) => isFound(`${entry.title} ${entry.teaches} ${title}`));
    return found.length === 0 ? [] : [{ title, entries: found }];
  });
  return (
    <Overlay label={t('frame.examples')}>
      <SearchField
        label={t('frame.searchExamples')}
        hint={t('frame.searchExamples')}
        value={sought}
        onChange={setSought}
      />
      {groups.length === 0 && <p className="muted">{t('frame.noExample')}</p>}
      {groups.map(({ entries, title }) => (
        <Group key={title} title={title}>
          {entries.map((entry) => (
            <li key={entry.title}>
              <ExampleCard
                {...entry}
                onOpen={() => {
                  closeOverlay();
                  void entry.open();
                }}
              />
            </li>
          ))}
        </Group>
      ))}
      <div className="buttons">
        <button type="button" className="quiet" onClick={() => update({ overlay: 'about' })}>
          {t('about.title')}
        </button>
      </div>
    </Overlay>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="section-title">
        {title}
      </h2>
      <ul className="cards examples">{children}</ul>
    </section>
  );
}

function allGroups(): readonly { readonly title: string; readonly entries: readonly Entry[] }[] {
  return [
    ...Object.entries(exampleGroups).map(([group, title]) => ({
      title: t(title),
      entries: examples
        .filter((example) => example.group === group)
        .map((example) => ({ ...entryOf(example, () => openExample(example)), folder: example.folder })),
    })),
    {
      title: t('frame.lessons'),
      entries: lessons.map((lesson) => entryOf(lesson, () => openLesson(lesson))),
    },
  ];
}

function entryOf({ teaches, title }: Pick<(typeof lessons)[number], 'teaches' | 'title'>, open: Entry['open']): Entry {
  return { title: t(title), teaches: t(teaches), open };
}
