import { type Builder, count, lazyFlat } from '../../ir/builder.js';
import { composite } from '../../ir/composite.js';
import { add, int, load } from '../../ir/expressions.js';
import type { Expr, Ref } from '../../ir/nodes.js';
import type { ContainerValue, ScalarValue, Value } from '../../ir/value.js';
import type { Callback } from './callback.js';

/** The varying numbers among the arguments of a callback, in one container. */
export interface Packed {
  readonly size: Expr;
  /** The numbers with their derivatives, and as constants. */
  readonly varying: Ref;
  readonly constant: Ref;
  /** The arguments, with their numbers read from `constant` at the level of parameters. */
  readonly passedOn: readonly Value[];
}

/** Packs the varying numbers; a single container is not copied. */
export function packed(builder: Builder, { shared, constants }: Callback): Packed {
  const leaves = shared.flatMap(leavesOf);
  const constantLeaves = constants.flatMap(leavesOf);
  const [only, onlyConstant] = [leaves[0], constantLeaves[0]];
  if (leaves.length === 1 && only.kind === 'container' && onlyConstant.kind === 'container') {
    const [varying, constant] = [only, onlyConstant].map((value) => builder.materialize(value).ref);
    return { size: builder.bind(count(only.sizes)), varying, constant, passedOn: constants };
  }
  const offsets: Expr[] = [];
  let size: Expr = int(0);
  for (const leaf of leaves) {
    offsets.push(size);
    size = builder.bind(add(size, sizeOf(leaf)));
  }
  const pack = (values: readonly Leaf[], name: string): Ref => {
    const ref = builder.allocate('real', [size], name);
    for (const [k, leaf] of values.entries()) {
      if (leaf.kind === 'scalar') builder.store(ref, offsets[k], leaf.value);
      else builder.each(sizeOf(leaf), (i) => builder.store(ref, add(offsets[k], i), leaf.flat(i)));
    }
    return ref;
  };
  const varying = pack(leaves, 'varying');
  const constant = pack(constantLeaves, 'constant');
  let next = 0;
  const view = (value: Value): Value => {
    if (value.kind === 'composite') return composite(value.type, value.parts.map(view));
    if (value.level === 'data') return value;
    const offset = offsets[next++];
    if (value.kind === 'scalar') return { ...value, value: load(constant, offset) };
    return lazyFlat(value.type, value.level, value.sizes, (i) => load(constant, add(offset, i)));
  };
  return { size, varying, constant, passedOn: constants.map(view) };
}

type Leaf = ScalarValue | ContainerValue;

function leavesOf(value: Value): readonly Leaf[] {
  if (value.kind === 'composite') return value.parts.flatMap(leavesOf);
  return value.level === 'data' ? [] : [value];
}

function sizeOf(leaf: Leaf): Expr {
  return leaf.kind === 'scalar' ? int(1) : count(leaf.sizes);
}
