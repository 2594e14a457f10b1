/** Example programs, each with data and a description. Their files are loaded when they are opened. */

import { startRun } from '../run/running.js';
import { DATA_FILE, PROGRAM_FILE } from '../state/file-names.js';
import { openNew } from '../state/opening.js';
import { newSettings } from '../state/project.js';
import { update } from '../state/store.js';
import { t } from '../words/messages.js';
import { readFile } from '../words/translated-files.js';
import { type Example, exampleGroups, examples, liveCoin } from './list.js';

export { type Example, exampleGroups, examples, liveCoin };

const files = import.meta.glob<string>('./*/*.{stan,json,md}', { query: '?raw', import: 'default' });

export async function openExample({ folder, isLive = false, title, settings = {} }: Example): Promise<void> {
  const [program, data, about] = await Promise.all([
    readFile(files, folder, PROGRAM_FILE),
    readFile(files, folder, DATA_FILE),
    readFile(files, folder, 'about.md'),
  ]);
  const fresh = newSettings();
  const withSettings = { ...fresh, arguments: { ...fresh.arguments, ...settings } };
  const builtIn = { kind: 'example', folder } as const;
  openNew({ name: t(title), builtIn, program, data, about, settings: withSettings });
  if (!isLive) return;
  void startRun();
  update({ rightTab: 'explore' });
}
