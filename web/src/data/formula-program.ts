/** Starts a project with the program of a formula. */
import type { FormulaModel } from '#engine/formula/model.js';
import { recommended } from '#engine/inference/algorithms/hmc/recommended.js';
import { emptyProject } from '../state/project.js';
import { notify, update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/** Opens the program and its data. The recommended sampler learns the coordinates of the effects of groups. */
export function openFormulaModel({ data, levels, program }: FormulaModel, file: string): void {
  const { name, settings } = useStore.getState().project;
  updateProject({
    name: name === emptyProject().name ? file.replace(/\.[^.]*$/, '') : name,
    program,
    data,
    levels,
    settings: { ...settings, functionName: recommended.functionName },
  });
  update({ table: undefined });
  notify(t('formula.opened', { file }));
}
