/**
 * One chain of simulation-based calibration (S. Talts, M. Betancourt, D. Simpson, A. Vehtari and A. Gelman, "Validating Bayesian inference
 * algorithms with simulation-based calibration", 2018). It draws parameters from the prior, simulates its share of data sets, fits each of them, and
 * returns the ranks of the parameters among the draws of their fits.
 *
 * All programs run with the seed of the request, so that random numbers in transformed data are equal, but with different streams. Each
 * chain repeats the draws from the prior, which are cheap, so that results do not depend on the number of chains.
 */

import type { DrawCollector } from '../chain/draw-collector.js';
import { storedDraws } from '../chain/memory-draws.js';
import type { ModelHost } from '../chain/model-host.js';
import { refused } from '../chain/refusal.js';
import type { CalibrationShare, RunOutcome, RunRequest, RunSink } from '../chain/request.js';
import { divergencesOf, ShareRuns, type Unfinished } from '../chain/share-runs.js';
import { withoutWarmup } from '../chain/without-warmup.js';
import { summariesOf } from '../fits/statistics.js';
import { displayName, quantitiesIn, variableOf } from '../formats/columns.js';
import { createRng } from '../inference/random/random-stream.js';
import { CALIBRATION_COLUMNS, rankOf, SimulatedData } from './calibration.js';
import { PRIOR_ARGUMENTS, PRIOR_SAMPLER } from './calibration-prior.js';

const GENERATOR = 'standalone_generate';
const PRIOR_CHAINS = 4;
/** Number of iterations per used draw from the prior, because consecutive draws are not independent. */
const PRIOR_THINNING = 10;
/** Minimum number of draws per chain from the prior, so that its convergence can be assessed. */
const FEWEST_PRIOR_DRAWS = 100;
/** Maximum R-hat of chains that agree on the prior. A few independent draws are below it. */
const MOST_RHAT = 1.2;
/** Maximum number of draws of a fit that are counted. */
const MOST_COUNTED = 100;
/** Number of random streams per simulation: for data, the fit, and ranks among equal values. */
const STREAMS = 3;

type Request = RunRequest & { readonly calibration: CalibrationShare };

/** Throws for internal faults, for errors of the sink, and errors that `refusalOf` recognizes. */
export function calibrateShare(host: ModelHost, functionName: string, request: Request, sink: RunSink): RunOutcome {
  const parameters = host.outputs(request.model.artifact).filter(({ block }) => block === 'parameters');
  const save = [...new Set(parameters.map(({ name }) => variableOf(name)))];
  if (save.length === 0) return refused('The program has no parameters to calibrate.');
  const runs = new ShareRuns(host, request);
  const { chains, prior, simulations } = request.calibration;
  const perChain = Math.ceil(simulations / PRIOR_CHAINS);
  const count = Math.max(FEWEST_PRIOR_DRAWS, perChain);
  const settings = { ...PRIOR_ARGUMENTS, num_samples: count * PRIOR_THINNING, num_thin: PRIOR_THINNING, refresh: 0 };
  const priors: DrawCollector[] = [];
  for (let chain = 1; chain <= PRIOR_CHAINS; chain++) {
    const given = { ...settings, chain };
    const { drawn, outcome } = runs.run(PRIOR_SAMPLER, { model: prior, arguments: given, inputs: {}, chain, save });
    if (outcome.kind !== 'finished') return outcome;
    priors.push(drawn);
  }
  const unreliable = unreliableColumns(priors);
  if (unreliable.length > 0) {
    return refused(
      `Data cannot be simulated, because the chains that draw from the prior distribution do not agree: R-hat is too high for ${unreliable.join(', ')}. ` +
        'Give each parameter a proper prior that is easy to sample.',
    );
  }

  const [{ names }] = priors;
  const quantities = names.filter((name) => save.includes(variableOf(name)));
  const opened = sink.open({ drawNames: [...CALIBRATION_COLUMNS, ...quantities], diagnosticNames: [] });
  const { index } = request;
  const total = Math.ceil((simulations - index) / chains);
  const report = runs.progress('Simulation', total, opened);
  let divergences = 0;
  for (let done = 1; done <= total; done++) {
    const simulation = index + (done - 1) * chains;
    const { rows } = priors[simulation % PRIOR_CHAINS];
    const truth = rows[Math.floor((Math.floor(simulation / PRIOR_CHAINS) * count) / perChain)];
    const stream = PRIOR_CHAINS + 1 + STREAMS * simulation;
    const data = simulate(runs, request, { columns: names, values: truth, chain: stream });
    if ('kind' in data) return data;
    const settings = { ...withoutWarmup(request.arguments), chain: stream + 1, refresh: 0 };
    const fit = runs.run(functionName, { arguments: settings, data: data.text, chain: stream + 1, save });
    if (fit.outcome.kind !== 'finished') return fit.outcome;
    const divergent = divergencesOf(fit.drawn);
    divergences += divergent;
    const thinning = Math.max(1, Math.ceil(fit.drawn.rows.length / MOST_COUNTED));
    const rng = createRng(request.seed, stream + 2);
    const ranks = quantities.map((name) => {
      const counted = (fit.drawn.column(name) ?? new Float64Array()).filter((_, k) => (k + 1) % thinning === 0);
      return rankOf(truth[names.indexOf(name)], counted, rng.uniform());
    });
    const greatest = Math.floor(fit.drawn.rows.length / thinning);
    opened.draw(Float64Array.of(simulation + 1, greatest, divergent, ...ranks));
    report(done, divergences);
  }
  return { kind: 'finished' };
}

