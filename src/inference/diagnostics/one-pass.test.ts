import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoriesOf } from '../../../test/support/counted-memories.js';
import { autoregressive } from '../../../test/support/series.js';
import type { Chains } from './chains.js';
import { judge, summarize } from './summary.js';

/** Runs an action and counts the typed arrays, excluding views, and the WebAssembly memories that it creates. */
function allocations(action: () => void): { readonly arrays: number; readonly memories: number } {
  const known = { Float64Array, Int32Array, Uint32Array, Uint8Array };
  let arrays = 0;
  for (const [name, type] of Object.entries(known)) {
    const counting: ProxyHandler<typeof type> = {
      construct: (target, args, newTarget) => {
        if (!(args[0] instanceof ArrayBuffer)) arrays++;
        return new Object(Reflect.construct(target, args, newTarget));
      },
    };
    Reflect.set(globalThis, name, new Proxy(type, counting));
  }
  try {
    const memories = memoriesOf(action);
    return { arrays, memories };
  } finally {
    for (const [name, type] of Object.entries(known)) Reflect.set(globalThis, name, type);
  }
}

const quantities = (count: number, length = 50): Chains[] =>
  Array.from({ length: count }, (_, k) => [0, 1].map((chain) => autoregressive(2 * k + chain, length, 0.3)));

describe('the check of draws', () => {
  it('allocates nothing after the first quantity', () => {
    const [first, ...others] = quantities(100);
    judge(first);
    assert.deepEqual(
      allocations(() => others.forEach(judge)),
      { arrays: 0, memories: 0 },
    );
  });

  // Each memory reserves four gigabytes of address space and guard regions. A page has one terabyte of address space.
  it('works in the same memory for quantities of any length', () => {
    const all = Array.from({ length: 200 }, (_, k) => quantities(1, 1 + k)[0]);
    assert.equal(allocations(() => all.forEach(judge)).memories, 0);
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
    judge(counted);
    assert.equal(reads, 2 * 50);
  });

  it('has the numbers of a full summary', () => {
    for (const chains of quantities(5)) {
      const { essBulk, essTail, rhat, variation } = summarize(chains);
      assert.deepEqual(judge(chains), { essBulk, essTail, rhat, variation });
    }
  });
});
