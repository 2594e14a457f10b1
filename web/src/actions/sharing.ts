/** Exports projects. The code that writes them is loaded on first use. */

import type { Fit } from 'leapfrog';
import { saveBlob, saveText } from '../files/saving.js';
import { reasonOf } from '../reasons.js';
import type { NotebookForm, NotebookLanguage } from '../share/notebook.js';
import { fitOf } from '../state/fits.js';
import { nameOf, type Run } from '../state/run.js';
import { currentRun, notify, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/** Maximum length of a link: some programs truncate longer ones. */
const LONGEST_LINK = 30_000;

export async function copyLink(): Promise<void> {
  const { linkTo } = await import('../share/link.js');
  const link = linkTo(useStore.getState().project);
  const { length } = link;
  await copyAddress(link, length > LONGEST_LINK ? t('files.longLinkCopied', { length }) : t('files.linkCopied'));
}

async function copyAddress(link: string, success: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(link);
    notify(success);
  } catch {
    // Without permission to write to the clipboard, the link is in the address bar.
    history.replaceState(null, '', link);
    notify(t('files.linkInAddress'));
  }
}

/** Copies a link with the displayed run, thinned so that it is not too long. */
export async function copyResults(): Promise<void> {
  const state = useStore.getState();
  const run = currentRun(state);
  const [{ linkToResults }, { summaryOf }] = await Promise.all([
    import('../share/results-link.js'),
    import('../state/statistics.js'),
  ]);
  const fit = await loadedFit(run);
  if (run === undefined || fit === undefined) return;
  const found = linkToResults(state.project, run, fit, await summaryOf(run, fit), LONGEST_LINK);
  if ('tooLong' in found) notify(t('files.resultsTooLong', { length: found.tooLong, longest: LONGEST_LINK }));
  else {
    const { draws, link } = found;
    await copyAddress(link, t('files.resultsCopied', { draws, length: link.length }));
  }
}

/** The draws of a run, which are loaded if necessary. */
async function loadedFit(run: Run | undefined): Promise<Fit | undefined> {
  if (run === undefined) return undefined;
  const { loadFit } = await import('../state/kept-runs.js');
  await loadFit(run);
  return fitOf(run.id);
}

/** Copies HTML that embeds the project in another page. */
export async function copyEmbedding(): Promise<void> {
  const { linkTo } = await import('../share/link.js');
  const { project } = useStore.getState();
  const frame = document.createElement('iframe');
  frame.src = linkTo(project, '?embed');
  frame.title = project.name;
  frame.width = '100%';
  frame.height = '480';
  frame.allow = 'clipboard-write';
  try {
    await navigator.clipboard.writeText(frame.outerHTML);
  } catch {
    notify(t('files.clipboardRefused'));
    return;
  }
  notify(t((await isEmbeddable()) ? 'files.embeddingCopied' : 'files.embeddingRefused'));
}

/** Whether the server's headers allow some other page to embed this one; true if they cannot be read. */
async function isEmbeddable(): Promise<boolean> {
  try {
    const { headers } = await fetch(location.pathname, { method: 'HEAD' });
    return !/frame-ancestors 'none'/.test(headers.get('content-security-policy') ?? '');
  } catch {
    return true;
  }
}

/** Opens the project of an embedded page in a separate page. */
export async function openWhole(): Promise<void> {
  const { linkTo } = await import('../share/link.js');
  open(linkTo(useStore.getState().project), '_blank', 'noopener');
}

export async function saveZip(): Promise<void> {
  const { project, runs } = useStore.getState();
  const { zipOf } = await import('../share/zip.js');
  const large = runs.filter(({ remote }) => remote?.isLarge === true).map(nameOf);
  if (large.length > 0) {
    notify(t('files.tooLarge', { runs: large.join(', ') }));
  }
  saveBlob(await zipOf(project, runs), `${fileName(project.name)}.zip`);
}

/** Saves the verdict, the summary and the plots of the displayed run as one HTML file. */
export async function saveReport(): Promise<void> {
  const state = useStore.getState();
  const run = currentRun(state);
  const { reportOf } = await import('../share/run-report.js');
  const fit = await loadedFit(run);
  if (run === undefined || fit === undefined) return;
  const { name } = state.project;
  saveText(await reportOf(run, fit, name), `${fileName(name)}.html`, 'text/html');
}

/** Saves the results of the displayed run as a PNG picture. */
export async function savePicture(): Promise<void> {
  const state = useStore.getState();
  const run = currentRun(state);
  const [{ pictureOf }, { savePng }] = await Promise.all([
    import('../share/run-picture.js'),
    import('../plots/saving-plots.js'),
  ]);
  const fit = await loadedFit(run);
  if (run === undefined || fit === undefined) return;
  await savePng({ plot: await pictureOf(run, fit, state.project.name), density: DENSITY });
}

/** Pixels per unit of a picture, for screens with many of them. */
const DENSITY = 2;

/** Saves a notebook that repeats the run with the package for Python or R. */
export async function saveNotebook(language: NotebookLanguage, form: NotebookForm): Promise<void> {
  const { project } = useStore.getState();
  const { EXTENSIONS, notebookText } = await import('../share/notebook.js');
  try {
    const text = notebookText(project, language, form);
    saveText(text, `${fileName(project.name)}.${EXTENSIONS[form]}`, 'text/plain');
  } catch (error) {
    notify(t('files.notebookProblem', { reason: reasonOf(error) }));
  }
}

function fileName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'project';
}
