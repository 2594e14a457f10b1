import type { EventSink } from '../events.js';
import type { Rng } from '../random/rng.js';
import type { InitialValues, Target } from '../target.js';
import type { Argument, Settings } from './arguments.js';

/** What one chain runs on. */
export interface Chain {
  readonly target: Target;
  readonly initial: InitialValues;
  readonly rng: Rng;
  readonly sink: EventSink;
  /** Asked at every iteration and often enough within one; true ends the run. */
  readonly interrupt: () => boolean;
  /** Seconds since any fixed moment. */
  readonly clock: () => number;
}

/** How a run ended. The message of a failure has been logged, too. */
export type Outcome =
  | { readonly status: 'completed' }
  | { readonly status: 'interrupted' }
  | { readonly status: 'failed'; readonly message: string };

/** One row of the registry: everything that others need to offer an algorithm without knowing it. */
export interface Algorithm {
  readonly name: string;
  /** Full name in Stan's services namespace. */
  readonly functionName: string;
  readonly description: string;
  readonly arguments: readonly Argument[];
  /** Names of what stands before the constrained values in each draw. */
  readonly drawColumns: readonly string[];
  /** Names of what a diagnostic event holds. */
  diagnosticColumns(unconstrainedNames: readonly string[]): string[];
  run(settings: Settings, chain: Chain): Outcome;
}
