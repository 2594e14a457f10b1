/** The texts above the programs of examples and lessons, in the language of the page. */
import { LESSON_FILE } from '../state/file-names.js';
import type { BuiltIn, Project } from '../state/project.js';
import { readFile } from '../words/translated-files.js';

const examples = import.meta.glob<string>('./*/*.md', { query: '?raw', import: 'default' });
const lessons = import.meta.glob<string>('../lessons/*/*.md', {
  base: '../lessons',
  query: '?raw',
  import: 'default',
});

export async function builtInText({
  folder,
  kind,
}: BuiltIn): Promise<Pick<Project, 'about'> | Pick<Project, 'lesson'>> {
  return kind === 'lesson'
    ? { lesson: await readFile(lessons, folder, LESSON_FILE) }
    : { about: await readFile(examples, folder, 'about.md') };
}
