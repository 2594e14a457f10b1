/** Locations of the built code that scripts start. */
import { fileURLToPath } from 'node:url';
import { entryUrl } from '../node/entry-url.js';

/** The code that runs models. */
export function modelEntry(): string {
  return fileURLToPath(entryUrl('model-main', new URL('./model-main.js', import.meta.url)));
}

/** The code of the tools in `bin`. */
export function toolsEntry(): string {
  return fileURLToPath(entryUrl('tools-main', new URL('./tools-main.js', import.meta.url)));
}
