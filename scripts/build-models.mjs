/** Bundles the code that runs executables of models: they are started often, and one file loads in a third of the time of many. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

await build({
  entryPoints: [join(root, 'dist', 'src', 'cmdstan', 'model-main.js')],
  outfile: join(root, 'build', 'cmdstan-model.js'),
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
});
