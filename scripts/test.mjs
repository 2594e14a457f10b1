/**
 * Runs the compiled tests and prints the test runner's own summary at the end.
 *
 *     node scripts/test.mjs [--slow | --long] [--accept] [--times] [--coverage] [TEXT…]
 *
 * Without arguments, it runs the files that are neither *.slow.test.js nor *.long.test.js. `--slow` runs the slow ones instead, and
 * `--long` runs all files. With TEXTs, it runs the files whose path contains one of them, including slow ones. `--accept` makes tests
 * with expected texts (they read the environment variable ACCEPT) write what they find, and runs only those unless there are TEXTs.
 * `--times` lists the slowest files at the end. `--coverage` prints the lines, branches and functions that the tests execute in each file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { outdated } from './built-bundle.mjs';

const { values, positionals } = parseArgs({
  options: {
    slow: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    accept: { type: 'boolean', default: false },
    times: { type: 'boolean', default: false },
    coverage: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.accept) process.env.ACCEPT = '1';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Whether the options select a file by its suffix. */
function isSelected(name) {
  if (values.long) return true;
  if (name.endsWith('.long.test.js')) return false;
  return positionals.length > 0 || values.accept || values.slow === name.endsWith('.slow.test.js');
}

/** Whether a compiled test file has expected texts that it can rewrite. */
function canAccept(name) {
  return readFileSync(join(root, 'dist', name), 'utf8').includes('process.env.ACCEPT');
}

/** Compiled test files whose source still exists. */
function testFiles(folder) {
  return readdirSync(join(root, 'dist', folder), { recursive: true })
    .map((name) => join(folder, name))
    .filter((name) => name.endsWith('.test.js') && isSelected(name))
    .filter((name) => positionals.length === 0 || positionals.some((text) => name.includes(text)))
    .filter((name) => !values.accept || positionals.length > 0 || canAccept(name))
    .filter((name) => existsSync(join(root, name.replace(/\.js$/, '.ts'))))
    .sort()
    .map((name) => join(root, 'dist', name));
}

const files = ['src', 'test'].flatMap(testFiles);
if (files.length === 0) {
  console.error('no tests found');
  process.exit(1);
}
const problem = outdated(
  root,
  files.map((file) => relative(root, file)),
);
if (problem !== undefined) {
  console.error(problem);
  process.exit(1);
}
if (values.coverage) {
  // The interface of the test runner has no coverage in Node 20.
  const options = ['--experimental-test-coverage', '--test'];
  process.exit(spawnSync(process.execPath, [...options, ...files], { stdio: 'inherit' }).status ?? 1);
}
/** Seconds of the top-level tests of each file. */
const seconds = new Map();
function addTime({ details, file, nesting }) {
  if (nesting === 0 && file !== undefined) seconds.set(file, (seconds.get(file) ?? 0) + details.duration_ms / 1000);
}

function printTimes() {
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 40);
  for (const [file, time] of slowest) console.log(`${time.toFixed(1).padStart(8)} s  ${relative(root, file)}`);
}

// Per file. Long files are bounded by their numbers of programs: on two busy processors, the fuzzers take many hours.
const timeout = values.long ? 86_400_000 : 900_000;
// Slow tests often wait for servers, browsers and clusters.
const concurrency = availableParallelism() + (values.slow ? 1 : 0);
run({ files, concurrency, timeout })
  .on('test:pass', addTime)
  .on('test:fail', (event) => {
    addTime(event);
    process.exitCode = 1;
  })
  .on('end', () => {
    if (values.times) printTimes();
  })
  .compose(new spec())
  .pipe(process.stdout);
