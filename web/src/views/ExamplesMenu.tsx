import { examples, openExample } from '../examples/examples.js';
import { lessons, openLesson } from '../lessons/lessons.js';
import { Menu, MenuItem, MenuLine } from './Menu.js';

export function ExamplesMenu() {
  return (
    <Menu label="Examples">
      {examples.map((example) => (
        <MenuItem
          key={example.folder}
          title={example.title}
          detail={example.teaches}
          onSelect={() => openExample(example)}
        />
      ))}
      <MenuLine />
      {lessons.map((lesson) => (
        <MenuItem
          key={lesson.folder}
          title={lesson.title}
          detail={lesson.teaches}
          onSelect={() => void openLesson(lesson)}
        />
      ))}
    </Menu>
  );
}
