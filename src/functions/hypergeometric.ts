import type { Builder } from '../ir/builder.js';
import { levelOf, pointer, scalar } from '../ir/builder.js';
import {
  abs,
  add,
  and,
  call1,
  compare,
  div,
  int,
  load,
  log1p,
  mul,
  neg,
  not,
  ONE,
  or,
  select,
  sub,
  ZERO,
} from '../ir/expressions.js';
import type { Expr, Ref } from '../ir/nodes.js';
import { applyOp } from '../ir/ops.js';
import type { ContainerValue, Value } from '../ir/value.js';
import { VECTOR } from '../language/types.js';
import { bindOnce, scalarOf } from './broadcast.js';
import { below, finite, notNan, require } from './checks.js';
import { checkEach } from './densities/validation.js';
import type { FunctionEntry } from './entry.js';
import { rowsOf } from './row.js';
import { checkMatch, fresh, reusable } from './shapes.js';

/** Hypergeometric functions. */
const row = rowsOf('hypergeometric functions');

const CONVERGENCE = 'does not meet convergence conditions with given arguments.';

/** pFq by its series. The kernel reads a and b from contiguous memory. */
function series(builder: Builder, [first, second, argument]: readonly Value[]): Value {
  const name = 'hypergeometric_pFq';
  const a = reusable(builder, first);
  const b = reusable(builder, second);
  const z = bindOnce(builder, scalarOf(argument));
  checkEach(builder, name, 'a', a, finite);
  checkEach(builder, name, 'b', b, finite);
  require(builder, finite, z, { function: name, argument: 'z' });
  const [p] = a.sizes;
  const [q] = b.sizes;
  const isLarge = and(compare('gt', p, add(q, int(1))), compare('ne', z, ZERO));
  const isOutside = and(compare('eq', p, add(q, int(1))), compare('gt', abs(z), ONE));
  builder.if(or(isLarge, isOutside), () => {
    const line = (list: ContainerValue): Ref => {
      const ref = builder.allocate('real', [int(1), list.sizes[0]], 'line');
      builder.each(list.sizes[0], (i) => builder.store(ref, i, list.at(i)));
      return ref;
    };
    builder.reject(
      [
        { kind: 'text', text: `hypergeometric function pFq ${CONVERGENCE} a: ` },
        { kind: 'container', ref: line(a), element: 'matrix', aligned: true },
        { kind: 'text', text: ', b: ' },
        { kind: 'container', ref: line(b), element: 'matrix', aligned: true },
        { kind: 'text', text: ', z: ' },
        { kind: 'scalar', value: z },
      ],
      false,
    );
  });
  const level = levelOf([first, second, argument]);
  const like = { ...a, level };
  const parameters = fresh(builder, VECTOR, [add(p, q)], { ...a, level: levelOf([first, second]) }, 'parameters');
  builder.each(p, (i) => builder.store(parameters.ref, i, a.at(i)));
  builder.each(q, (i) => builder.store(parameters.ref, add(p, i), b.at(i)));
  const at = fresh(builder, VECTOR, [int(1)], argument, 'argument');
  builder.store(at.ref, int(0), z);
  const value = fresh(builder, VECTOR, [int(1)], like, 'value');
  builder.kernel('hypergeometric_pfq', [pointer(value.ref), pointer(parameters.ref), pointer(at.ref), p, q]);
  return scalar(load(value.ref, int(0)), level);
}

const endsSeries = (x: Expr): Expr => and(compare('le', x, ZERO), compare('eq', call1('floor', x), x));

