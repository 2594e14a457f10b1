// No library function loops without end: each is called over all magnitudes of its arguments, with a limit of loop iterations.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FUNCTIONS } from '../../src/functions/table.js';
import type { Signature } from '../../src/language/signature.js';
import type { Type } from '../../src/language/types.js';
import { showType } from '../../src/language/types.js';
import { Random } from '../fuzz/random.js';
import { Stopped } from '../support/evaluate.js';
import { evaluateWith, type Given, int, ints, matrix, real, rowVector, vector } from '../support/evaluated-call.js';
import { limitedKernels, TooManySteps } from '../support/limited-kernels.js';

/** Far more iterations than any correct call takes, and a fraction of a second. */
const LIMIT = 20_000_000;
/** Maximum number of calls per signature. */
const CALLS = 60;

const SIZES = [
  5e-324, 1e-310, 2.3e-308, 1e-200, 1e-100, 1e-17, 1e-9, 1.2e-8, 1e-4, 0.1, 0.5, 0.9, 1, 1.5, 3, 20, 700, 1e4,
].concat([1e7, 2 ** 30, 1e10, 1e16, 1e17, 1e100, 1e155, 1e200, 1e300, Number.MAX_VALUE]);
const SPECIAL = [0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN];
const REALS = [...SIZES, 1 - 2 ** -53, ...SIZES.map((x) => -x), ...SPECIAL];
const INTS = [0, 1, 2, 3, 7, 50, 1000, 1e6, 2 ** 30, 2 ** 31 - 1, -1, -2, -7, -1e6, -(2 ** 31)];

const random = new Random(20_261_129);
const { kernels, restart } = limitedKernels(LIMIT);

/** All combinations of the choices if there are at most `CALLS`, else random ones. */
function combinations<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  const count = choices.reduce((product, list) => product * list.length, 1);
  if (count > CALLS) return random.several(CALLS, CALLS, () => choices.map((list) => random.pick(list)));
  return choices.reduce<T[][]>((lists, list) => lists.flatMap((start) => list.map((each) => [...start, each])), [[]]);
}

/** What exceeds the limit of steps; failed checks of arguments are accepted. */
function excess(call: () => void): readonly string[] {
  restart();
  try {
    call();
    return [];
  } catch (error) {
    if (error instanceof Stopped) return [];
    if (error instanceof TooManySteps) return [error.message];
    throw error;
  }
}

/** Whether an argument of the type is one of a few numbers. */
const GENERATED: ReadonlySet<string> = new Set([
  'int',
  'real',
  'vector',
  'row_vector',
  'matrix',
  'array[] int',
  'array[] real',
]);
const SIZE = 3;
/** Their steps are proportional to the magnitude of an int: their order or dimension, or the number of masses that they sum. */
const LINEAR: ReadonlySet<string> = new Set(
  ['bessel_first_kind', 'bessel_second_kind', 'lmgamma'].concat(
    ['beta_binomial', 'beta_neg_binomial'].flatMap((name) => [`${name}_cdf`, `${name}_lcdf`, `${name}_lccdf`]),
  ),
);
/** The largest magnitude of their ints. */
const LINEAR_MOST = 1000;

function argumentsOf(type: Type, isSize: boolean, most: number): readonly Given[] {
  const several = <T>(values: readonly T[], count: number): T[] =>
    random.several(count, count, () => random.pick(values));
  const lists = <T>(make: () => T): T[] => random.several(20, 20, make);
  switch (showType(type)) {
    case 'int':
      return INTS.filter((n) => Math.abs(n) <= most && (!isSize || n > 0)).map(int);
    case 'real':
      return REALS.map(real);
    case 'vector':
      return lists(() => vector(...several(REALS, SIZE)));
    case 'row_vector':
      return lists(() => rowVector(...several(REALS, SIZE)));
    case 'matrix':
      return lists(() => symmetric());
    case 'array[] int':
      return lists(() => ints(...several(INTS, SIZE)));
    default:
      return lists(() => ({ ...vector(...several(REALS, SIZE)), type }));
  }
}

/** A diagonal matrix with a few equal elements beside the diagonal: often positive definite, whatever its magnitude. */
function symmetric(): Given {
  const [size, share] = [random.pick(SIZES), random.pick([0, 0.3, -0.4, 1, 1e-20])];
  return matrix(SIZE, ...Array.from({ length: SIZE ** 2 }, (_, k) => (k % (SIZE + 1) === 0 ? size : size * share)));
}

function callable({ name, parameters, result }: Signature): boolean {
  if (!parameters.every(({ type }) => GENERATED.has(showType(type)))) return false;
  return name.endsWith('_rng') || result.kind === 'int' || result.kind === 'real';
}

describe(`at most ${LIMIT} iterations for arguments of all magnitudes`, () => {
  for (const entry of FUNCTIONS.entries()) {
    const signatures = FUNCTIONS.lookup(entry.name).filter(callable);
    if (signatures.length === 0) continue;
    it(entry.name, () => {
      const scalar = signatures.filter(({ parameters }) =>
        parameters.every(({ type }) => type.kind === 'int' || type.kind === 'real'),
      );
      const faults = (scalar.length > 0 ? scalar : signatures.slice(0, 3)).flatMap(({ parameters, result }) => {
        const isSize = result.kind !== 'int' && result.kind !== 'real';
        return combinations(
          parameters.map(({ type }) =>
            argumentsOf(type, isSize, isSize ? SIZE : LINEAR.has(entry.name) ? LINEAR_MOST : 2 ** 31),
          ),
        ).flatMap((args) =>
          excess(() => evaluateWith(kernels, entry.name, args)).map(
            (what) => `${entry.name}(${args.map(({ elements }) => elements).join('; ')}): ${what}`,
          ),
        );
      });
      assert.deepEqual(faults, []);
    });
  }

  it('an inverse below the least double', () => {
    const args = [1e-200, 1e155, 5e-324].map(real);
    assert.deepEqual(
      excess(() => assert.equal(evaluateWith(kernels, 'inv_inc_beta', args).value, 0)),
      [],
    );
  });
});
