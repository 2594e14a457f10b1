import { drawNormal, fromPrecision } from '../approximation/normal.js';
import { choleskyFactor } from '../linear/cholesky.js';
import { CENTRAL, secondDerivatives } from '../optimization/second-derivatives.js';
import type { LogDensity } from '../target.js';
import { type Algorithm, type Chain, type DetailRecord, failed, type Outcome } from './algorithm.js';
import { commonArguments, MAX_COUNT, type Settings, threadsArgument } from './arguments.js';
import { DrawRecorder } from './draw-recorder.js';

const COLUMNS = ['log_p__', 'log_q__'];

/** Draws from the normal distribution that has the mode of the density as its mean and the same curvature at the mode. */
export const laplaceSample: Algorithm = {
  name: 'laplace_sample',
  functionName: 'stan::services::laplace_sample',
  description:
    'Draws from the Laplace approximation, a normal distribution with the mode and curvature of the density. Second derivatives are exact, or differences of gradients if they cannot be compiled.',
  arguments: [
    ...commonArguments.filter(({ name }) => name !== 'init_radius'),
    { name: 'draws', type: 'integer', default: 1000, minimum: 1, maximum: MAX_COUNT, description: 'Number of draws.' },
    {
      name: 'jacobian',
      type: 'boolean',
      default: true,
      description:
        'Whether the density includes the Jacobians of the transforms; must equal the setting with which the mode was found.',
    },
    {
      name: 'calculate_lp',
      type: 'boolean',
      default: true,
      description: 'Whether the log density of each draw is computed. Without it, the log density is NaN.',
    },
    threadsArgument,
  ],
  inputs: ['mode'],
  takesHessian: true,
  matrices: 3,
  draws: 'all',
  drawColumns: COLUMNS,
  diagnosticColumns: () => [],
  run,
};

function run(settings: Settings, chain: Chain): Outcome {
  const { detail, interrupt, mode, rng, sink, target } = chain;
  const density = settings.flag('jacobian') ? target : target.withoutJacobian;
  const refresh = settings.number('refresh');
  const log = (text: string) => {
    if (refresh > 0) sink.log('info', text);
  };
  const center = new Float64Array(target.dimension);
  if (mode?.given !== 'all') return failed(chain, 'The mode must have a value for every parameter.');
  const problem = mode.apply(center);
  if (problem !== undefined) return failed(chain, problem.message);

  log('Calculating Hessian');
  let failure: string | undefined;
  const gradientAt = (position: Float64Array, gradient: Float64Array): boolean => {
    const value = density.logDensityGradient(position, gradient);
    const printed = density.takePrinted();
    if (printed !== '') log(printed);
    if (!Number.isNaN(value)) return true;
    failure = density.failure?.message ?? 'The log density is not finite near the mode.';
    return false;
  };
  const isUsable = gradientAt(center, new Float64Array(center.length));
  const hessian = isUsable ? secondDerivatives(density, center, gradientAt, CENTRAL) : undefined;
  if (hessian === undefined) return failed(chain, failure ?? 'No second derivatives at the mode.');
  detail?.({ members: modeDetails(density, center, hessian) });
  log('Calculating inverse of Cholesky factor');
  const factor = choleskyFactor(
    hessian.map((x) => -x),
    center.length,
  );
  if (factor === undefined) {
    return failed(chain, 'The Hessian at the mode is not negative definite: is it a mode of this density?');
  }
  log('Generating draws');
  const approximation = fromPrecision(center, factor);
  const recorder = new DrawRecorder(COLUMNS.length, target, sink);
  const z = new Float64Array(center.length);
  const position = new Float64Array(center.length);
  const total = settings.number('draws');
  for (let index = 0; index < total; index++) {
    if (interrupt()) return { status: 'interrupted' };
    if (refresh > 0 && index % refresh === 0) {
      sink.progress({ iteration: index + 1, total, text: `iteration: ${index}` });
    }
    const logQ = drawNormal(approximation, rng, z, position);
    recorder.columns[0] = settings.flag('calculate_lp') ? density.logDensity(position) : Number.NaN;
    recorder.columns[1] = logQ;
    const broken = recorder.record(position);
    if (broken !== undefined) return failed(chain, broken.message);
  }
  return { status: 'completed' };
}

/** The log density, its gradient and its second derivatives at the mode. */
function modeDetails(density: LogDensity, mode: Float64Array, hessian: Float64Array): DetailRecord['members'] {
  const size = mode.length;
  const gradient = new Float64Array(size);
  const value = density.logDensityGradient(mode, gradient);
  density.takePrinted();
  const rows = Array.from({ length: size }, (_, row) => hessian.subarray(row * size, (row + 1) * size));
  return { lp_mode: { real: value }, gradient: { vector: gradient }, Hessian: { rows } };
}
