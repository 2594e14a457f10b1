import { createRng } from '../inference/random/random-stream.js';
import type { SampleFields } from '../run/fit-requests.js';
import {
  type Calibration,
  concludeCalibration,
  PRIOR_THINNING,
  parametersIn,
  rankOf,
  SimulatedData,
} from './calibration.js';
import { RequestError, RunError } from './errors.js';
import type { Fit } from './fit.js';
import type { RunOptions } from './model.js';
import type { Data } from './requests.js';
import type { Run } from './run.js';

export type { Calibration };

/** The fields of simulation-based calibration; others are those of `sample`, with one chain for each fit. */
export type CalibrationFields = Omit<
  SampleFields<Fit, Data>,
  'num_chains' | 'chain' | 'save' | 'continue' | 'warm_start'
> & {
  /** Number of data sets; 100 unless given. */
  readonly simulations?: number;
};

/** The methods of a model that calibration uses. */
interface Calibrated {
  prior(fields: SampleFields<Fit, Data>, options: RunOptions): Run;
  predict(
    fields: {
      readonly fitted_params: Fit;
      readonly data: string;
      readonly random_seed: number;
      readonly refresh: number;
    },
    options: RunOptions,
  ): Run;
  sample(fields: SampleFields<Fit, Data>, options: RunOptions): Run;
}

interface Request {
  readonly data: string;
  readonly random_seed: number;
  readonly simulations: number;
  readonly fields: SampleFields<Fit, Data>;
}

const PRIOR_CHAINS = 4;
/** Minimum number of draws of each chain from the prior, so that its convergence can be judged. */
const FEWEST_PRIOR_DRAWS = 100;
/** Maximum number of draws of a fit that are counted. */
const MOST_COUNTED = 100;
/** Number of data sets that are fitted concurrently. */
const FITS_AT_ONCE = 8;

/** Draws from the prior, simulates data and fits them. */
export async function calibrate(
  model: Calibrated,
  { data, fields, random_seed, simulations }: Request,
  parameters: ReadonlySet<string>,
  options: RunOptions,
): Promise<Calibration> {
  if (!Number.isInteger(simulations) || simulations < 10) {
    throw new RequestError([{ field: 'simulations', message: 'must be an integer of at least 10' }]);
  }
  const quiet = { ...options, diagnostics: false };
  const perChain = Math.ceil(simulations / PRIOR_CHAINS);
  const priorDraws = Math.max(FEWEST_PRIOR_DRAWS, perChain);
  const prior = await model
    .prior(
      {
        data,
        random_seed,
        num_chains: PRIOR_CHAINS,
        num_samples: priorDraws * PRIOR_THINNING,
        num_thin: PRIOR_THINNING,
        refresh: 0,
      },
      quiet,
    )
    .result();
  await refuseUnreliable(prior);
  const replicated = await model.predict({ fitted_params: prior, data, random_seed, refresh: 0 }, quiet).result();
  const simulated = new SimulatedData(data, replicated.columns);
  const names = parametersIn(prior, parameters);
  const ranks = new Map(names.map((name) => [name, new Array<number>(simulations).fill(0)]));
  let greatestRank = 0;
  const fitOne = async (index: number): Promise<void> => {
    const [chain, draw] = [
      index % PRIOR_CHAINS,
      Math.floor((Math.floor(index / PRIOR_CHAINS) * priorDraws) / perChain),
    ];
    const own = simulated.text((column) => replicated.columnAt(column)[chain][draw]);
    const seed = (random_seed + 1 + index) % 2 ** 32;
    const fit = await model
      .sample({ ...fields, data: own, num_chains: 1, random_seed: seed, refresh: 0 }, quiet)
      .result();
    const thinning = Math.max(1, Math.ceil(fit.draws / MOST_COUNTED));
    greatestRank = Math.floor(fit.draws / thinning);
    const rng = createRng(seed, 1);
    for (const name of names) {
      const draws = fit.column(name)[0].filter((_, k) => (k + 1) % thinning === 0);
      const each = ranks.get(name);
      if (each !== undefined) each[index] = rankOf(prior.column(name)[chain][draw], draws, rng.uniform());
    }
  };
  let next = 0;
  const work = async () => {
    while (next < simulations) await fitOne(next++);
  };
  await Promise.all(Array.from({ length: Math.min(FITS_AT_ONCE, simulations) }, work));
  return concludeCalibration(ranks, greatestRank);
}

/** Above this R-hat, a prior has not been explored; a few good draws have less. */
const MOST_RHAT = 1.2;

/** Rejects draws of a prior that is improper or too hard to sample. */
async function refuseUnreliable(prior: Fit): Promise<void> {
  const wrong = (await prior.summary()).filter(({ rhat }) => rhat > MOST_RHAT);
  if (wrong.length === 0) return;
  const named = wrong.slice(0, 3).map(({ name, rhat }) => `${name} (${rhat.toFixed(2)})`);
  throw new RunError(
    `Data cannot be simulated, because the chains that draw from the prior distribution do not agree: R-hat is too high for ${named.join(', ')}. ` +
      'Give each parameter a proper prior that is easy to sample.',
  );
}
