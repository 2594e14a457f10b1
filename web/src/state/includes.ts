/** Texts that the program includes. */
import type { TextFile } from './project.js';
import { update, updateProject, useStore } from './store.js';

/** The names that `#include` lines of the program ask for and that no text has. */
export function missingIncludes(program: string, includes: readonly TextFile[]): readonly string[] {
  const asked = [...program.matchAll(/^[ \t]*#include[ \t]+(?:"([^"\n]+)"|<([^>\n]+)>|(\S+))/gm)].map(
    ([, quoted, angled, bare]) => quoted ?? angled ?? bare ?? '',
  );
  return [...new Set(asked)].filter((name) => name !== '' && !includes.some((include) => include.name === name));
}

/** Adds a text under the first name that the program asks for, or a new one, and shows it. */
export function addInclude(): void {
  const { program, includes } = useStore.getState().project;
  let name = missingIncludes(program, includes)[0] ?? 'functions.stan';
  for (let k = 2; includes.some((include) => include.name === name); k++) name = `functions-${k}.stan`;
  updateProject({ includes: [...includes, { name, text: '' }] });
  update({ leftTab: `include:${name}`, side: 'left' });
}

/** Puts another text, or another name, in the place of an included one; undefined removes it. */
export function changeInclude(name: string, changed: TextFile | undefined): void {
  const { includes } = useStore.getState().project;
  updateProject({
    includes: includes.flatMap((include) =>
      include.name !== name ? [include] : changed === undefined ? [] : [changed],
    ),
  });
  if (changed === undefined) update({ leftTab: 'program' });
  else if (changed.name !== name) update({ leftTab: `include:${changed.name}` });
}
