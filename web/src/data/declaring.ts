/** Creates programs from data: a data block for the contents of a file. */
import { dataBlockFor } from '#engine/derive/data-block.js';
import type { IndexLevels } from '#engine/derive/level-labels.js';
import { parseStanData } from '#engine/formats/stan-json.js';
import { jumpTo } from '../language/editors.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { emptyProject } from '../state/project.js';
import { updateProject, useStore } from '../state/store.js';
import { shapesOf } from './shapes.js';

/** Whether the project has no program yet, so that one can be created from data. */
export function isWithoutProgram(): boolean {
  return useStore.getState().project.program.trim() === '';
}

const PARAMETERS = 'parameters {\n  ';

/**
 * Starts a program that declares the data of a file, with the cursor in the parameters block; false if the file is not JSON. Notes on variables
 * become comments; `levels` are the labels of index variables.
 */
export function beginWith(
  data: string,
  file: string,
  notes: ReadonlyMap<string, string> = new Map(),
  levels: readonly IndexLevels[] = [],
): boolean {
  const { name } = useStore.getState().project;
  const called = name === emptyProject().name ? file.replace(/\.[^.]*$/, '') : name;
  try {
    const shapes = shapesOf(parseStanData(data)).map((shape) => ({ ...shape, note: notes.get(shape.name) }));
    updateProject({
      name: called,
      data,
      levels,
      program: `${dataBlockFor(shapes)}${PARAMETERS}\n}\nmodel {\n  \n}\n`,
    });
  } catch {
    return false;
  }
  const { program } = useStore.getState().project;
  jumpTo(PROGRAM_FILE, program.indexOf(PARAMETERS) + PARAMETERS.length);
  return true;
}
