/** Simulation-based calibration of the current program, in this browser or on the server. */

import type { Calibration } from 'leapfrog';
import type { CalibrationRequest } from '#engine/client/index.js';
import { reasonOf } from '../reasons.js';
import { cancelWith, serverClient } from '../server/server.js';
import type { Calibrating } from '../state/calibrating.js';
import type { Project } from '../state/project.js';
import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { modelOf } from './compiled.js';
import { calibratedArguments, isRequest, samplerFields } from './functions.js';

let stop: AbortController | undefined;

export function cancelCalibration(): void {
  stop?.abort();
  update({ calibration: undefined });
}

/** Calibrates the current program with the current sampler, until it ends or is cancelled. */
export async function startCalibration(simulations: number): Promise<void> {
  stop?.abort();
  const own = new AbortController();
  stop = own;
  const { place, project, server } = useStore.getState();
  const isCurrent = () => {
    if (useStore.getState().project.id !== project.id) own.abort();
    return stop === own && !own.signal.aborted;
  };
  const show = (change: Partial<Calibrating>) =>
    isCurrent() &&
    update(({ calibration }) => ({
      calibration: { ...(calibration ?? { simulations, done: 0, isRunning: true }), ...change },
    }));
  update({ calibration: { simulations, done: 0, isRunning: true } });
  const onProgress = (done: number) => show({ done });
  try {
    const calibrate = place === 'server' && server === 'ready' ? calibrateOnServer : calibrateInBrowser;
    show({ isRunning: false, result: await calibrate(project, simulations, own.signal, onProgress) });
  } catch (error) {
    show({ isRunning: false, problem: reasonOf(error) });
  }
}

type Calibrate = (
  project: Project,
  simulations: number,
  signal: AbortSignal,
  onProgress: (done: number) => void,
) => Promise<Calibration>;

const calibrateInBrowser: Calibrate = async (project, simulations, signal, onProgress) => {
  const { calibrationIn, calibrationProgress } = await import('leapfrog');
  const model = await modelOf(project);
  const fields = { ...samplerFields(project.settings), data: project.data, simulations };
  const run = model.startSbc(fields, { signal });
  for await (const done of calibrationProgress(run)) onProgress(done);
  return calibrationIn(await run.result());
};

const calibrateOnServer: Calibrate = async (project, simulations, signal, onProgress) => {
  const { data, includes, program, settings } = project;
  const texts = Object.fromEntries(includes.map(({ name, text }) => [name, text]));
  const model = await serverClient().compile(program, { includes: texts });
  const { functionName, given } = calibratedArguments(settings);
  const request = { ...given, function: functionName, data, simulations };
  if (!isRequest<CalibrationRequest & { readonly function: string }>(request))
    throw new Error(t('runs.noFunction', { name: functionName }));
  const started = await model.sbc(request);
  cancelWith(signal, started);
  await started.wait({
    interval: INTERVAL,
    onProgress: ({ metadata }) => onProgress((metadata?.chains ?? []).reduce((sum, { draws = 0 }) => sum + draws, 0)),
  });
  const { band, divergent_fits, greatest_rank, ok, places, quantities, statements, text } = await started.sbc();
  const counts = { simulations, divergentFits: divergent_fits, greatestRank: greatest_rank };
  return { band, ...counts, message: text, ok, places, quantities, statements };
};

/** Milliseconds between two requests for progress. */
const INTERVAL = 250;
