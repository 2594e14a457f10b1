import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writing } from './errors.js';

/** Creates an empty folder for files that exist only while a command runs. */
export function makeTemporaryFolder(): string {
  return writing(tmpdir(), () => mkdtempSync(join(tmpdir(), 'leapfrog-')));
}
