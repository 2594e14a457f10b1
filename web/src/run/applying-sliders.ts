import { withConstantValues } from '#engine/derive/sliders.js';
import { membersOf, withMembers } from '../data/members.js';
import type { Run } from '../state/run.js';
import { notify, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { programText, slidersIn, type Values } from './exploring.js';

/** Replaces the numbers in the program and the data of the project by those of the sliders; a notice offers to undo it. */
export function applyValues(run: Run, values: Values): void {
  const { data, id, includes, program } = useStore.getState().project;
  const members = membersOf(data);
  const changed = [...values].filter(([name, value]) => members.has(name) && Number(members.get(name)) !== value);
  updateProject({
    program: withConstantValues(programText(program, includes), slidersIn(run.source), changedIn(run, values)).text,
    data: changed.length === 0 ? data : withMembers(data, new Map(changed.map(([name, value]) => [name, `${value}`]))),
  });
  notify(t('explore.applied'), () => {
    if (useStore.getState().project.id === id) updateProject({ data, program });
  });
}

/** The constants whose values differ from the program's. */
function changedIn(run: Run, values: Values): Values {
  return new Map(
    slidersIn(run.source).constants.flatMap(({ name, value }) => {
      const now = values.get(name);
      return now === undefined || now === value ? [] : [[name, now]];
    }),
  );
}
