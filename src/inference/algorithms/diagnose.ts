import { initialize } from '../initialize.js';
import { streamText } from '../number-text.js';
import { type Algorithm, type Chain, failed, type Outcome } from './algorithm.js';
import { commonArguments, type Settings, threadsArgument } from './arguments.js';

/** Compares the gradient at the initial point with central differences of the log density. */
export const diagnose: Algorithm = {
  name: 'diagnose',
  functionName: 'stan::services::diagnose::diagnose',
  description: 'Compares the gradient of the log density with finite differences.',
  arguments: [
    ...commonArguments,
    {
      name: 'epsilon',
      type: 'number',
      default: 1e-6,
      exclusiveMinimum: 0,
      description: 'Step size of the finite differences.',
    },
    {
      name: 'error',
      type: 'number',
      default: 1e-6,
      exclusiveMinimum: 0,
      description: 'Largest difference at which an element of the gradient counts as correct.',
    },
    threadsArgument,
  ],
  inputs: ['init'],
  draws: 'all',
  drawColumns: [],
  diagnosticColumns: () => [],
  run,
};

function run(settings: Settings, chain: Chain): Outcome {
  const { clock, initial, interrupt, rng, sink, target } = chain;
  const radius = settings.number('init_radius');
  const start = initialize({ density: target, initial, radius, rng, sink, clock, reportTiming: false });
  if ('problem' in start) return failed(chain, start.problem);
  sink.log('info', 'TEST GRADIENT MODE');
  const { position } = start;
  const gradient = new Float64Array(position.length);
  const say = (text: string) => {
    sink.remark(text);
    sink.log('info', text);
  };
  const logDensity = target.logDensityGradient(position, gradient);
  say('');
  say(` Log probability=${streamText(logDensity)}`);
  say('');
  say(
    ['param idx'.padStart(10), ...['value', 'model', 'finite diff', 'error'].map((word) => word.padStart(16))].join(''),
  );
  const epsilon = settings.number('epsilon');
  let wrong = 0;
  for (let i = 0; i < position.length; i++) {
    if (interrupt()) return { status: 'interrupted' };
    const difference = centralDifference(chain, position, i, epsilon);
    const error = gradient[i] - difference;
    const numbers = [position[i], gradient[i], difference, error];
    const text = [String(i).padStart(10), ...numbers.map((value) => streamText(value).padStart(16))].join('');
    sink.remark(text);
    sink.progress({ iteration: i + 1, total: position.length, text });
    if (Math.abs(error) > settings.number('error')) wrong += 1;
  }
  if (wrong > 0)
    sink.log('warn', `${wrong} of ${position.length} elements of the gradient differ by more than allowed.`);
  return { status: 'completed', differing: wrong };
}

/** A central difference of the log density with all constants, as in Stan. */
function centralDifference({ target }: Chain, position: Float64Array, index: number, epsilon: number): number {
  const moved = position.slice();
  moved[index] = position[index] + epsilon;
  const above = target.logDensity(moved);
  moved[index] = position[index] - epsilon;
  return (above - target.logDensity(moved)) / (2 * epsilon);
}
