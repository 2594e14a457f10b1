/** Starts a project with the program of a formula. */
import type { FormulaModel } from '#engine/formula/model.js';
import { recommended } from '#engine/inference/algorithms/hmc/recommended.js';
import { emptyProject } from '../state/project.js';
import { notify, update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/** Few groups leave their standard deviation close to zero, where long steps diverge. rstanarm also uses a higher delta for groups. */
const DELTA_WITH_GROUPS = 0.99;

/** Opens the program and its data. The recommended sampler learns the coordinates of the effects of groups. */
export function openFormulaModel({ data, levels, program, terms }: FormulaModel, file: string): void {
  const hasGroups = terms.summands.some(({ group }) => group !== undefined);
  const { name, settings } = useStore.getState().project;
  updateProject({
    name: name === emptyProject().name ? file.replace(/\.[^.]*$/, '') : name,
    program,
    data,
    levels,
    terms,
    settings: {
      ...settings,
      functionName: recommended.functionName,
      arguments: { ...settings.arguments, ...(hasGroups && { delta: DELTA_WITH_GROUPS }) },
    },
  });
  update({ table: undefined });
  notify(t('formula.opened', { file }));
}
