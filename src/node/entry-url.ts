/** Entry modules of processes and threads. A bundle can contain them, which makes them start faster. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findPackageRoot } from './package-root.js';

const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/**
 * The file that starts an entry: that of the bundle (scripts/build-bundle.mjs), or `plain` without a bundle. A bundle
 * that is older than the module is not used, because the module has been rebuilt.
 */
export function entryUrl(name: string, plain: URL): URL {
  const bundled = root === undefined ? undefined : join(root, 'build', 'bundle', `${name}.cjs`);
  const built = bundled === undefined ? undefined : modified(bundled);
  if (bundled === undefined || built === undefined || built < (modified(plain) ?? 0)) return plain;
  return pathToFileURL(bundled);
}

/** Time of a file's last modification; undefined if it does not exist. */
function modified(file: string | URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
