/** A process that receives seeds and examines the case of each, one at a time. */
import { caseOf, type Family } from './cases.js';
import { corpus } from './corpus.js';
import { type Ending, examine } from './examine.js';

export interface Task {
  readonly seed: number;
  readonly family: Family;
}

export type Report =
  | { readonly kind: 'ready' }
  | { readonly kind: 'evaluating'; readonly seed: number; readonly origin: string }
  | { readonly kind: 'done'; readonly seed: number; readonly origin: string; readonly ending: Ending }
  | { readonly kind: 'finding'; readonly seed: number; readonly origin: string; readonly problem: string };

let programs: readonly string[] | undefined;

function report(message: Report): void {
  process.send?.(message);
}

process.on('message', ({ seed, family }: Task) => {
  const { origin, text } = caseOf(seed, family, () => {
    programs ??= corpus();
    return programs;
  });
  try {
    report({
      kind: 'done',
      seed,
      origin,
      ending: examine(text, seed, family, () => report({ kind: 'evaluating', seed, origin })),
    });
  } catch (error) {
    const problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    report({ kind: 'finding', seed, origin, problem });
  }
});
report({ kind: 'ready' });
