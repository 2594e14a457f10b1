/** Imports files: projects, programs with their included files, data. The code that reads them is loaded on first use. */

import { filesOf } from '../files/dropped-files.js';
import { reasonOf } from '../reasons.js';
import { openNew, openProject } from '../state/opening.js';
import type { TextFile } from '../state/project.js';
import { notify, update, updateProject, useStore } from '../state/store.js';
import { makeWritable } from '../state/trash.js';
import { t } from '../words/messages.js';

/** The current chooser: browsers may discard an element that nothing refers to, and with it the chosen files. */
let chooser: HTMLInputElement | undefined;

export function openFile(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.multiple = true;
  input.accept = '.zip,.stan,.stanfunctions,.json,.R,.csv,.tsv,.txt,.xlsx,.arrow,.nc';
  input.onchange = () => void takeFiles([...(input.files ?? [])]);
  chooser = input;
  chooser.click();
}

/** Imports the files and folders of a drop or a paste. */
export async function takeTransfer(transfer: DataTransfer): Promise<void> {
  await takeFiles(await filesOf(transfer));
}

/**
 * Imports several files together: each zip file and each program becomes a project, a program with its included files and its data. Without a
 * program, data and included files are added to the open project, and draws become a run of it. Files that cannot be imported are reported.
 */
export async function takeFiles(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const problems: string[] = [];
  const attempt = async (names: string, take: () => Promise<void>): Promise<void> => {
    try {
      await take();
    } catch (error) {
      problems.push(t('files.cannotOpen', { names, reason: reasonOf(error) }));
    }
  };
  const { sortFiles } = await import('../files/sorting-files.js');
  const { archives, programs, includes, data, draws, beside } = await sortFiles(files);
  for (const file of archives) await attempt(file.name, () => takeZip(file));
  for (const { program, includes, data } of programs) {
    openNew({ name: program.name.replace(/\.stan$/i, ''), program: program.text, includes });
    await attempt(namesOf(data), () => takeData(data));
  }
  // These files change the open project.
  if (programs.length === 0 && includes.length + data.length + draws.length > 0) await makeWritable();
  if (includes.length > 0) takeIncludes(includes);
  if (programs.length === 0) await attempt(namesOf(data), () => takeData(data));
  else if (data.length > 0) problems.push(t('files.noProgram', { names: namesOf(data) }));
  if (draws.length > 0) {
    if (programs.length < 2)
      await attempt(namesOf(draws), async () => {
        const { importDraws } = await import('./importing.js');
        problems.push(...(await importDraws(draws)));
      });
    else problems.push(t('files.severalPrograms', { names: namesOf(draws) }));
  }
  if (beside.length > 0) problems.push(t('files.beside', { names: namesOf(beside) }));
  if (problems.length > 0) notify(problems.join(' '));
}

function namesOf(files: readonly { readonly name: string }[]): string {
  return files.map(({ name }) => name).join(', ');
}

async function takeData(files: readonly File[]): Promise<void> {
  if (files.length === 0) return;
  const { takeDataFiles } = await import('../data/taking-files.js');
  await takeDataFiles(files);
}

/** Adds included files to the open project. Files of the same names are replaced. */
function takeIncludes(texts: readonly TextFile[]): void {
  const { id, includes: before } = useStore.getState().project;
  const kept = before.filter(({ name }) => !texts.some((text) => text.name === name));
  updateProject({ includes: [...kept, ...texts] });
  update({ leftTab: `include:${texts[0]?.name}`, side: 'left' });
  notify(t('files.included', { names: namesOf(texts) }), () => {
    if (useStore.getState().project.id === id) updateProject({ includes: before });
    update({ leftTab: 'program' });
  });
}

async function takeZip(file: File): Promise<void> {
  const [{ openZip }, { keepDraws, keepRun }, { judge }] = await Promise.all([
    import('../share/zip.js'),
    import('../state/kept-runs.js'),
    import('../run/starting.js'),
  ]);
  const { project, runs } = await openZip(file, file.name);
  openProject(project);
  update(({ drawsVersion }) => ({ runs, runId: runs[0]?.id, drawsVersion: drawsVersion + 1 }));
  for (const { id } of runs) await keepDraws(id);
  for (const { id } of runs) {
    await judge(id);
    await keepRun(id);
  }
}
