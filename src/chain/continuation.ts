/** Continuing the chains of an earlier fit from their last state. */
import type { Algorithm, Continuation } from '../inference/algorithms/algorithm.js';
import type { ArgumentValue } from '../inference/algorithms/arguments.js';
import type { EngineModel } from './model-host.js';
import { Misfit } from './refusal.js';
import type { RunRequest } from './request.js';
import { type ChainEnd, keptArguments, type SamplerState } from './sampler-state.js';

export interface ContinuedChain {
  readonly state: SamplerState;
  readonly end: ChainEnd;
}

/** The chain that a request continues, if any. Throws `Misfit`. */
export function continuedChain({ block, index, inputs }: RunRequest): ContinuedChain | undefined {
  if (block?.from?.end !== undefined) return { state: block.from, end: block.from.end };
  const source = inputs.continue;
  if (source === undefined) return undefined;
  const draws = source.kind === 'draws' ? source.open() : undefined;
  const chain = draws?.chains[index];
  const state = chain && draws?.state(chain.id);
  if (state?.end !== undefined) return { state, end: state.end };
  throw new Misfit(
    '/continue names a fit whose chains cannot be continued: their final states were not saved',
    'continue',
  );
}

/** The state with which a sampler continues. Throws `Misfit` if the sampler or the model differs. */
export function continuationOf(
  { end, state }: ContinuedChain,
  { hasFurtherState, metric }: Pick<Algorithm, 'hasFurtherState' | 'metric'>,
  model: EngineModel,
  given: Readonly<Record<string, ArgumentValue>>,
): {
  readonly arguments: Readonly<Record<string, ArgumentValue>>;
  readonly places: readonly number[] | undefined;
  readonly continued: Continuation;
} {
  if (state.metric !== metric) throw misfit(`has the metric ${state.metric}, not ${metric}`);
  if ((end.further !== undefined) !== (hasFurtherState === true)) throw misfit('is from another sampler');
  if ((state.places === undefined) !== (model.centering === undefined)) {
    throw misfit(`has reparameterize ${state.places === undefined ? 'none' : 'auto'}, which must be the same here`);
  }
  if (state.names?.join() !== model.unconstrainedNames().join()) throw misfit('has other parameters');
  const kept = keptArguments(given);
  const other = Object.entries(end.arguments).find(([name, value]) => kept[name] !== value);
  if (other !== undefined) throw misfit(`has ${other[0]} ${String(other[1])}, which must be the same here`);
  model.randomState().set(end.generated);
  return {
    arguments: end.further === undefined ? { stepsize: state.stepsize, ...metricArgument(state) } : {},
    places: state.places,
    continued: {
      position: Float64Array.from(end.position),
      logDensity: end.logDensity,
      iterations: end.iterations,
      random: Int32Array.from(end.random),
      ...(end.further && { further: Float64Array.from(end.further) }),
    },
  };
}

/** The final state of a chain in its stored form. */
export function chainEnd(
  { further, iterations, logDensity, position, random }: Continuation,
  seed: number,
  model: EngineModel,
  given: Readonly<Record<string, ArgumentValue>>,
): ChainEnd {
  return {
    seed,
    position: [...position],
    logDensity,
    iterations,
    random: [...random],
    generated: [...model.randomState()],
    ...(further && { further: [...further] }),
    arguments: keptArguments(given),
  };
}

function metricArgument({ inverseMetric, metric, names = [] }: SamplerState): Record<string, ArgumentValue> {
  if (metric === 'unit_e') return {};
  if (metric === 'diag_e') return { inv_metric: inverseMetric };
  const width = names.length;
  const count = width === 0 ? 0 : inverseMetric.length / width;
  const row = (index: number) => inverseMetric.slice(index * width, (index + 1) * width);
  return { inv_metric: Array.from({ length: count }, (_, index) => row(index)) };
}

function misfit(problem: string): Misfit {
  return new Misfit(`/continue names a fit that ${problem}`, 'continue');
}
