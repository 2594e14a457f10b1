/** The command line that runs a model. */
import { basename, isAbsolute, join } from 'node:path';

/**
 * Arguments of `leapfrog` to sample from a program.
 * @param program the path of a file `model.stan`; if `model.json` exists beside it, that is its data
 * @param includePaths folders for `#include`; relative ones are in `root`
 */
export function runArguments(
  program: string,
  exists: (path: string) => boolean,
  includePaths: readonly string[],
  root: string,
): readonly string[] {
  const stem = program.replace(/\.stan$/, '');
  const data = `${stem}.json`;
  return [
    'sample',
    program,
    ...(exists(data) ? ['--data', data] : []),
    ...includePaths.flatMap((path) => ['--include-path', isAbsolute(path) ? path : join(root, path)]),
    '--chains',
    '4',
    '--output',
    `${basename(stem)}.csv`,
  ];
}
