import type { Builder } from '../ir/builder.js';
import { container, scalar } from '../ir/builder.js';
import { int, toReal } from '../ir/expressions.js';
import type { Expr, ScalarType } from '../ir/nodes.js';
import type { Signature } from '../language/signature.js';
import type { Type } from '../language/types.js';
import { arrayOf, INT, REAL, ROW_VECTOR, VECTOR } from '../language/types.js';
import { bindOnce } from './broadcast.js';
import { require } from './checks.js';
import { checkConsistentSizes } from './density-plan.js';
import type { Argument } from './density-row.js';
import type { Documentation, FunctionEntry } from './entry.js';

/**
 * A random number function: it returns one variate for scalar arguments, and an array for containers. The row defines how kernels draw one
 * variate from the state of the generator.
 */
interface RandomRow extends Documentation {
  readonly result: ScalarType;
  readonly arguments: readonly Argument[];
  readonly draw: (builder: Builder, ...args: Expr[]) => Expr;
}

/** A variate that a kernel draws from the random number generator of the chain. */
export function variate(builder: Builder, kernel: string, ...args: Expr[]): Expr {
  const result = KERNELS_OF_INTS.has(kernel) ? 'int' : 'real';
  return builder.kernelResult(result, kernel, [{ kind: 'random_state' }, ...args]);
}

const KERNELS_OF_INTS: ReadonlySet<string> = new Set(['rng_binomial', 'rng_categorical', 'rng_hypergeometric']);

const CONTAINERS: Readonly<Record<Argument['kind'], readonly Type[]>> = {
  int: [INT],
  ints: [INT, arrayOf(INT)],
  reals: [REAL, arrayOf(REAL), VECTOR, ROW_VECTOR],
  numbers: [INT, REAL, arrayOf(INT), arrayOf(REAL), VECTOR, ROW_VECTOR],
};

function signatures(name: string, row: RandomRow): readonly Signature[] {
  const element = row.result === 'int' ? INT : REAL;
  const choices = row.arguments.reduce<Type[][]>(
    (lists, { kind }) => lists.flatMap((list) => CONTAINERS[kind].map((type) => [...list, type])),
    [[]],
  );
  return choices.map((types) => ({
    name,
    parameters: types.map((type) => ({ type, level: 'autodiff' })),
    result: types.every(({ kind }) => kind === 'int' || kind === 'real') ? element : arrayOf(element),
  }));
}

function patternOf(row: RandomRow): string {
  return `(${row.arguments.map(({ kind }) => kind).join(', ')}) => ${row.result} | array[] ${row.result}`;
}

export function random(name: string, row: RandomRow): FunctionEntry {
  return {
    name,
    family: 'random number functions',
    documentation: row,
    signatures: Object.assign(() => signatures(name, row), { patterns: [patternOf(row)] }),
    build: (builder, args, call) => {
      const named = row.arguments.map((argument, k) => [argument.sizeWords ?? argument.words, args[k]] as const);
      checkConsistentSizes(builder, name, named);
      const first = args.find((arg) => arg.kind === 'container');
      const given = (i: Expr): Expr[] =>
        args.map((arg) => {
          if (arg.kind === 'composite') throw new Error(`${name} takes no tuple`);
          return bindOnce(builder, arg.kind === 'scalar' ? arg.value : arg.flat(i));
        });
      const converted = (elements: readonly Expr[]): Expr[] =>
        elements.map((x, k) => (row.arguments[k].kind.startsWith('int') ? x : bindOnce(builder, toReal(x))));
      const checkAll = (i: Expr, isChecked: (k: number) => boolean): void => {
        const elements = given(i);
        const values = converted(elements);
        for (const [k, { words, requirements }] of row.arguments.entries()) {
          if (!isChecked(k)) continue;
          const index = args[k].kind === 'container' ? i : null;
          for (const each of requirements)
            require(builder, each, values[k], { function: name, argument: words, index, shown: elements[k] }, values);
        }
      };
      if (first === undefined) {
        checkAll(int(0), () => true);
        return scalar(row.draw(builder, ...converted(given(int(0)))), 'data');
      }
      const size = bindOnce(builder, first.sizes[0]);
      const reads = (k: number): boolean =>
        [k, ...row.arguments[k].requirements.flatMap((each) => each.reads ?? [])].some(
          (j) => args[j].kind === 'container',
        );
      for (const k of args.keys()) {
        if (reads(k)) builder.each(size, (i) => checkAll(i, (other) => other === k));
        else checkAll(int(0), (other) => other === k);
      }
      const draws = builder.allocate(row.result, [size], 'draws');
      builder.each(size, (i) => builder.store(draws, i, row.draw(builder, ...converted(given(i)))));
      return container(call.result, 'data', draws);
    },
  };
}
