import { POOR_DRAWS, smoothAndReport } from '../../importance/pareto-report.js';
import { initialize } from '../../initialize.js';
import { fixedText, streamText } from '../../number-text.js';
import { Ascent, type AscentProblem } from '../../variational/ascent.js';
import { type Family, FullRank, MeanField } from '../../variational/families.js';
import { type Algorithm, type Chain, failed, type Outcome } from '../algorithm.js';
import { commonArguments, type Settings, threadsArgument } from '../arguments.js';
import { DrawRecorder } from '../draw-recorder.js';
import { variationalArguments } from './arguments.js';
import { ElboChanges } from './elbo-changes.js';
import { adaptEta } from './eta.js';

const COLUMNS = ['lp__', 'log_p__', 'log_g__'];
const DIAGNOSTICS = ['iter', 'time_in_seconds', 'ELBO'];

export const meanfield = advi('meanfield', 'independent normals', (dimension) => new MeanField(dimension));
export const fullrank = advi('fullrank', 'a multivariate normal', (dimension) => new FullRank(dimension));

function advi(name: string, family: string, createFamily: (dimension: number) => Family): Algorithm {
  return {
    name,
    functionName: `stan::services::experimental::advi::${name}`,
    description: `Automatic differentiation variational inference: fits ${family} to the unconstrained parameters.`,
    arguments: [...commonArguments, ...variationalArguments, threadsArgument],
    inputs: ['init'],
    draws: 'all',
    ...(name === 'fullrank' && { matrices: 4 }),
    drawColumns: COLUMNS,
    leadingRows: 'first',
    diagnosticColumns: () => DIAGNOSTICS,
    run: (settings, chain) => run(name, createFamily(chain.target.dimension), settings, chain),
  };
}

function run(name: string, family: Family, settings: Settings, chain: Chain): Outcome {
  const { clock, initial, rng, sink, target } = chain;
  for (const line of EXPERIMENTAL) sink.log('info', line);
  const radius = settings.number('init_radius');
  const start = initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: true });
  if ('problem' in start) return failed(chain, start.problem);
  const ascentSettings = {
    gradientDraws: settings.number('grad_samples'),
    elboDraws: settings.number('elbo_samples'),
    familyName: `normal_${name}`,
  };
  const ascent = new Ascent(family, target, rng, ascentSettings, (text) => sink.log('info', text));
  family.reset(start.position);
  let eta = settings.number('eta');
  if (settings.flag('adapt_engaged')) {
    const adapted = adaptEta(ascent, family, start.position, settings.number('adapt_iterations'), chain);
    if (typeof adapted !== 'number') return adapted;
    eta = adapted;
    sink.remark('Stepsize adaptation complete.');
    sink.remark(`eta = ${streamText(eta)}`);
  }
  return ascend(ascent, eta, settings, chain) ?? drawFrom(family, settings, chain);
}

/** Maximizes the ELBO until it converges. Returns the outcome if the run has ended. */
function ascend(ascent: Ascent, eta: number, settings: Settings, chain: Chain): Outcome | undefined {
  const { clock, interrupt, sink } = chain;
  const total = settings.number('iter');
  const every = settings.number('eval_elbo');
  const tolerance = settings.number('tol_rel_obj');
  const changes = new ElboChanges(Math.trunc(Math.max((0.1 * total) / every, 2)));
  const diagnostics = new Float64Array(DIAGNOSTICS.length);
  const began = clock();
  sink.log('info', 'Begin stochastic gradient ascent.');
  sink.log('info', '  iter             ELBO   delta_ELBO_mean   delta_ELBO_med   notes ');
  ascent.restart();
  let best = Number.NEGATIVE_INFINITY;
  for (let iteration = 1; ; iteration++) {
    if (interrupt()) return { status: 'interrupted' };
    const lost = ascent.step(eta, 'fail');
    if (lost !== undefined) return failed(chain, lost);
    if (iteration % every === 0) {
      const elbo = ascent.elbo();
      if (isProblem(elbo)) return failed(chain, elbo.problem);
      best = Math.max(best, elbo);
      changes.add(elbo);
      const { mean, median } = changes;
      const notes = [
        mean < tolerance ? '   MEAN ELBO CONVERGED' : '',
        median < tolerance ? '   MEDIAN ELBO CONVERGED' : '',
        iteration > 10 * every && (median > 0.5 || mean > 0.5) ? '   MAY BE DIVERGING... INSPECT ELBO' : '',
      ].join('');
      const columns = [
        String(iteration).padStart(4),
        fixedText(elbo, 3).padStart(15),
        fixedText(mean, 3).padStart(16),
        fixedText(median, 3).padStart(15),
      ];
      sink.progress({ iteration, total, text: `  ${columns.join('  ')}${notes}` });
      diagnostics.set([iteration, Math.floor((clock() - began) * 1000) / 1000, elbo]);
      sink.diagnostic(diagnostics);
      if (mean < tolerance || median < tolerance) {
        if (Math.abs((best - elbo) / elbo) > 0.05) for (const line of PAST_ITS_BEST) sink.log('info', line);
        if (iteration < total) return undefined;
      }
    }
    if (iteration === total) {
      for (const line of OUT_OF_ITERATIONS) sink.log('info', line);
      return undefined;
    }
  }
}

/** Emits the mean of the approximation, then draws from it. */
function drawFrom(family: Family, settings: Settings, chain: Chain): Outcome {
  const { interrupt, rng, sink, target } = chain;
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  const position = family.mean.slice();
  const atMean = recorder.record(position);
  if (atMean !== undefined) return failed(chain, atMean.message);
  const count = settings.number('output_samples');
  sink.log('info', '');
  sink.log('info', `Drawing a sample of size ${count} from the approximate posterior... `);
  const logRatios = new Float64Array(count);
  const z = new Float64Array(position.length);
  for (let index = 0; index < count; index++) {
    if (interrupt()) return { status: 'interrupted' };
    let logG = 0;
    for (let i = 0; i < z.length; i++) {
      z[i] = rng.normal();
      logG -= 0.5 * z[i] * z[i];
    }
    family.transform(z, position);
    const logP = target.logDensity(position);
    recorder.columns.set([0, logP, logG]);
    const unusable = Number.isNaN(logP) ? target.failure : undefined;
    const failure = unusable ?? recorder.record(position);
    if (failure !== undefined) return failed(chain, failure.message);
    logRatios[index] = logP - logG;
  }
  smoothAndReport(logRatios, sink, POOR_DRAWS);
  sink.log('info', 'COMPLETED.');
  return { status: 'completed' };
}

function isProblem(value: number | AscentProblem): value is AscentProblem {
  return typeof value !== 'number';
}

const RULE = '-'.repeat(60);
const EXPERIMENTAL = [
  RULE,
  'EXPERIMENTAL ALGORITHM:',
  '  This procedure has not been thoroughly tested and may be unstable',
  '  or buggy. The interface is subject to change.',
  RULE,
  '',
  '',
];
const PAST_ITS_BEST = [
  'Informational Message: The ELBO at a previous iteration is larger than the ELBO upon convergence!',
  'This variational approximation may not have converged to a good optimum.',
];
const OUT_OF_ITERATIONS = [
  'Informational Message: The maximum number of iterations is reached! The algorithm may not have converged.',
  'This variational approximation is not guaranteed to be meaningful.',
];
