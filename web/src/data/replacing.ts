import { notify, update, updateProject, useStore } from '../state/store.js';

/** Replaces the data of the open project and shows them, with a notice that can undo it. */
export function replaceData(data: string, notice: string, { canUndo = true } = {}): void {
  const { id, data: before, levels } = useStore.getState().project;
  updateProject({ data, levels: [] });
  update({ leftTab: 'data' });
  const undo = () =>
    useStore.getState().project.id === id && updateProject({ data: before, ...(levels && { levels }) });
  notify(notice, canUndo ? undo : undefined);
}
