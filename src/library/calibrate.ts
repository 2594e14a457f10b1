import { calibrationChains, calibrationProblems } from '../requests/calibration-request.js';
import type { SampleFields } from '../requests/fit-requests.js';
import { type Calibration, calibrationOf } from '../studies/calibration.js';
import { RequestError } from './errors.js';
import type { RunEvent } from './events.js';
import type { Fit } from './fit.js';
import type { Data } from './requests.js';

/**
 * The fields of simulation-based calibration in addition to those of `sample`, which apply to the single chain of each
 * fit.
 */
export type CalibrationFields = Omit<
  SampleFields<Fit, Data>,
  'num_chains' | 'chain' | 'save' | 'continue' | 'warm_start'
> & {
  /** Number of data sets; 100 by default. */
  readonly simulations?: number;
};

/** The fields of `sample` for a calibration. Throws `RequestError` for fields that a calibration does not support. */
export function calibrationRequest(fields: object, simulations: number): object {
  const problems = calibrationProblems(fields, simulations);
  if (problems.length > 0) throw new RequestError(problems);
  return { ...fields, num_chains: calibrationChains(simulations) };
}

/** Yields the number of data sets whose fits have ended, after each increase. Ends with the run. */
export async function* calibrationProgress(run: AsyncIterable<RunEvent>): AsyncGenerator<number> {
  const done = new Map<number, number>();
  for await (const event of run) {
    if (event.kind !== 'progress') continue;
    done.set(event.chain, event.progress.draws);
    yield [...done.values()].reduce((sum, each) => sum + each, 0);
  }
}

/** The result of a calibration, from its fit, whose draws are ranks. */
export function calibrationIn(fit: Fit): Calibration {
  return calibrationOf(fit.columns.map((name, place) => ({ name, chains: fit.columnAt(place) })));
}
