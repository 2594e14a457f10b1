/** Built-in lessons. Their files are loaded when they are opened. */

import { DATA_FILE, LESSON_FILE, PROGRAM_FILE } from '../state/file-names.js';
import { openNew } from '../state/opening.js';
import { newSettings } from '../state/project.js';
import { t } from '../words/messages.js';
import { type LessonEntry, lessons } from './list.js';

export { lessons };

const files = import.meta.glob<string>('./*/*.{stan,json,md}', { query: '?raw', import: 'default' });

async function read(folder: string, name: string): Promise<string> {
  const load = files[`./${folder}/${name}`];
  if (load === undefined) throw new Error(`the lesson ${folder} has no ${name}`);
  return load();
}

export async function openLesson({ folder, title, settings = {} }: LessonEntry): Promise<void> {
  const [program, data, lesson] = await Promise.all([
    read(folder, PROGRAM_FILE),
    read(folder, DATA_FILE),
    read(folder, LESSON_FILE),
  ]);
  const fresh = newSettings();
  const withSettings = { ...fresh, arguments: { ...fresh.arguments, ...settings } };
  openNew({ name: t(title), program, data, lesson, settings: withSettings });
}
