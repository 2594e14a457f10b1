import type { EventSink } from './events.js';
import { streamText } from './number-text.js';
import type { Rng } from './random/rng.js';
import type { Failure, InitialValues, LogDensity } from './target.js';

/** A starting point and the duration of its gradient, or a message that ends the run. */
export type Initialization =
  | {
      readonly position: Float64Array;
      readonly gradientSeconds: number;
      /** Estimated variances of the coordinates, if known. */
      readonly variances?: Float64Array | undefined;
    }
  | { readonly problem: string };

/** Maximum number of random points, unless all values are given. */
const MAX_TRIES = 100;

/**
 * Finds a point at which log density and gradient are finite. As in Stan, parameters without an initial value are uniform on (-radius,
 * radius) on the unconstrained scale, or 0 for radius 0. Reports rejected points, with Stan's messages, and the chosen point to the sink.
 */
export function initialize(options: {
  density: LogDensity;
  initial: InitialValues;
  radius: number;
  rng: Rng;
  sink: EventSink;
  /** Returns seconds. */
  clock: () => number;
  /** Whether to report the duration of a gradient. */
  reportTiming: boolean;
}): Initialization {
  const { density, initial, radius, rng, sink, clock } = options;
  const tries = initial.given === 'all' || radius === 0 ? 1 : MAX_TRIES;
  const position = new Float64Array(density.dimension);
  const gradient = new Float64Array(density.dimension);

  for (let attempt = 0; attempt < tries; attempt++) {
    for (let i = 0; i < position.length; i++) position[i] = radius === 0 ? 0 : radius * (2 * rng.uniform() - 1);
    const unusable = applyInitial(initial, position) ?? evaluateValue(density, position, sink);
    if (unusable !== undefined) {
      if (typeof unusable !== 'string' && unusable.kind === 'error') {
        sink.log('error', 'Unrecoverable error evaluating the log probability at the initial value.');
        return { problem: unusable.message };
      }
      reject(sink, unusable);
      continue;
    }

    const start = clock();
    const logDensity = density.logDensityGradient(position, gradient);
    const gradientSeconds = Math.floor((clock() - start) * 1e6) / 1e6;
    logPrinted(density, sink);
    if (Number.isNaN(logDensity) && density.failure !== undefined) {
      sink.log('error', density.failure.message);
      return { problem: density.failure.message };
    }
    if (!Number.isFinite(gradient.reduce((sum, element) => sum + element, 0))) {
      reject(sink, '  Gradient evaluated at the initial value is not finite.');
      continue;
    }
    if (options.reportTiming) reportTiming(gradientSeconds, sink);
    sink.initialization(position);
    return { position, gradientSeconds };
  }

  if (radius !== 0) {
    sink.log('info', '');
    const interval = `(-${streamText(radius)}, ${streamText(radius)})`;
    sink.log('error', `Initialization between ${interval} failed after ${tries} attempts. `);
    sink.log(
      'error',
      ' Try specifying initial values, reducing ranges of constrained values, or reparameterizing the model.',
    );
  }
  return { problem: 'Initialization failed.' };
}

function applyInitial(initial: InitialValues, position: Float64Array): Failure | undefined {
  return initial.given === 'none' ? undefined : initial.apply(position);
}

/** The reason why the log density at the position cannot be used; undefined if it can. */
function evaluateValue(density: LogDensity, position: Float64Array, sink: EventSink): Failure | string | undefined {
  const logDensity = density.logDensity(position);
  logPrinted(density, sink);
  if (Number.isNaN(logDensity) && density.failure !== undefined) return density.failure;
  if (!Number.isFinite(logDensity)) return '  Log probability evaluates to log(0), i.e. negative infinity.';
  return undefined;
}

function reject(sink: EventSink, reason: Failure | string): void {
  sink.log('warn', 'Rejecting initial value:');
  if (typeof reason === 'string') {
    sink.log('warn', reason);
    sink.log('warn', "  Stan can't start sampling from this initial value.");
  } else {
    sink.log('warn', '  Error evaluating the log probability at the initial value.');
    sink.log('warn', reason.message);
  }
}

function logPrinted(density: LogDensity, sink: EventSink): void {
  const printed = density.takePrinted();
  if (printed !== '') sink.log('info', printed);
}

function reportTiming(gradientSeconds: number, sink: EventSink): void {
  sink.log('info', '');
  sink.log('info', `Gradient evaluation took ${streamText(gradientSeconds)} seconds`);
  const total = streamText(1e4 * gradientSeconds);
  sink.log('info', `1000 transitions using 10 leapfrog steps per transition would take ${total} seconds.`);
  sink.log('info', 'Adjust your expectations accordingly!');
  sink.log('info', '');
  sink.log('info', '');
}
