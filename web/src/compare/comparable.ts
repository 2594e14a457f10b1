/** The outcomes of a run, by which the same observations are recognized. */
import { type ObservedVariable, observedVariables } from '#engine/fits/observed-variables.js';
import { language, programText } from '../language/analysis.js';
import type { Run } from '../state/run.js';

/** The outcomes of a run with `count` observations, and their values in its data. */
export async function observedIn({ source }: Run, count: number): Promise<readonly ObservedVariable[]> {
  const outcomes = source.program.trim() === '' ? undefined : await language().outcomes(programText(source));
  return observedVariables(outcomes, source.data, count);
}
