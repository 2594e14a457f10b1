import type { IntegrationLayout } from '../wasm/artifact.js';
import type { Instance } from './instance.js';

/** Parameters of a model that are not part of its position. `writeArray` draws them from their distribution given the position. */
export interface ModelIntegration {
  /** Names of these parameters; may be empty. */
  readonly integrated: readonly string[];
  /** All other parameters, each with the reason as the end of a sentence. */
  readonly sampled: readonly { readonly name: string; readonly reason: string }[];
  /** Absent unless parameters could be integrated out, but sampling them takes less work: the factor of the work of a step. */
  readonly declinedFactor?: number;
  /** The log density of the program at the latest draw minus the marginal log density of the position. */
  excess(): number;
}

/** Estimated nanoseconds of a gradient with and without integrated parameters. */
export interface IntegrationWork {
  readonly integrated: number;
  readonly whole: number;
  readonly isRegression: boolean;
}

/** Nanoseconds of a step of a sampler, besides the gradient. */
const STEP = 1000;
/**
 * Maximum factor of the work of a gradient. Effects of groups, walks and processes leave funnels between effects and scales, so that sampling
 * them takes many more gradients; regressions take few.
 */
const MAX_FACTOR = 8;
const MAX_REGRESSION_FACTOR = 1.5;

/** How many times the work of a step integration takes. */
export function workFactor({ integrated, whole }: IntegrationWork): number {
  return (STEP + integrated) / (STEP + whole);
}

/** Whether a sampler probably gains from integrated parameters. The work depends only on the program and the data. */
export function integrationPays(work: IntegrationWork): boolean {
  return workFactor(work) <= (work.isRegression ? MAX_REGRESSION_FACTOR : MAX_FACTOR);
}

/** `reserve` allocates memory permanently. */
export function openIntegration(
  { declinedFactor, integrated, sampled }: IntegrationLayout,
  { functions, memory }: Instance,
  reserve: (bytes: number) => number,
): ModelIntegration {
  const declined = declinedFactor === undefined ? {} : { declinedFactor };
  if (integrated.length === 0) return { integrated, sampled, ...declined, excess: () => 0 };
  const excess = reserve(8);
  functions.bindExcess?.(excess, 1);
  return { integrated, sampled, excess: () => new Float64Array(memory.buffer, excess, 1)[0] };
}
