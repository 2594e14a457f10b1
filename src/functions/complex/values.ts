import type { Builder } from '../../ir/builder.js';
import { levelOf, scalar } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { ABSENT } from '../../ir/exact.js';
import { toReal } from '../../ir/expressions.js';
import type { Expr } from '../../ir/nodes.js';
import type { ContainerValue, ScalarValue, Value } from '../../ir/value.js';
import { type AutodiffLevel, COMPLEX, partsOf, type Type } from '../../language/types.js';
import { binaryMismatch, checkSameSizes, containerOf, elementwise, type SizeMismatch, scalarOf } from '../broadcast.js';
import { reusable } from '../shapes.js';
import { bound, type Complex, type Formula } from './numbers.js';

/** The real and imaginary part of a value; the imaginary part of a real value is 0. */
export function partsOfValue(value: Value): readonly [Value, Value] {
  if (value.kind !== 'composite') return [value, zeroLike(value)];
  const [re, im] = value.parts;
  return [re, re.kind === 'container' && im.kind === 'container' ? { ...im, sizes: re.sizes } : im];
}

function zeroLike(value: ScalarValue | ContainerValue): Value {
  if (value.kind === 'scalar') return scalar(ABSENT, value.level);
  return { ...value, flat: () => ABSENT, at: () => ABSENT, ref: null, nested: false, costly: false };
}

/** Both parts of a complex container. */
export function containersOf(value: Value): readonly [ContainerValue, ContainerValue] {
  const [re, im] = partsOfValue(value);
  return [containerOf(re), containerOf(im)];
}

/** Stops with an error unless two containers have the same rows and columns. Stan's message does not depend on parameters. */
export function checkSameShapes(
  builder: Builder,
  name: string,
  args: readonly Value[],
  labels: readonly [string, string] = ['m1', 'm2'],
): void {
  const parts = args.map((arg) => partsOfValue(arg)[0]);
  const [first, other] = parts;
  if (first.kind !== 'container' || other?.kind !== 'container') return;
  checkSameSizes(builder, first, other, binaryMismatch(name, ...labels));
}

/** A complex or real scalar, computed once. */
export function numberOf(builder: Builder, value: Value): Complex {
  const [re, im] = partsOfValue(value).map(scalarOf);
  return bound(builder, { re: toReal(re), im: toReal(im) });
}

export function complexScalar({ re, im }: Complex, level: AutodiffLevel): Value {
  return composite(COMPLEX, [scalar(re, level), scalar(im, level)]);
}

export function partTypes(type: Type): readonly Type[] {
  const types = partsOf(type);
  if (types === null) throw new Error(`A ${type.kind} has no parts`);
  return types;
}

/** Applies `formula` elementwise to `args`; scalars are combined with every element. The result has type `type`. */
export function elementwiseComplex(
  builder: Builder,
  type: Type,
  args: readonly Value[],
  formula: Formula,
  mismatch?: SizeMismatch,
): Value {
  const flat = args.flatMap((arg) =>
    partsOfValue(arg).map((part) => (part.kind === 'container' ? reusable(builder, part) : part)),
  );
  const options = { costly: true, ...(mismatch === undefined ? {} : { mismatch }) };
  if (flat.every((part) => part.kind === 'scalar')) {
    const numbers = args.map((arg) => numberOf(builder, arg));
    return complexScalar(bound(builder, formula(builder, ...numbers)), levelOf(args));
  }
  const part = (k: 0 | 1): Value =>
    elementwise(
      builder,
      partTypes(type)[k],
      flat,
      (...elements) => {
        const { re, im } = formula(builder, ...pairs(elements).map((number) => bound(builder, number)));
        return k === 0 ? re : im;
      },
      options,
    );
  return composite(type, [part(0), part(1)]);
}

function pairs(elements: readonly Expr[]): Complex[] {
  const numbers: Complex[] = [];
  for (let k = 0; k < elements.length; k += 2) {
    numbers.push({ re: toReal(elements[k]), im: toReal(elements[k + 1]) });
  }
  return numbers;
}

/** Applies `formula` elementwise to `arg`. The result has the real type `type`. */
export function realOfComplex(builder: Builder, type: Type, arg: Value, formula: (z: Complex) => Expr): Value {
  const parts = partsOfValue(arg).map((part) => (part.kind === 'container' ? reusable(builder, part) : part));
  return elementwise(builder, type, parts, (re, im) => formula(bound(builder, { re, im })), { costly: true });
}
