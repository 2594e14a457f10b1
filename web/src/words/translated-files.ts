/** Built-in files, in the language of the page where a translation exists: `about.de.md` of `about.md`. */
import { currentLanguage } from './messages.js';

/** Loaders of files by their path. */
export type FileLoaders = Readonly<Record<string, () => Promise<string>>>;

/** Loads a file of a folder. */
export function readFile(files: FileLoaders, folder: string, name: string): Promise<string> {
  const load = files[`./${folder}/${translatedName(name)}`] ?? files[`./${folder}/${name}`];
  if (load === undefined) throw new Error(`${folder} has no ${name}`);
  return load();
}

function translatedName(name: string): string {
  const point = name.lastIndexOf('.');
  return `${name.slice(0, point)}.${currentLanguage()}${name.slice(point)}`;
}
