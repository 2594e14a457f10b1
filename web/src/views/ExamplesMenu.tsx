import { examples, openExample } from '../examples/examples.js';
import { Menu, MenuItem } from './Menu.js';

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
    </Menu>
  );
}
