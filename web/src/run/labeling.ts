/** Labels of the levels of a run's data, in the names of its quantities. */
import type { LabeledVariable } from '#engine/derive/level-labels.js';
import { labeledName } from '#engine/fits/labeled-names.js';
import { language } from '../language/analysis.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import type { Run } from '../state/run.js';

/** The name of a quantity for people: `theta[Gymnasium]` for `theta[3]` if the data have labels. */
export type Labeling = (name: string) => string;

export const PLAIN: Labeling = (name) => name;

const known = new Map<string, Promise<Labeling>>();

export function hasLabels({ source }: Run): boolean {
  return (source.levels ?? []).length > 0;
}

export function labelingOf(run: Run): Promise<Labeling> {
  const labeling = known.get(run.id) ?? readLabeling(run);
  known.set(run.id, labeling);
  return labeling;
}

async function readLabeling(run: Run): Promise<Labeling> {
  if (!hasLabels(run)) return PLAIN;
  const { includes, levels = [], program } = run.source;
  const text = {
    name: PROGRAM_FILE,
    text: program,
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  };
  const variables: readonly LabeledVariable[] = await language().labeledVariables(text, levels);
  return variables.length === 0 ? PLAIN : (name) => labeledName(name, variables);
}
