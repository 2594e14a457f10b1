import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { filesBelow, read } from '../project/tree.js';

const { outdated, recordInputs }: typeof import('../../scripts/built-bundle.mjs') = await import(
  new URL('../../../scripts/built-bundle.mjs', import.meta.url).href
);

test('bundles contain only ASCII characters, because they are read as Latin-1', () => {
  const bundles = filesBelow('build/bundle', '.cjs');
  assert.ok(bundles.length > 10);
  assert.deepEqual(
    bundles.filter((bundle) => /[^\0-\x7f]/.test(read(bundle))),
    [],
  );
});

test('tests refuse a bundle or a copy of it that is older than the modules', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'leapfrog-bundles-'));
  context.after(() => rmSync(root, { recursive: true }));
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const tests = ['dist/test/python/client.slow.test.js'];
  write('dist/src/one.js', '1');
  write('dist/src/two.js', '2');
  assert.equal(outdated(root, tests), undefined);
  write('build/bundle/main.cjs', '1 2');
  assert.match(outdated(root, tests) ?? '', /unknown of which modules .* run npm run build:bundle$/);
  recordInputs(root, ['dist/src/two.js', 'dist/src/one.js']);
  assert.equal(outdated(root, tests), undefined);
  write('dist/src/one.js', '3');
  assert.equal(outdated(root, tests), 'build/bundle is older than dist/src/one.js: run npm run build:bundle');
  write('dist/src/one.js', '1');
  write('python/src/leapfrog/_engine/build/bundle/main.cjs', '1');
  const problem = 'python/src/leapfrog/_engine differs from build/bundle: run npm run build:python';
  assert.equal(outdated(root, tests), problem);
  assert.equal(outdated(root, ['dist/test/cli/command.test.js']), undefined);
  write('python/src/leapfrog/_engine/build/bundle/main.cjs', '1 2');
  assert.equal(outdated(root, tests), undefined);
});

test('npm packages that no bundle contains need no override, because npm ignores those of an installed package', () => {
  const { overrides }: { overrides: Record<string, string> } = JSON.parse(read('package.json'));
  const { packages }: { packages: Record<string, { readonly dependencies?: Record<string, string> }> } = JSON.parse(
    read('package-lock.json'),
  );
  const loaded = new Set(['@fastify/swagger-ui']);
  for (const name of loaded) {
    for (const each of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})) loaded.add(each);
  }
  assert.ok(loaded.has('@fastify/static'));
  assert.deepEqual(
    Object.keys(overrides).filter((name) => loaded.has(name)),
    [],
  );
});

test('the command of a checkout does not run a bundle that is older than the modules', (context) => {
  const root = mkdtempSync(join(tmpdir(), 'leapfrog-linked-'));
  context.after(() => rmSync(root, { recursive: true }));
  for (const folder of ['scripts', 'build/bundle', 'dist']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['scripts/built-bundle.mjs', 'build/bundle/main.cjs']) copyFileSync(file, join(root, file));
  writeFileSync(join(root, 'build/bundle/start.cjs'), 'exports.start = () => console.log("started");');
  const main = () => {
    const { status, stderr, stdout } = spawnSync('node', [join(root, 'build/bundle/main.cjs')], { encoding: 'utf8' });
    return { status, stderr, stdout };
  };
  const started = { status: 0, stderr: '', stdout: 'started\n' };
  assert.deepEqual(main(), started, 'an installed package has no record');
  writeFileSync(join(root, 'dist/one.js'), '1');
  recordInputs(root, ['dist/one.js']);
  assert.deepEqual(main(), started);
  writeFileSync(join(root, 'dist/one.js'), '2');
  const problem = 'build/bundle is older than dist/one.js: run npm run build:bundle\n';
  assert.deepEqual(main(), { status: 1, stderr: problem, stdout: '' });
});
