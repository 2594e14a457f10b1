import { examples, openExample } from '../examples/examples.js';
import { lessons, openLesson } from '../lessons/lessons.js';
import { update } from '../state/store.js';
import { t } from '../words/messages.js';
import { Menu, MenuItem, MenuLine } from './Menu.js';

export function ExamplesMenu() {
  return (
    <Menu label={t('frame.examples')}>
      {examples.map((example) => (
        <MenuItem
          key={example.folder}
          title={t(example.title)}
          detail={t(example.teaches)}
          onSelect={() => openExample(example)}
        />
      ))}
      <MenuLine />
      {lessons.map((lesson) => (
        <MenuItem
          key={lesson.folder}
          title={t(lesson.title)}
          detail={t(lesson.teaches)}
          onSelect={() => void openLesson(lesson)}
        />
      ))}
      <MenuLine />
      <MenuItem title={t('about.title')} onSelect={() => update({ overlay: 'about' })} />
    </Menu>
  );
}
