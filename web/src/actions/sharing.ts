/** Exports projects. The code that writes them is loaded on first use. */
import { saveBlob, saveText } from '../files/saving.js';
import { reasonOf } from '../reasons.js';
import type { NotebookForm, NotebookLanguage } from '../share/notebook.js';
import { nameOf } from '../state/run.js';
import { notify, useStore } from '../state/store.js';

/** Maximum length of a link: some programs truncate longer ones. */
const LONGEST_LINK = 30_000;

export async function copyLink(): Promise<void> {
  const { linkTo } = await import('../share/link.js');
  const link = linkTo(useStore.getState().project);
  try {
    await navigator.clipboard.writeText(link);
    const isLong = link.length > LONGEST_LINK;
    notify(
      `The link is in the clipboard. It contains the program, the data and the settings${isLong ? `. Its ${link.length} characters are too long for some programs; a zip file is safer` : ''}.`,
    );
  } catch {
    // Without permission to write to the clipboard, the link is in the address bar.
    history.replaceState(null, '', link);
    notify('The link is in the address bar. Copy it from there.');
  }
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
    notify('HTML for an iframe with this project is in the clipboard.');
  } catch {
    notify('The browser does not allow the page to write to the clipboard.');
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
    notify(
      `The draws of ${large.join(', ')} are too large for the zip file. They stay on the server, and the file contains their address. The Draws tab saves them chain by chain.`,
    );
  }
  saveBlob(await zipOf(project, runs), `${fileName(project.name)}.zip`);
}

/** Saves a notebook that repeats the run with the package for Python or R. */
export async function saveNotebook(language: NotebookLanguage, form: NotebookForm): Promise<void> {
  const { project } = useStore.getState();
  const { EXTENSIONS, notebookText } = await import('../share/notebook.js');
  try {
    const text = notebookText(project, language, form);
    saveText(text, `${fileName(project.name)}.${EXTENSIONS[form]}`, 'text/plain');
  } catch (error) {
    notify(`A notebook cannot be made: ${reasonOf(error)}.`);
  }
}

function fileName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'project';
}
