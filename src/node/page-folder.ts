import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageRoot } from './package-root.js';

/** The folder of the built workbench. It contains `index.html` if the page has been built. */
export const PAGE_FOLDER = join(packageRoot(dirname(fileURLToPath(import.meta.url))), 'dist', 'web');
