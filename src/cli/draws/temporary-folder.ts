import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writing } from '../errors.js';

/** Creates an empty folder for temporary files of a command. */
export function makeTemporaryFolder(): string {
  return writing(tmpdir(), () => mkdtempSync(join(tmpdir(), 'leapfrog-')));
}
