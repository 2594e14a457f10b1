/** Converts the texts of a project to files in a folder, and back. */
import { strFromU8, strToU8 } from 'fflate';
import { DATA_FILE, PROGRAM_FILE } from '../state/file-names.js';
import type { Project, TextFile } from '../state/project.js';

export const PROJECT = 'project.json';
export const RUN = 'run.json';

export type Texts = Pick<Project, 'program' | 'includes' | 'data'>;
/** Files by their paths. */
export type Files = Readonly<Record<string, Uint8Array>>;

export function textFiles(folder: string, { program, includes, data }: Texts): Files {
  return Object.fromEntries(
    [[PROGRAM_FILE, program], ...includes.map(({ name, text }) => [name, text]), [DATA_FILE, data]].map(
      ([name = '', text = '']) => [folder + name, strToU8(text)],
    ),
  );
}

export function written(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The texts in the folder of a program. */
export function textsIn(files: Files, folder: string, model: string): Texts {
  const own = Object.keys(files).filter((path) => path.startsWith(folder) && !path.slice(folder.length).includes('/'));
  const text = (path: string) => strFromU8(files[path] ?? new Uint8Array());
  const includes = own
    .filter((path) => path !== model && /\.stan(?:functions)?$/.test(path))
    .map((path): TextFile => ({ name: path.slice(folder.length), text: text(path) }));
  const data = own.find((path) => path === folder + DATA_FILE) ?? own.find((path) => isData(path.slice(folder.length)));
  return { program: text(model), includes, data: data === undefined ? '{}\n' : text(data) };
}

function isData(name: string): boolean {
  return name.endsWith('.json') && name !== PROJECT && name !== RUN;
}

/** Parsed JSON; undefined for other texts. */
export function parsed(bytes: Uint8Array | undefined): unknown {
  try {
    return bytes === undefined ? undefined : JSON.parse(strFromU8(bytes));
  } catch {
    return undefined;
  }
}
