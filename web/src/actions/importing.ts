/**
 * Imports draws from other programs as a run of the open project: CSV files of CmdStan, CmdStanPy and cmdstanr, Arrow files of the command line and
 * the server, netCDF files of ArviZ, and fits that were saved in Python and R.
 */

import { type FitContents, openFit } from 'leapfrog';
import {
  columnFile,
  csvFile,
  type FoundChains,
  importedContents,
  importRemarks,
} from '#engine/library/imported-draws.js';
import { isArrow, isNetcdf } from '../files/sorting-files.js';
import { analyzeNow } from '../language/analysis.js';
import { reasonOf } from '../reasons.js';
import { judge } from '../run/starting.js';
import { readSettings } from '../share/reading.js';
import { setFit } from '../state/fits.js';
import { keepProject } from '../state/keeping.js';
import { keepDraws, keepRun } from '../state/kept-runs.js';
import { openNew } from '../state/opening.js';
import { inputsOf } from '../state/project.js';
import type { Run } from '../state/run.js';
import { update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

/**
 * Each file contains one or more chains. Resolves to remarks about the files. Throws an `Error` if a file is malformed or has different
 * columns.
 */
export async function importDraws(files: readonly File[]): Promise<readonly string[]> {
  const found: FoundChains[] = [];
  for (const file of files) {
    const read = await readFile(file, found.flatMap(({ chains }) => chains).length + 1).catch((error: unknown) => {
      throw files.length === 1 ? error : new Error(t('files.reasonIn', { file: file.name, reason: reasonOf(error) }));
    });
    if (found.length > 0 && read.columns.join() !== found[0].columns.join())
      throw new Error(t('files.columnsDiffer', { file: file.name, first: found[0].path }));
    found.push(read);
  }
  const [first] = found;
  if (first === undefined) return [];
  openProjectOf(first);
  nameProject(found);
  await analyzeNow();
  const created = new Date(files[0].lastModified).toISOString();
  const fit = openFit(importedContents(found, created, declaredOutputs()));
  const { project, runs, report } = useStore.getState();
  const { function: functionName, arguments: given } = fit.asked;
  const settings = readSettings({ functionName, arguments: given }) ?? { functionName, arguments: {} };
  const run: Run = {
    id: crypto.randomUUID(),
    number: (runs[0]?.number ?? 0) + 1,
    projectId: project.id,
    source: { ...inputsOf(project), settings },
    importedFrom: files.map(({ name }) => name),
    status: 'done',
    startedAt: files[0].lastModified,
    endedAt: files[0].lastModified,
    chains: fit.chains.map(({ id }) => ({ id, progress: undefined, isOver: true })),
    log: [],
    draws: fit.draws,
    generated: Object.keys(report?.info?.['generated quantities'] ?? {}),
  };
  setFit(run.id, fit);
  update(({ drawsVersion }) => ({
    runs: [run, ...runs],
    runId: run.id,
    side: 'right',
    rightTab: 'verdict',
    drawsVersion: drawsVersion + 1,
  }));
  void keepProject();
  await keepDraws(run.id);
  await judge(run.id);
  await keepRun(run.id);
  return importRemarks(found);
}

async function readFile(file: File, firstId: number): Promise<FoundChains> {
  const path = file.name;
  if (isArrow(file)) {
    const [{ tableFromIPC }, { arrowDraws }] = await Promise.all([
      import('apache-arrow'),
      import('#engine/fits/arrow-draws.js'),
    ]);
    const draws = arrowDraws(tableFromIPC(new Uint8Array(await file.arrayBuffer())));
    if (!draws.columns.includes('lp__')) throw new Error(t('files.noDensity'));
    return columnFile(path, draws, firstId);
  }
  if (isNetcdf(file)) {
    const [{ File: Hdf5File }, { arvizDraws }] = await Promise.all([
      import('jsfive'),
      import('#engine/fits/arviz-draws.js'),
    ]);
    return columnFile(path, arvizDraws(new Hdf5File(await file.arrayBuffer(), path)), firstId);
  }
  const found = csvFile(path, await file.text(), firstId);
  if (found.chains.every(({ values }) => values.length === 0)) throw new Error(t('files.noRows'));
  return found;
}

/** Opens the program and the data of a saved fit as a project, unless the open project has this program. */
function openProjectOf({ path, saved }: FoundChains): void {
  const { source, data } = saved ?? {};
  if (source === undefined || source.program === useStore.getState().project.program) return;
  const includes = Object.entries(source.includes).map(([name, text]) => ({ name, text }));
  openNew({
    name: path.replace(/\.[^.]+$/, ''),
    program: source.program,
    includes,
    ...(data !== undefined && { data }),
  });
}

/** Names and describes a project without a program by its draws, because an empty project is not stored. */
function nameProject(found: readonly FoundChains[]): void {
  const { about, program, name } = useStore.getState().project;
  if (program.trim() !== '' || about !== '') return;
  const model = found[0]?.origin.program;
  updateProject({
    name: model ?? name,
    about: t('files.drawsFrom', { files: found.map(({ path }) => path).join(', ') }),
  });
}

const BLOCKS = ['parameters', 'transformed parameters', 'generated quantities'] as const;

/** The declared outputs of the program in the page; empty without a program. */
function declaredOutputs(): FitContents['outputs'] {
  const info = useStore.getState().report?.info;
  if (info === undefined) return [];
  return BLOCKS.flatMap((block) => Object.keys(info[block]).map((name) => ({ name, block })));
}
