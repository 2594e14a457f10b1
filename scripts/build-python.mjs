/**
 * Bundles what the Python package starts, with the kernels that it needs, in python/src/leapfrog/_engine. The bundles of scripts/build-cmdstan.mjs belong to it.
 */
import { copyFile, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'python', 'src', 'leapfrog', '_engine');
const entries = {
  main: 'pipe/main.js',
  'compiler-worker': 'node/library/compiler-worker.js',
  'runner-worker': 'node/library/runner-worker.js',
  'statistics-worker': 'node/library/statistics-worker.js',
};

await rm(folder, { recursive: true, force: true });
await build({
  bundle: true,
  minify: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  entryPoints: Object.fromEntries(
    Object.entries(entries).map(([name, file]) => [name, join(root, 'dist', 'src', file)]),
  ),
  outdir: join(folder, 'pipe'),
});
await mkdir(join(folder, 'build'), { recursive: true });
for (const name of ['kernels.json', 'linear.wasm', 'math.wasm', 'text.wasm']) {
  await copyFile(join(root, 'build', name), join(folder, 'build', name));
}
await cp(join(root, 'build', 'cmdstan'), join(folder, 'build', 'cmdstan'), { recursive: true });
const { license, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
await writeFile(
  join(folder, 'package.json'),
  `${JSON.stringify({ name: 'leapfrog', version, license, type: 'module' })}\n`,
);
