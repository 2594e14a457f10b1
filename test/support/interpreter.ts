import type { Block, Ref } from '../../src/ir/nodes.js';
import { Evaluator } from './evaluate.js';

const MATH: Readonly<Record<string, (x: number) => number>> = {
  exp: Math.exp,
  log: Math.log,
  sin: Math.sin,
  tanh: Math.tanh,
};

/** Interprets IR that needs none of the kernels but a few functions of one number. */
export function interpreter(): Evaluator {
  return new Evaluator({
    memory: new WebAssembly.Memory({ initial: 1 }),
    free: 64,
    call: (name, [x]) => {
      const f = MATH[name];
      if (f === undefined) throw new Error(`the interpreter of tests has no ${name}`);
      return f(x);
    },
  });
}

export interface Input {
  readonly ref: Ref;
  readonly elements: readonly number[];
}

/** `target` after the blocks have run one after another on the inputs. */
export function targetOf(blocks: readonly Block[], inputs: readonly Input[]): number {
  const evaluator = interpreter();
  for (const { ref, elements } of inputs) evaluator.place(ref, [elements.length], elements);
  for (const block of blocks) evaluator.run(block);
  return evaluator.target + evaluator.constants;
}
