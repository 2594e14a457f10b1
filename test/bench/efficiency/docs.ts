import { readFileSync, writeFileSync } from 'node:fs';
import type { Section } from './table.js';

/**
 * Replaces the sections of a page that it marks with `<!-- LABEL NAME -->` and `<!-- end -->`. Throws if it marks no section, or one that
 * does not exist.
 */
export function updatePage(file: string, label: string, sections: readonly Section[]): void {
  let found = 0;
  const page = readFileSync(file, 'utf8').replace(
    new RegExp(`(<!-- ${label} (\\w+) -->\n).*?(\n<!-- end -->)`, 'gs'),
    (_, start: string, name: string, end: string) => {
      found++;
      const section = sections.find((each) => each.name === name);
      if (section === undefined) throw new Error(`${file} marks ${label} ${name}, which was not measured`);
      return `${start}\n${section.lines.join('\n')}\n${end}`;
    },
  );
  if (found === 0) throw new Error(`${file} marks no section with ${label}`);
  writeFileSync(file, page);
}
