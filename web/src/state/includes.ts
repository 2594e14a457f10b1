/** Files that the program includes. */
import { t } from '../words/messages.js';
import type { TextFile } from './project.js';
import { notify, update, updateProject, useStore } from './store.js';

/** Names in `#include` lines of the program for which no file exists. */
export function missingIncludes(program: string, includes: readonly TextFile[]): readonly string[] {
  const asked = [...program.matchAll(/^[ \t]*#include[ \t]+(?:"([^"\n]+)"|<([^>\n]+)>|(\S+))/gm)].map(
    ([, quoted, angled, bare]) => quoted ?? angled ?? bare ?? '',
  );
  return [...new Set(asked)].filter((name) => name !== '' && !includes.some((include) => include.name === name));
}

/** Adds a file with the first missing name, or a new one, and shows it. */
export function addInclude(): void {
  const { program, includes } = useStore.getState().project;
  let name = missingIncludes(program, includes)[0] ?? 'functions.stan';
  for (let k = 2; includes.some((include) => include.name === name); k++) name = `functions-${k}.stan`;
  updateProject({ includes: [...includes, { name, text: '' }] });
  update({ leftTab: `include:${name}`, side: 'left' });
}

/** Replaces the text or the name of an included file. */
export function changeInclude(name: string, changed: TextFile): void {
  const { includes } = useStore.getState().project;
  updateProject({ includes: includes.map((include) => (include.name === name ? changed : include)) });
  if (changed.name !== name) update({ leftTab: `include:${changed.name}` });
}

/** Removes an included file; a notice offers to undo it. */
export function removeInclude(name: string): void {
  const { id, includes } = useStore.getState().project;
  const removed = includes.find((include) => include.name === name);
  if (removed === undefined) return;
  updateProject({ includes: includes.filter((include) => include !== removed) });
  update({ leftTab: 'program' });
  notify(t('write.includeRemoved', { name }), () => {
    const { project } = useStore.getState();
    if (project.id !== id || project.includes.some((include) => include.name === name)) return;
    updateProject({ includes: [...project.includes, removed] });
    update({ leftTab: `include:${name}`, side: 'left' });
  });
}
