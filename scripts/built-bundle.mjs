/** The modules from which build/bundle was made, to notice that `dist` has been compiled again since then. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside the bundle, because it is not part of the packages. */
const INPUTS = 'build/bundle-inputs.json';
/** Folders with a copy of the engine's bundle, the tests that use it, and the command that copies it. */
const COPIES = [
  {
    folder: 'python/src/leapfrog/_engine',
    tests: /^dist\/test\/(python\/|doors\/(python|statistics)\.|pages\/|cli\/address-space\.|web\/notebooks\.)/,
    command: 'build:python',
  },
  { folder: 'r/inst/engine', tests: /^dist\/test\/(r\/|doors\/(r|statistics)\.|pages\/)/, command: 'build:r' },
];

const digest = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');

/** Records the contents of files of the folder `root`, of which a bundle has been made. */
export function recordInputs(root, files) {
  const digests = Object.fromEntries([...files].sort().map((file) => [file, digest(join(root, file))]));
  writeFileSync(join(root, INPUTS), `${JSON.stringify(digests, null, 1)}\n`);
}

/**
 * What must be built before the bundle, or tests that use it, run; undefined if the bundle is current or absent. `tests` are paths in `root`. Of modules,
 * only those that are newer than the record are read.
 */
export function outdated(root, tests = []) {
  if (!existsSync(join(root, 'build/bundle'))) return undefined;
  const inputs = join(root, INPUTS);
  if (!existsSync(inputs)) return 'it is unknown of which modules build/bundle was made: run npm run build:bundle';
  const { mtimeMs: recorded } = statSync(inputs);
  const isChanged = ([file, sum]) => {
    const found = statSync(join(root, file), { throwIfNoEntry: false });
    return found === undefined || (found.mtimeMs >= recorded && digest(join(root, file)) !== sum);
  };
  const changed = Object.entries(JSON.parse(readFileSync(inputs, 'utf8'))).filter(isChanged);
  if (changed.length > 0) {
    const others = changed.length > 1 ? ` and ${changed.length - 1} more` : '';
    return `build/bundle is older than ${changed[0][0]}${others}: run npm run build:bundle`;
  }
  const stale = COPIES.find((copy) => tests.some((test) => copy.tests.test(test)) && !isCopied(root, copy.folder));
  return stale && `${stale.folder} differs from build/bundle: run npm run ${stale.command}`;
}

/** Whether the command of this checkout may run its bundle. If not, prints why. */
export function isCurrent() {
  const problem = outdated(fileURLToPath(new URL('..', import.meta.url)));
  if (problem === undefined) return true;
  console.error(problem);
  process.exitCode = 1;
  return false;
}

/** Whether the files of a copy are those of build/bundle. */
function isCopied(root, folder) {
  const copied = join(root, folder, 'build/bundle');
  if (!existsSync(copied)) return true;
  return readdirSync(copied).every((name) => {
    const original = join(root, 'build/bundle', name);
    return existsSync(original) && digest(original) === digest(join(copied, name));
  });
}
