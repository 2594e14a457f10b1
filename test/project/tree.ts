import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's root: the nearest parent folder with a package.json and the sources. */
export const ROOT = (function find(folder: string): string {
  if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'src'))) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error('no project around this test');
  return find(above);
})(dirname(fileURLToPath(import.meta.url)));

/** The contents of a file of the project, by its path from the root. */
export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Paths from the root, with slashes, of the files below a folder whose names have the given ending. */
export function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();
}

/** Tests, and files that exist only for tests, may import and measure anything. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.includes('/testing/') || path.startsWith('test/');
}
