/**
 * Imports draws from other programs as a run of the open project: CSV files of CmdStan, CmdStanPy and cmdstanr, Arrow files of the command line and
 * the server, netCDF files of ArviZ.
 */

import { type FitChain, type FitContents, openFit } from 'leapfrog';
import { csvRequest } from '#engine/run/csv-request.js';
import { csvOrigin, differencesOf, fingerprintOf, type Origin } from '#engine/run/draw-origins.js';
import type { DrawsFile } from '#engine/run/draws-file.js';
import { countLeadingRows } from '#engine/run/leading-rows.js';
import { readChains } from '../files/chain-csv.js';
import { isArrow, isNetcdf } from '../files/sorting-files.js';
import { analyzeNow } from '../language/analysis.js';
import { reasonOf } from '../reasons.js';
import { judge } from '../run/starting.js';
import { readSettings } from '../share/reading.js';
import { setFit } from '../state/fits.js';
import { keepProject } from '../state/keeping.js';
import { keepDraws, keepRun } from '../state/kept-runs.js';
import type { RunSettings } from '../state/project.js';
import type { Run } from '../state/run.js';
import { update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';

interface FoundChains {
  readonly path: string;
  readonly columns: readonly string[];
  readonly chains: readonly FitChain[];
  readonly request: { readonly function: string | undefined; readonly arguments: Readonly<Record<string, unknown>> };
  readonly origin: Origin;
  readonly warnings: readonly string[];
}

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
  nameProject(found);
  await analyzeNow();
  const settings = settingsOf(first);
  const fit = openFit(contentsOf(found, settings, files[0].lastModified));
  const { project, runs, report } = useStore.getState();
  const { program, includes, data } = project;
  const run: Run = {
    id: crypto.randomUUID(),
    number: (runs[0]?.number ?? 0) + 1,
    projectId: project.id,
    source: { program, includes, data, settings },
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
  return [
    ...differencesOf(found.flatMap(separately)),
    ...found.flatMap(({ path, warnings }) => warnings.map((text) => `${path}: ${text}.`)),
  ];
}

/** The chains of a file, each with its file's origin. */
function separately({ path, origin, columns, chains }: FoundChains) {
  return chains.map(({ draws, values }) => {
    const { length } = columns;
    const rows = [values.subarray(0, length), values.subarray(Math.max(length, values.length - length))];
    return { path, origin, draws, fingerprint: fingerprintOf(columns, rows) };
  });
}

async function readFile(file: File, firstId: number): Promise<FoundChains> {
  const path = file.name;
  if (isArrow(file)) {
    const [{ tableFromIPC }, { arrowDraws }] = await Promise.all([
      import('apache-arrow'),
      import('#engine/run/arrow-draws.js'),
    ]);
    const draws = arrowDraws(tableFromIPC(new Uint8Array(await file.arrayBuffer())));
    if (!draws.columns.includes('lp__')) throw new Error(t('files.noDensity'));
    return columnChains(path, draws, firstId);
  }
  if (isNetcdf(file)) {
    const [{ File: Hdf5File }, { arvizDraws }] = await Promise.all([
      import('jsfive'),
      import('#engine/run/arviz-draws.js'),
    ]);
    return columnChains(path, arvizDraws(new Hdf5File(await file.arrayBuffer(), path)), firstId);
  }
  const { chains, columns, head, warnings } = readChains(await file.text(), firstId);
  if (chains.every(({ values }) => values.length === 0)) throw new Error(t('files.noRows'));
  return { path, columns, chains, request: csvRequest(head), origin: csvOrigin(head, chains.length), warnings };
}

function columnChains(path: string, file: DrawsFile, firstId: number): FoundChains {
  const { columns, origin, request, warnings } = file;
  const chains = file.chains.map((chain, index): FitChain => {
    const rows = columns.length === 0 ? 0 : chain.values.length / columns.length;
    const warmup = Math.min(rows, chain.warmup + countLeadingRows(chain.leadingRows, rows));
    return {
      id: firstId + index,
      warmup,
      draws: rows - warmup,
      values: chain.values,
      comments: [],
      diagnostics: new Float64Array(),
      initial: undefined,
      adapted: undefined,
    };
  });
  const [only, ...others] = file.chains;
  const chain = others.length === 0 && only !== undefined ? `${only.id}` : undefined;
  return { path, columns, chains, request, origin: { ...origin, chain }, warnings };
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

function contentsOf(found: readonly FoundChains[], settings: RunSettings, time: number): FitContents {
  const [{ columns, origin, request }] = found;
  const { random_seed } = request.arguments;
  return {
    program: origin.program ?? 'model',
    asked: {
      function: settings.functionName,
      arguments: settings.arguments,
      random_seed: typeof random_seed === 'number' ? random_seed : 0,
      created: new Date(time).toISOString(),
    },
    outputs: declaredOutputs(),
    columns,
    diagnosticColumns: [],
    chains: found.flatMap(({ chains }) => chains),
  };
}

/** The settings in the comments; without them, those of NUTS if the draws have its columns, otherwise those of independent draws. */
function settingsOf({ request, columns }: FoundChains): RunSettings {
  const fallback = columns.includes('treedepth__') ? 'hmc_nuts_diag_e_adapt' : 'fixed_param';
  const functionName = request.function ?? `stan::services::sample::${fallback}`;
  return readSettings({ functionName, arguments: request.arguments }) ?? { functionName, arguments: {} };
}

const BLOCKS = ['parameters', 'transformed parameters', 'generated quantities'] as const;

/** The declared outputs of the program in the page; empty without a program. */
function declaredOutputs(): FitContents['outputs'] {
  const info = useStore.getState().report?.info;
  if (info === undefined) return [];
  return BLOCKS.flatMap((block) => Object.keys(info[block]).map((name) => ({ name, block })));
}
