/** Modules that start a process or a thread. A bundle can contain them to start faster. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { findPackageRoot } from './package-root.js';
import { purpose } from './purpose.js';

const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/**
 * The file that starts an entry: the one of scripts/build-bundle.mjs, or `plain` without a bundle. A bundle that is older than the module is not
 * used, because the module has been rebuilt since.
 */
export function entryUrl(name: string, plain: URL): URL {
  const bundled = root === undefined ? undefined : join(root, 'build', 'bundle', `${name}.cjs`);
  const built = bundled === undefined ? undefined : modified(bundled);
  if (bundled === undefined || built === undefined || built < (modified(plain) ?? 0)) return plain;
  return pathToFileURL(bundled);
}

/** Starts an entry in a thread. Sets `options.argv`. */
export function startThread(name: string, plain: URL, options: Omit<WorkerOptions, 'argv'> = {}): Worker {
  const own = purpose();
  return new Worker(entryUrl(name, plain), { ...options, argv: own === '' ? [] : [own] });
}

/** Time of a file's last modification; undefined if it does not exist. */
function modified(file: string | URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
