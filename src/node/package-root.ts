import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The nearest folder with package.json: the folder of the code, or one above it. */
export function packageRoot(folder: string): string {
  const root = findPackageRoot(folder);
  if (root === undefined) throw new Error('The package folder was not found above the running code.');
  return root;
}

/** Like `packageRoot`, but undefined if no folder contains a package. */
export function findPackageRoot(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  return parent === folder ? undefined : findPackageRoot(parent);
}
