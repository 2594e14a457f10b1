/** The location of the built code that scripts start. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../node/kernels.js';

const root = packageRoot(dirname(fileURLToPath(import.meta.url)));

/** The code that runs models. */
export function modelEntry(): string {
  return entry('model-main');
}

/** The code of the tools in `bin`. */
export function toolsEntry(): string {
  return entry('tools-main');
}

/** Uses the bundle if it has been built (scripts/build-cmdstan.mjs), which starts in half the time. */
function entry(name: string): string {
  const bundled = join(root, 'build', 'cmdstan', name, `${name}.js`);
  return existsSync(bundled) ? bundled : join(root, 'dist', 'src', 'cmdstan', `${name}.js`);
}
