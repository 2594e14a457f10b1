/** Links that contain a run: the files of a zip file, with some of the draws. */
import { strFromU8, strToU8 } from 'fflate';
import type { Fit } from 'leapfrog';
import { emptyProject, type Project } from '../state/project.js';
import type { QuantitySummary } from '../state/quantity-summary.js';
import type { Run } from '../state/run.js';
import { linkedRun } from './linked-run.js';
import { packed, RESULTS } from './packing.js';
import { type OpenedFiles, openFiles, projectFiles } from './project-files.js';
import { isRecord } from './reading.js';
import { filesOf } from './run-files.js';

/** Numbers of draws that a link may contain, in all chains. */
const THINNED = [60, 120, 250, 500, 1000];
/** Significant digits of these draws. */
const DIGITS = 4;

/** A link, or the length in characters of the shortest possible one, which is too long. */
type LinkToResults = { readonly link: string; readonly draws: number } | { readonly tooLong: number };

/**
 * The address of this page with the project and a run: its summary, its findings, and as many of its draws as fit into `longest` characters.
 */
export function linkToResults(
  project: Project,
  run: Run,
  fit: Fit,
  summaries: readonly QuantitySummary[],
  longest: number,
): LinkToResults {
  const shared = linkedRun(run, fit, summaries);
  let found: LinkToResults = { tooLong: longest };
  // The shortest first: longer ones of a large run would block the page.
  for (const most of THINNED) {
    const thinned = fit.thin(most);
    const files = { ...projectFiles(project), ...filesOf(shared, thinned, DIGITS) };
    const texts = Object.fromEntries(Object.entries(files).map(([path, bytes]) => [path, strFromU8(bytes)]));
    const link = `${location.origin}${location.pathname}${RESULTS}${packed(texts)}`;
    if (link.length > longest) return 'link' in found ? found : { tooLong: link.length };
    found = { link, draws: thinned.draws * thinned.chains.length };
  }
  return found;
}

/** The project with its run in the contents of a link; undefined if they have no program. */
export function resultsIn(texts: unknown): OpenedFiles | undefined {
  if (!isRecord(texts)) return undefined;
  const files = Object.entries(texts).flatMap(([path, text]) =>
    typeof text === 'string' ? [[path, strToU8(text)] as const] : [],
  );
  return openFiles(Object.fromEntries(files), emptyProject().name);
}
