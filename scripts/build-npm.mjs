/**
 * Packs the npm package leapfrog: the files of `npm pack`, with a manifest that has only what an installed package needs. The bundles contain all
 * packages except those of the documentation at /docs; types of the client refer to typebox.
 * Usage: node scripts/build-npm.mjs --folder FOLDER after `npm run build`
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const { values } = parseArgs({ options: { folder: { type: 'string' } } });
if (values.folder === undefined) throw new Error('--folder is required');
const folder = resolve(values.folder);
const NEEDED = ['@fastify/static', '@fastify/swagger-ui', 'typebox'];

const staging = mkdtempSync(join(tmpdir(), 'leapfrog-npm-'));
try {
  const pack = (from, to) =>
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', to], { cwd: from })
      .toString()
      .trim();
  execFileSync('tar', ['-xzf', join(staging, pack(root, staging)), '-C', staging]);
  const manifest = join(staging, 'package/package.json');
  const {
    allowScripts: _,
    dependencies,
    devDependencies: __,
    overrides: ___,
    scripts: ____,
    ...published
  } = JSON.parse(readFileSync(manifest, 'utf8'));
  const needed = Object.fromEntries(NEEDED.map((name) => [name, dependencies[name]]));
  writeFileSync(manifest, `${JSON.stringify({ ...published, dependencies: needed }, null, 2)}\n`);
  mkdirSync(folder, { recursive: true });
  pack(join(staging, 'package'), folder);
} finally {
  rmSync(staging, { recursive: true, force: true });
}
