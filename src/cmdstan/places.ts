/** Where the built code is that scripts start. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from '../node/kernels.js';

const root = packageRoot(dirname(fileURLToPath(import.meta.url)));

/** The code that runs models, bundled in one file where that has been built: a process then starts in half the time. */
export function modelEntry(): string {
  const bundled = join(root, 'build', 'cmdstan-model.js');
  return existsSync(bundled) ? bundled : join(root, 'dist', 'src', 'cmdstan', 'model-main.js');
}

/** The code of the tools in `bin`. */
export function toolsEntry(): string {
  return join(root, 'dist', 'src', 'cmdstan', 'tools-main.js');
}
