import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { autoregressive } from '../../../test/support/series.js';
import type { Chains } from './chains.js';
import { Summarizer } from './summary.js';

/** Runs an action, and returns the number of typed arrays, without views, and of WebAssembly memories that it creates. */
function allocations(action: () => void): number {
  const known = { Float64Array, Int32Array, Uint32Array, Uint8Array };
  const { Memory } = WebAssembly;
  let count = 0;
  class CountedMemory extends Memory {
    constructor(...given: ConstructorParameters<typeof Memory>) {
      super(...given);
      count++;
    }
  }
  WebAssembly.Memory = CountedMemory;
  for (const [name, type] of Object.entries(known)) {
    const counting: ProxyHandler<typeof type> = {
      construct: (target, args, newTarget) => {
        if (!(args[0] instanceof ArrayBuffer)) count++;
        return new Object(Reflect.construct(target, args, newTarget));
      },
    };
    Reflect.set(globalThis, name, new Proxy(type, counting));
  }
  try {
    action();
  } finally {
    WebAssembly.Memory = Memory;
    for (const [name, type] of Object.entries(known)) Reflect.set(globalThis, name, type);
  }
  return count;
}

const quantities = (count: number): Chains[] =>
  Array.from({ length: count }, (_, k) => [0, 1].map((chain) => autoregressive(2 * k + chain, 50, 0.3)));

describe('the check of draws', () => {
  it('allocates its memory once, for any number of quantities', () => {
    const judge = (all: readonly Chains[]) => () => {
      const summarizer = new Summarizer();
      for (const chains of all) summarizer.judge(chains);
    };
    judge(quantities(1))();
    const one = allocations(judge(quantities(1)));
    assert.ok(one >= 2);
    assert.equal(allocations(judge(quantities(100))), one);
  });

  it('reads each draw once, to copy it', () => {
    const [draws] = quantities(1);
    let reads = 0;
    const counted = draws.map(
      (chain) =>
        new Proxy(chain, {
          get: (target, name) => {
            if (typeof name === 'string' && /^\d+$/.test(name)) reads++;
            const found: unknown = Reflect.get(target, name, target);
            return typeof found === 'function' ? found.bind(target) : found;
          },
        }),
    );
    new Summarizer().judge(counted);
    assert.equal(reads, 2 * 50);
  });

  it('has the numbers of a full summary', () => {
    const summarizer = new Summarizer();
    for (const chains of quantities(5)) {
      const { essBulk, essTail, rhat, variation } = summarizer.summarize(chains);
      assert.deepEqual(summarizer.judge(chains), { essBulk, essTail, rhat, variation });
    }
  });
});
