import { execFileSync } from 'node:child_process';
import { ROOT } from '../project/tree.js';

/** Builds the files of a release in a folder. */
export function makeRelease(folder: string): void {
  // pip negates this: with 0, packages are built in the existing environment.
  const env = { ...process.env, PIP_NO_BUILD_ISOLATION: '0', PIP_NO_INDEX: '1' };
  execFileSync(process.execPath, ['scripts/release.mjs', '--folder', folder], { cwd: ROOT, env });
}
