import type { Block, Ref } from '../../src/ir/nodes.js';
import { Evaluator } from './evaluate.js';

const MATH: Readonly<Record<string, (...args: number[]) => number>> = {
  exp: Math.exp,
  log: Math.log,
  log_high: Math.log,
  log_low: () => 0,
  pow: Math.pow,
  pow_of_log: (_, y, high, low) => Math.exp(y * (high + low)),
  sin: Math.sin,
  tanh: Math.tanh,
};

/** Interprets IR that requires no kernels except for a few functions of numbers. */
export function interpreter(): Evaluator {
  return new Evaluator({
    memory: new WebAssembly.Memory({ initial: 1 }),
    free: 64,
    call: (name, args) => {
      const f = MATH[name];
      if (f === undefined) throw new Error(`the interpreter of tests has no ${name}`);
      return f(...args);
    },
  });
}

export interface Input {
  readonly ref: Ref;
  readonly elements: readonly number[];
}

/** The value of `target` after the blocks have run in sequence on the inputs. */
export function targetOf(blocks: readonly Block[], inputs: readonly Input[]): number {
  const evaluator = interpreter();
  for (const { ref, elements } of inputs) evaluator.place(ref, [elements.length], elements);
  for (const block of blocks) evaluator.run(block);
  return evaluator.target + evaluator.constants;
}
