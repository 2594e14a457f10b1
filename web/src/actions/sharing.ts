/** Projects that leave the page. What writes them is loaded with the first one. */
import { saveBlob } from '../files/saving.js';
import { nameOf } from '../state/run.js';
import { notify, useStore } from '../state/store.js';

/** Links that are longer are cut off by some programs that pass them on. */
const LONGEST_LINK = 30_000;

export async function copyLink(): Promise<void> {
  const { linkTo } = await import('../share/link.js');
  const link = linkTo(useStore.getState().project);
  try {
    await navigator.clipboard.writeText(link);
    const isLong = link.length > LONGEST_LINK;
    notify(
      `The link is in the clipboard. It holds the program, the data and the settings${isLong ? `; with ${link.length} characters it is too long for some programs: a zip file is safer` : ''}.`,
    );
  } catch {
    // Without leave to write to the clipboard, the address bar has the link.
    history.replaceState(null, '', link);
    notify('The link is in the address bar: copy it from there.');
  }
}

export async function saveZip(): Promise<void> {
  const { project, runs } = useStore.getState();
  const { zipOf } = await import('../share/zip.js');
  const large = runs.filter(({ remote }) => remote?.isLarge === true).map(nameOf);
  if (large.length > 0) {
    notify(
      `The draws of ${large.join(', ')} are too many for the zip file: they stay on the server, and the file has their address. The tab Draws saves them chain by chain.`,
    );
  }
  saveBlob(await zipOf(project, runs), `${fileName(project.name)}.zip`);
}

function fileName(name: string): string {
  return name.trim().replace(/[^\p{L}\p{N}._-]+/gu, '-') || 'project';
}
