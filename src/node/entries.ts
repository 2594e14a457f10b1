/** Modules that start a process or a thread. Each may also be part of a bundle, which starts sooner. */
import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { findPackageRoot } from './package-root.js';
import { purpose } from './purpose.js';

const root = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/**
 * The file that starts an entry: that of scripts/build-bundle.mjs, or `plain` if there is no bundle. A bundle that is older than
 * the module is not used, because the module has been built again since.
 */
export function entryUrl(name: string, plain: URL): URL {
  const bundled = root === undefined ? undefined : join(root, 'build', 'bundle', `${name}.cjs`);
  const built = bundled === undefined ? undefined : modified(bundled);
  if (bundled === undefined || built === undefined || built < (modified(plain) ?? 0)) return plain;
  return pathToFileURL(bundled);
}

/** Starts an entry in a thread. `options.argv` is set. */
export function startThread(name: string, plain: URL, options: Omit<WorkerOptions, 'argv'> = {}): Worker {
  const own = purpose();
  return new Worker(entryUrl(name, plain), { ...options, argv: own === '' ? [] : [own] });
}

/** When a file was written; undefined if it does not exist. */
function modified(file: string | URL): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}
