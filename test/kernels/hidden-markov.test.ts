import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Arena } from './arena.js';
import { loadKernels } from './load.js';

const loaded = loadKernels();
const kernel = loaded.linear;
const STATES = 2;
const STEPS = 4;
const LOGS = [-0.5, -1.2, -2.0, -0.1, -0.7, -0.9, -3.0, -0.2];
/** Columns of the transition matrix. */
const TRANSITION = [0.3, 0.6, 0.7, 0.4];
const INITIAL = [0.2, 0.8];

/** The probability of the observations with each path of states. */
function paths(logs: readonly number[], transition: readonly number[], initial: readonly number[]): number[] {
  return Array.from({ length: STATES ** STEPS }, (_, path) => {
    const state = (n: number): number => (path >> n) & 1;
    let mass = initial[state(0)];
    for (let n = 0; n < STEPS; n++) {
      if (n > 0) mass *= transition[state(n) * STATES + state(n - 1)];
      mass *= Math.exp(logs[n * STATES + state(n)]);
    }
    return mass;
  });
}

function total(masses: readonly number[]): number {
  return masses.reduce((sum, mass) => sum + mass, 0);
}

function forward(arena: Arena, logs: readonly number[]) {
  const put = (values: readonly number[]): number => arena.write([...values]);
  const inputs = [put(logs), put(TRANSITION), put(INITIAL)];
  const [value, filtered, weights] = [arena.doubles(1), arena.doubles(8), arena.doubles(8)];
  kernel('hmm_forward')(value, filtered, weights, ...inputs, STATES, STEPS);
  return { value: arena.read(value, 1, 1).values[0], valueAt: value, filtered, weights, transition: inputs[1], put };
}

describe('hidden Markov models', () => {
  it('sum over all paths of states', () => {
    const { value } = forward(new Arena(loaded), LOGS);
    assert.ok(Math.abs(value - Math.log(total(paths(LOGS, TRANSITION, INITIAL)))) < 1e-14);
  });

  it('tolerate likelihoods below the smallest double', () => {
    const { value } = forward(
      new Arena(loaded),
      LOGS.map((log) => log - 2000),
    );
    assert.ok(Math.abs(value + 2000 * STEPS - Math.log(total(paths(LOGS, TRANSITION, INITIAL)))) < 1e-10);
  });

  it('give each state its share of the paths', () => {
    const arena = new Arena(loaded);
    const { filtered, weights, transition } = forward(arena, LOGS);
    const smoothed = arena.doubles(8);
    kernel('hmm_smooth')(smoothed, filtered, weights, transition, arena.doubles(4), STATES, STEPS);
    const masses = paths(LOGS, TRANSITION, INITIAL);
    for (let n = 0; n < STEPS; n++) {
      const share = total(masses.filter((_, path) => ((path >> n) & 1) === 1)) / total(masses);
      assert.ok(Math.abs(arena.read(smoothed, STATES, STEPS).values[2 * n + 1] - share) < 1e-14, `step ${n + 1}`);
    }
  });

  it('have the derivatives of the sum over paths', () => {
    const arena = new Arena(loaded);
    const { filtered, weights, transition, put } = forward(arena, LOGS);
    const adjoints = [LOGS, TRANSITION, INITIAL].map(({ length }) => put(new Array<number>(length).fill(0)));
    kernel('hmm_forward_adjoint')(
      ...adjoints,
      put([1]),
      filtered,
      weights,
      transition,
      arena.doubles(4),
      STATES,
      STEPS,
    );
    const all = [...LOGS, ...TRANSITION, ...INITIAL];
    const value = (x: readonly number[]): number => Math.log(total(paths(x.slice(0, 8), x.slice(8, 12), x.slice(12))));
    const found = [
      ...arena.read(adjoints[0], 8, 1).values,
      ...arena.read(adjoints[1], 4, 1).values,
      ...arena.read(adjoints[2], 2, 1).values,
    ];
    for (let k = 0; k < all.length; k++) {
      const shifted = (h: number): number => value(all.map((x, i) => (i === k ? x + h : x)));
      const expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
      assert.ok(Math.abs(found[k] - expected) < 1e-8, `${k}: ${found[k]}, expected ${expected}`);
    }
  });
});
