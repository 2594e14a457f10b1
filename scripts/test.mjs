/**
 * Runs the compiled tests and prints the test runner's own summary at the end.
 *
 *     node scripts/test.mjs [--slow | --long] [--accept] [--times] [--coverage] [TEXT…]
 *
 * Without arguments, it runs the files that are neither *.slow.test.js nor *.long.test.js. `--slow` runs the slow ones instead, and
 * `--long` runs all files. With TEXTs, it runs the files whose path contains one of them, including slow ones. `--accept` makes tests
 * with expected texts (they read the environment variable ACCEPT) write what they find, and runs only those unless there are TEXTs.
 * `--times` lists the slowest groups of files at the end, with the processor time of their processes (on Linux). `--coverage` prints the lines, branches and functions that the tests execute in each file.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { Readable } from 'node:stream';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { outdated } from './built-bundle.mjs';
import { runGroups } from './test-groups.mjs';

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
  console.error('no compiled tests found: npm run build:tests compiles them');
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
/** Seconds and processor seconds of each group. */
const times = [];

function printTimes() {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, 40);
  const column = (value) => `${value?.toFixed(1) ?? '–'} s`.padStart(11);
  console.log(`${'elapsed'.padStart(11)}${'processors'.padStart(11)}`);
  for (const { name, processors, seconds } of slowest) console.log(`${column(seconds)}${column(processors)}  ${name}`);
  const all = times.reduce((sum, { processors = 0 }) => sum + processors, 0);
  console.log(`${column((performance.now() - start) / 1000)}${column(all)}  all ${files.length} files`);
}

/** Maximum number of files in a group, by the ending of their names. */
const GROUPED = { '.test.js': 8, '.slow.test.js': 3, '.long.test.js': 1 };

/**
 * The files of a folder that have the same ending run in groups: a process loads the compiler once.
 *
 * @returns Groups with a name and paths of files
 */
function groupsOf(files) {
  const groups = [];
  for (const file of files) {
    const path = relative(join(root, 'dist'), file);
    const [ending] = /(\.slow|\.long)?\.test\.js$/.exec(path);
    const kind = path.split(sep).slice(0, 2).join('/') + ending;
    const last = groups.findLast((group) => group.kind === kind);
    if (last !== undefined && last.files.length < GROUPED[ending]) last.files.push(file);
    else groups.push({ kind, files: [file] });
  }
  return groups.map(({ files }) => ({ name: nameOf(files), files }));
}

function nameOf(files) {
  const [first, ...others] = files.map((file) => relative(root, file));
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

// Per group. Long files are bounded by their numbers of programs: on two busy processors, the fuzzers take many hours.
const timeout = values.long ? 86_400_000 : 900_000;
const start = performance.now();
const noteGroup = (name, seconds, processors) => times.push({ name, seconds, processors });
Readable.from(runGroups(groupsOf(files), { timeout, noteGroup }))
  .on('data', ({ type }) => {
    if (type === 'test:fail') process.exitCode = 1;
  })
  .on('end', () => {
    if (values.times) printTimes();
  })
  .compose(new spec())
  .pipe(process.stdout);
