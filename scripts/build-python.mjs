/**
 * Puts what the Python package starts into python/src/leapfrog/_engine: the bundle of the engine that scripts/build-bundle.mjs has made, and the
 * kernels.
 */
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'python', 'src', 'leapfrog', '_engine');
const bundle = join('build', 'bundle');

/** Entries of the bundle of the engine, with what they need. */
async function engineFiles() {
  const names = await readdir(join(root, bundle));
  const launches = names.filter(
    (name) => name.endsWith('.cjs') && !name.endsWith('-bundle.cjs') && name !== 'start.cjs',
  );
  const isEngine = async (name) => (await readFile(join(root, bundle, name), 'utf8')).includes('"engine-bundle.cjs"');
  const entries = [];
  for (const name of launches) if (await isEngine(name)) entries.push(name);
  return ['start.cjs', 'engine-bundle.cjs', 'LICENSES.txt', ...entries].map((name) => join(bundle, name));
}

await rm(folder, { recursive: true, force: true });
await mkdir(join(folder, bundle), { recursive: true });
const kernels = ['kernels.json', 'linear.wasm', 'math.wasm', 'text.wasm'].map((name) => join('build', name));
for (const file of [...(await engineFiles()), ...kernels]) await copyFile(join(root, file), join(folder, file));
const { license, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
await writeFile(
  join(folder, 'package.json'),
  `${JSON.stringify({ name: 'leapfrog', version, license, type: 'module' })}\n`,
);
