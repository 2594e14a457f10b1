/** Creates programs from data: a data block for the contents of a file. */
import { type DataMember, dataBlockFor } from '#engine/derive/data-block.js';
import type { IndexLevels } from '#engine/derive/level-labels.js';
import { jumpTo } from '../language/editors.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { emptyProject } from '../state/project.js';
import { updateProject, useStore } from '../state/store.js';

/** Whether the project has no program yet, so that one can be created from data. */
export function isWithoutProgram(): boolean {
  return useStore.getState().project.program.trim() === '';
}

const PARAMETERS = 'parameters {\n  ';

export interface FileData {
  readonly file: string;
  /** JSON text. */
  readonly data: string;
  /** Its variables. */
  readonly members: readonly DataMember[];
  /** What the values of variables are, as comments. */
  readonly notes?: ReadonlyMap<string, string>;
  /** The labels of index variables. */
  readonly levels?: readonly IndexLevels[];
}

/** Starts a program that declares the data of a file, with the cursor in the parameters block. */
export function beginWith({ data, file, levels = [], members, notes }: FileData): void {
  const { name } = useStore.getState().project;
  const declared = dataBlockFor(members.map((member) => ({ ...member, note: notes?.get(member.name) })));
  updateProject({
    name: name === emptyProject().name ? file.replace(/\.[^.]*$/, '') : name,
    data,
    levels,
    program: `${declared}${PARAMETERS}\n}\nmodel {\n  \n}\n`,
  });
  const { program } = useStore.getState().project;
  jumpTo(PROGRAM_FILE, program.indexOf(PARAMETERS) + PARAMETERS.length);
}
