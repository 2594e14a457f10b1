/** A project as a link. Its texts and settings are in the fragment, which browsers do not send to servers. */
import { emptyProject, type Project } from '../state/project.js';
import { packed, RESULTS, unpacked } from './packing.js';
import type { OpenedFiles } from './project-files.js';
import { readProjectParts } from './reading.js';

const KEY = '#project=';

/** The address of this page with the project in it; `query` is empty, or `?embed` for embedding. */
export function linkTo(project: Project, query: '' | '?embed' = ''): string {
  const { name, about, program, includes, data, levels, terms, settings, script, lesson } = project;
  const parts = { name, about, program, includes, data, levels, terms, settings, script, lesson };
  return `${location.origin}${location.pathname}${query}${KEY}${packed(parts)}`;
}

/** The project in a fragment, with its runs; undefined if there is no project, or it is damaged. */
export async function projectIn(fragment: string): Promise<OpenedFiles | undefined> {
  try {
    if (fragment.startsWith(KEY)) {
      const parts = readProjectParts(unpacked(fragment.slice(KEY.length)));
      return { project: { ...emptyProject(), ...parts }, runs: [] };
    }
    if (!fragment.startsWith(RESULTS)) return undefined;
    const { resultsIn } = await import('./results-link.js');
    return resultsIn(unpacked(fragment.slice(RESULTS.length)));
  } catch {
    return undefined;
  }
}
