/** Entry modules of processes and threads. A bundle can contain them, which makes them start faster. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findPackageRoot } from './package-root.js';

const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));
/** Packages do not contain this file. */
const isCheckout = root !== undefined && existsSync(join(root, 'tsconfig.json'));

/**
 * The file that starts an entry: that of the bundle (scripts/build-bundle.mjs), or `plain` without a bundle. In a checkout, a bundle that is
 * older than the module is not used, because the module has been rebuilt. In an installed package, times do not depend on builds.
 */
export function entryUrl(name: string, plain: URL): URL {
  const bundled = root === undefined ? undefined : join(root, 'build', 'bundle', `${name}.cjs`);
  const built = bundled === undefined ? undefined : modified(bundled);
  if (bundled === undefined || built === undefined) return plain;
  return isCheckout && built < (modified(plain) ?? 0) ? plain : pathToFileURL(bundled);
}

/** Time of a file's last modification; undefined if it does not exist. */
function modified(file: string | URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
