/** Built-in lessons. Their files are loaded when they are opened. */

import { DATA_FILE, LESSON_FILE, PROGRAM_FILE } from '../state/file-names.js';
import { openNew } from '../state/opening.js';
import { newSettings } from '../state/project.js';
import { t } from '../words/messages.js';
import { readFile } from '../words/translated-files.js';
import { type LessonEntry, lessons } from './list.js';

export { lessons };

const files = import.meta.glob<string>('./*/*.{stan,json,md}', { query: '?raw', import: 'default' });

export async function openLesson({ folder, title, settings = {} }: LessonEntry): Promise<void> {
  const [program, data, lesson] = await Promise.all([
    readFile(files, folder, PROGRAM_FILE),
    readFile(files, folder, DATA_FILE),
    readFile(files, folder, LESSON_FILE),
  ]);
  const fresh = newSettings();
  const withSettings = { ...fresh, arguments: { ...fresh.arguments, ...settings } };
  const builtIn = { kind: 'lesson', folder } as const;
  openNew({ name: t(title), builtIn, program, data, lesson, settings: withSettings });
}
