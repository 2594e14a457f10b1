import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonOfDump } from '../../../src/formats/r-dump.js';
import { readJson } from '../../conformance/engine.js';
import { ROOT } from '../../project/tree.js';
import { inCurrentSyntax } from './current-syntax.js';

const HERE = join(ROOT, 'test/bench/untouched');

/** `list.json`: the location of the programs and data of the untouched list. */
interface UntouchedList {
  /** By the name of the folder of their clone. */
  readonly repositories: Readonly<
    Record<string, { readonly url: string; readonly commit: string; readonly licence: string }>
  >;
  readonly files: readonly {
    readonly name: string;
    readonly repository: string;
    /** Paths in the repository. */
    readonly program: string;
    readonly data: string;
  }[];
  /** Arguments of the function `brm` of R's package brms. */
  readonly brms: readonly { readonly name: string; readonly arguments: string }[];
}

/**
 * Writes each posterior of the untouched list into its own folder, with `model.stan` and `data.json`; returns the folder that contains them. Those that
 * it has written before are not written again. `clones` has a clone of each repository of the list, which contains its commit. Programs of brms require R with that package.
 */
export function unpackUntouched(clones: string, only: RegExp): string {
  const to = join(ROOT, 'build', 'untouched');
  const write = (name: string, program: string, data: string): void => {
    writeFileSync(join(to, name, 'model.stan'), inCurrentSyntax(program));
    writeFileSync(join(to, name, 'data.json'), data.trimStart().startsWith('{') ? data : jsonOfDump(data));
  };
  const { brms, files, repositories } = readJson<UntouchedList>(join(HERE, 'list.json'));
  const isNew = ({ name }: { readonly name: string }): boolean =>
    only.test(name) && !existsSync(join(to, name, 'data.json'));
  for (const { name } of [...files, ...brms].filter(isNew)) mkdirSync(join(to, name), { recursive: true });
  for (const { data, name, program, repository } of files.filter(isNew)) {
    const contents = (path: string): string =>
      execFileSync('git', ['-C', join(clones, repository), 'show', `${repositories[repository].commit}:${path}`], {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      });
    write(name, contents(program), contents(data));
  }
  const calls = brms.filter(isNew);
  if (calls.length > 0) {
    execFileSync('Rscript', [join(HERE, 'brms.R'), to], { input: JSON.stringify(calls), stdio: ['pipe', 2, 2] });
  }
  for (const { name } of calls) {
    const [program, data] = ['model.stan', 'data.R'].map((file) => readFileSync(join(to, name, file), 'utf8'));
    write(name, program, data);
  }
  return to;
}