/** Stops with an error unless the series of 3F2 is finite or converges. */
function checkThreeTwo(builder: Builder, upper: readonly Expr[], lower: readonly Expr[], z: Expr): void {
  const names = ['a1', 'a2', 'a3', 'b1', 'b2', 'z'];
  const all = [...upper, ...lower, z];
  for (const [k, value] of all.entries()) {
    require(builder, notNan, value, { function: 'check_3F2_converges', argument: names[k] });
  }
  let terms: Expr = ZERO;
  let ends: Expr = int(0);
  for (const a of upper) {
    const isLonger = and(endsSeries(a), compare('ge', neg(a), terms));
    terms = builder.bind(select(isLonger, neg(a), terms));
    ends = builder.bind(or(ends, isLonger));
  }
  const isUndefined = lower.map((b) => and(endsSeries(b), compare('le', neg(b), terms))).reduce(or);
  const excess = sub(lower.reduce(add), upper.reduce(add));
  const size = abs(z);
  const converges = or(compare('lt', size, ONE), and(compare('eq', size, ONE), compare('gt', excess, ZERO)));
  const given = names.map((name, k) => `${name}: {${k}}`).join(', ');
  builder.check(
    and(not(isUndefined), or(ends, converges)),
    `called from function 'hypergeometric_3F2', hypergeometric function 3F2 ${CONVERGENCE} ${given}`,
    all,
  );
}

function gauss(builder: Builder, values: readonly Expr[]): Expr {
  const name = 'hypergeometric_2F1';
  for (const [k, words] of ['a1', 'a2', 'b', 'z'].entries()) {
    require(builder, finite, values[k], { function: name, argument: words });
  }
  const [a, b, c, z] = values;
  const converges = (...args: Expr[]): Expr => builder.kernelResult('int', 'hypergeometric_2f1_converges', args);
  const isElementary = builder.kernelResult('int', 'hypergeometric_2f1_is_elementary', [a, b, c]);
  const mirrored = [sub(c, a), b, c, div(z, sub(z, ONE))].map((e) => bindOnce(builder, e));
  builder.check(
    or(or(isElementary, converges(a, b, c, z)), converges(...mirrored)),
    `called from function '${name}', hypergeometric function 2F1 ${CONVERGENCE} a1: {0}, a2: {1}, b1: {2}, z: {3}`,
    mirrored,
  );
  return applyOp('hypergeometric_2f1', int(0), a, b, c, z);
}

const LISTS = 'array[] real | vector | row_vector';

export const HYPERGEOMETRIC: readonly FunctionEntry[] = [
  row('hypergeometric_1F0', '(1 - z) to the power -a', ['(real, real) => real'], (b, args) => {
    const [a, z] = args.map((arg) => bindOnce(b, scalarOf(arg)));
    require(b, below(1), bindOnce(b, abs(z)), { function: 'hypergeometric_1F0', argument: 'abs(z)' });
    return scalar(call1('exp', neg(mul(a, log1p(neg(z))))), levelOf(args));
  }),
  row(
    'hypergeometric_2F1',
    "Gauss's hypergeometric function 2F1(a1, a2; b; z)",
    ['(real, real, real, real) => real'],
    (b, args) =>
      scalar(
        gauss(
          b,
          args.map((arg) => bindOnce(b, scalarOf(arg))),
        ),
        levelOf(args),
      ),
  ),
  row(
    'hypergeometric_3F2',
    'Hypergeometric function 3F2(a; b; z)',
    [`(${LISTS}, ${LISTS}, real) => real`],
    (b, args) => {
      const name = 'hypergeometric_3F2';
      const [upper, lower] = [reusable(b, args[0]), reusable(b, args[1])];
      checkMatch(b, name, 'a', upper.sizes[0], '3', int(3));
      checkMatch(b, name, 'b', lower.sizes[0], '2', int(2));
      const numbers = [upper.at(int(0)), upper.at(int(1)), upper.at(int(2)), lower.at(int(0)), lower.at(int(1))];
      const values = numbers.map((e) => b.bind(e));
      checkThreeTwo(b, values.slice(0, 3), values.slice(3), bindOnce(b, scalarOf(args[2])));
      return series(b, [upper, lower, args[2]]);
    },
  ),
  row(
    'hypergeometric_pFq',
    'Generalized hypergeometric function of the upper parameters a and the lower ones b at z',
    [`(${LISTS}, ${LISTS}, real) => real`],
    (b, args) => series(b, args),
  ),
];