interface SimulationGround {
  /** A draw of the parameters. */
  readonly columns: readonly string[];
  readonly values: Float64Array;
  readonly chain: number;
}

/**
 * Simulates data from a draw of the parameters. If outcomes depend on other outcomes, as in time series, the first replicated data depend
 * on given outcomes. Therefore data are replicated repeatedly from the previous ones, with the same random numbers, until they no longer
 * change.
 */
function simulate(
  runs: ShareRuns,
  { calibration, data: given }: Request,
  { chain, columns, values }: SimulationGround,
): { readonly text: string } | Unfinished {
  if (typeof given !== 'string') throw new Error('data of a calibration must be text');
  const row = { id: 1, chain: undefined, draws: 1, values, diagnostics: undefined };
  const open = () => storedDraws({ columns, diagnosticColumns: [], chains: [row] });
  let data = given;
  for (let pass = 1; ; pass++) {
    const { drawn, outcome } = runs.run(GENERATOR, {
      model: calibration.replicated,
      arguments: { chain, refresh: 0 },
      inputs: { fitted_params: { kind: 'draws', name: 'the prior', open } },
      data,
      chain,
    });
    if (outcome.kind !== 'finished') return outcome;
    const [replicated] = drawn.rows;
    const text = new SimulatedData(data, drawn.names).text((column) => replicated[column]);
    if (text === data) return { text };
    // Each pass completes at least one outcome if each depends only on earlier outcomes.
    if (pass > drawn.names.length + 1)
      return refused('Data cannot be simulated, because outcomes depend on each other in a cycle.');
    data = text;
  }
}

/** The first columns whose chains do not agree: the prior is improper or too hard to sample. */
function unreliableColumns(chains: readonly DrawCollector[]): string[] {
  const [{ names }] = chains;
  const columns = quantitiesIn(names).map((place) => ({
    name: displayName(names[place]),
    chains: chains.map(({ rows }) => Float64Array.from(rows, (row) => row[place])),
  }));
  const wrong = summariesOf(columns).filter(({ rhat }) => rhat > MOST_RHAT);
  return wrong.slice(0, 3).map(({ name, rhat }) => `${name} (${rhat.toFixed(2)})`);
}
