/** Opens the files in the page's address. */

import { reasonOf } from '../reasons.js';
import { fetchFile, type LinkedFile, linkedFiles, withoutFiles } from '../share/addresses.js';
import { notify, update } from '../state/store.js';
import { t } from '../words/messages.js';
import { takeFiles } from './taking.js';

/** Opens files of the page's own server at once, and files of other servers after confirmation. */
export function openLinked(): void {
  const files = filesInAddress();
  if (files.length === 0) return;
  if (files.every(({ source }) => source.origin === location.origin)) void fetchLinked(files);
  else update({ overlay: 'linked' });
}

/** If the link is malformed, shows a notice and returns an empty list. */
export function filesInAddress(): readonly LinkedFile[] {
  try {
    return linkedFiles(new URL(location.href));
  } catch (error) {
    forgetLinked();
    notify(t('files.linkProblem', { reason: reasonOf(error) }));
    return [];
  }
}

/** Fetches the files and opens them as if they had been dropped on the page. */
export async function fetchLinked(files: readonly LinkedFile[]): Promise<void> {
  forgetLinked();
  try {
    await takeFiles(await Promise.all(files.map(fetchFile)));
  } catch (error) {
    notify(`${reasonOf(error)}.`);
  }
}

/** Removes the files from the page's address, so that reloading the page does not open them again. */
export function forgetLinked(): void {
  history.replaceState(null, '', withoutFiles(new URL(location.href)));
}
