/** The outcomes of a run, by which the same observations are recognized. */
import { type ObservedVariable, observedVariables } from '#engine/run/observed-variables.js';
import { language } from '../language/analysis.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Run } from '../state/run.js';

/** The outcomes of a run with `count` observations, and their values in its data. */
export async function observedIn(
  { source: { data, includes, program } }: Run,
  count: number,
): Promise<readonly ObservedVariable[]> {
  return observedVariables(program.trim() === '' ? undefined : await outcomesOf(program, includes), data, count);
}

async function outcomesOf(
  program: string,
  includes: Run['source']['includes'],
): Promise<readonly string[] | undefined> {
  return language().outcomes({
    name: PROGRAM_FILE,
    text: program,
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  });
}
