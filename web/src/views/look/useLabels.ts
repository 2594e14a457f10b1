import { useEffect, useState } from 'react';
import type { LabeledVariable } from '#engine/derive/level-labels.js';
import { labeledName } from '#engine/fits/labeled-names.js';
import { language } from '../../language/analysis.js';
import { PROGRAM_FILE } from '../../state/file-names.js';
import type { Run } from '../../state/run.js';

/** The name of a quantity for people: `theta[Gymnasium]` for `theta[3]` if the data have labels. */
export type Labeling = (name: string) => string;

const PLAIN: Labeling = (name) => name;

const known = new Map<string, Promise<Labeling>>();

/** The labels of the levels of a run's data, in the names of its quantities. */
export function useLabels(run: Run | undefined): Labeling {
  const [found, setFound] = useState<{ readonly id: string; readonly labeling: Labeling }>();
  const id = run?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the source of a run does not change
  useEffect(() => {
    if (run === undefined || (run.source.levels ?? []).length === 0) return;
    let isCurrent = true;
    const labeling = known.get(run.id) ?? labelingOf(run);
    known.set(run.id, labeling);
    void labeling.then((each) => isCurrent && setFound({ id: run.id, labeling: each }));
    return () => {
      isCurrent = false;
    };
  }, [id]);
  return found?.id === id && found !== undefined ? found.labeling : PLAIN;
}

async function labelingOf({ source }: Run): Promise<Labeling> {
  const { includes, levels = [], program } = source;
  const text = {
    name: PROGRAM_FILE,
    text: program,
    includes: Object.fromEntries(includes.map(({ name, text }) => [name, text])),
  };
  const variables: readonly LabeledVariable[] = await language().labeledVariables(text, levels);
  return variables.length === 0 ? PLAIN : (name) => labeledName(name, variables);
}
