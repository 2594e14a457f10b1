/** The command lines that run a model and report on its draws. */
import { basename, isAbsolute, join } from 'node:path';

/** How `leapfrog` is started: the arguments follow `first`. */
export interface Command {
  readonly program: string;
  readonly first: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

export interface Model {
  /** The path of a file `model.stan`. If `model.json` exists in the same folder, it contains the data. */
  readonly program: string;
  readonly exists: (path: string) => boolean;
  /** Folders for `#include`; relative paths are in `root`. */
  readonly includePaths: readonly string[];
  readonly root: string;
}

const CHAINS = 4;

const stemOf = ({ program }: Model) => program.replace(/\.stan$/, '');

/** Arguments of `leapfrog` to sample from a model into `model_1.csv` and so on in its folder. */
export function sampleArguments(model: Model): readonly string[] {
  const { program, includePaths, root } = model;
  const folders = includePaths.map((path) => (isAbsolute(path) ? path : join(root, path)));
  return [
    'sample',
    program,
    ...dataArguments(model),
    ...folders.flatMap((path) => ['--include-path', path]),
    '--chains',
    `${CHAINS}`,
    '--output',
    `${basename(stemOf(model))}.csv`,
  ];
}

/** Arguments of `leapfrog` to report on the draws that `sampleArguments` writes. */
export function reportArguments(model: Model): readonly string[] {
  const files = Array.from({ length: CHAINS }, (_, chain) => `${stemOf(model)}_${chain + 1}.csv`);
  return ['report', ...files, ...dataArguments(model)];
}

function dataArguments(model: Model): readonly string[] {
  const data = `${stemOf(model)}.json`;
  return model.exists(data) ? ['--data', data] : [];
}
