/** A run as files in a folder: its texts, its description, and its draws as CmdStan's CSV files. */
import { strFromU8, strToU8 } from 'fflate';
import { type Fit, type FitContents, openFit } from 'leapfrog';
import { readOutputs } from '#engine/formats/program-blocks.js';
import { readChain } from '#engine/library/csv-chains.js';
import { readStop } from '#engine/requests/until.js';
import { addressOf } from '../server/server.js';
import { PROGRAM_FILE } from '../state/file-names.js';
import { fitOf, setFit } from '../state/fits.js';
import { loadFit } from '../state/kept-runs.js';
import type { Run } from '../state/run.js';
import { readLinked } from './linked-run.js';
import { isRecord, readLevels, readProjectParts, readSettings } from './reading.js';
import { type Files, parsed, RUN, textFiles, textsIn, written } from './texts.js';

/** The files of a run. Loads its draws if necessary. Draws of large runs on a server stay there; a file contains their address. */
export async function runFiles(run: Run): Promise<Files> {
  await loadFit(run);
  const isLarge = run.remote?.isLarge === true;
  return {
    ...filesOf(run, isLarge ? undefined : fitOf(run.id)),
    ...(isLarge && {
      [`${folderOf(run)}draws.txt`]: strToU8(`The draws are on the server: ${addressOf(run.remote?.fit ?? '')}\n`),
    }),
  };
}

/** The files of a run with given draws. */
export function filesOf(run: Run, fit: Fit | undefined, significantDigits = 17): Files {
  const folder = folderOf(run);
  const { id: _id, projectId: _projectId, source, ...rest } = run;
  const { chains, ...contents } = fit?.contents() ?? { chains: [] };
  const described = chains.map(({ id, warmup, draws, initial, adapted }) => ({
    id,
    warmup,
    draws,
    adapted,
    initial: initial && [...initial],
  }));
  const { levels, settings, terms } = source;
  const record = { ...rest, levels, terms, settings, ...(fit && { fit: { ...contents, chains: described } }) };
  return {
    ...textFiles(folder, source),
    [`${folder}${RUN}`]: strToU8(written(record)),
    ...Object.fromEntries(
      chains.map(({ id }) => [`${folder}draws_${id}.csv`, strToU8(fit?.csv(id, { significantDigits }) ?? '')]),
    ),
  };
}

function folderOf({ number }: Run): string {
  return `run-${number}/`;
}

/** A run with its draws; undefined if the folder does not contain a run of this page. */
export function readRun(files: Files, folder: string, projectId: string): Run | undefined {
  const record = parsed(files[`${folder}${RUN}`]);
  if (!isRecord(record) || typeof record.number !== 'number') return undefined;
  const settings = readSettings(record.settings);
  if (settings === undefined) return undefined;
  const texts = textsIn(files, folder, `${folder}${PROGRAM_FILE}`);
  const id = crypto.randomUUID();
  const fit = readFit(files, folder, record.fit);
  const stopped = readStop(record.stopped);
  const time = (value: unknown) => (typeof value === 'number' ? value : Date.now());
  const run: Run = {
    id,
    number: record.number,
    projectId,
    source: { ...texts, ...readLevels(record), settings },
    ...(typeof record.name === 'string' && { name: record.name }),
    ...(typeof record.note === 'string' && { note: record.note }),
    ...(record.isPrior === true && { isPrior: true, ...readOriginal(record.original) }),
    status: record.status === 'cancelled' || record.status === 'failed' ? record.status : 'done',
    startedAt: time(record.startedAt),
    endedAt: time(record.endedAt),
    chains: (fit?.chains ?? []).map(({ id }) => ({ id, progress: undefined, isOver: true })),
    log: [],
    draws: 0,
    generated: Array.isArray(record.generated) ? record.generated.filter((name) => typeof name === 'string') : [],
    ...(typeof record.message === 'string' && { message: record.message }),
    ...(stopped !== undefined && { stopped }),
    ...readLinked(record),
  };
  if (fit === undefined) return run;
  const opened = openFit(fit);
  setFit(id, opened);
  return { ...run, draws: opened.draws };
}

/** The program from which a run of the prior derived its own. */
function readOriginal(value: unknown): Pick<Run, 'original'> {
  const { program, includes = [] } = readProjectParts(value);
  return program === undefined ? {} : { original: { program, includes } };
}

function readFit(files: Files, folder: string, described: unknown): FitContents | undefined {
  if (!isRecord(described) || !Array.isArray(described.columns) || !Array.isArray(described.chains)) return undefined;
  const { asked } = described;
  if (!isRecord(asked) || typeof asked.function !== 'string' || !isRecord(asked.arguments)) return undefined;
  const columns = described.columns.filter((name) => typeof name === 'string');
  const chains = described.chains.flatMap((chain: unknown) => {
    if (!isRecord(chain) || typeof chain.id !== 'number' || typeof chain.warmup !== 'number') return [];
    const bytes = files[`${folder}draws_${chain.id}.csv`];
    return (bytes && readChain(strFromU8(bytes), chain.id, chain.warmup, columns)) ?? [];
  });
  const settings = readSettings({ functionName: asked.function, arguments: asked.arguments });
  if (settings === undefined || chains.length === 0) return undefined;
  return {
    program: typeof described.program === 'string' ? described.program : 'model',
    asked: {
      function: settings.functionName,
      arguments: settings.arguments,
      random_seed: typeof asked.random_seed === 'number' ? asked.random_seed : 0,
      created: typeof asked.created === 'string' ? asked.created : new Date().toISOString(),
    },
    outputs: readOutputs(described.outputs),
    columns,
    diagnosticColumns: [],
    chains,
  };
}
