import { type Builder, container, elementOf } from '../ir/builder.js';
import { composite } from '../ir/composite.js';
import { get } from '../ir/expressions.js';
import type { Expr, Local, Ref, Variable } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { type AutodiffLevel, partsOf, rankOf, type Type } from '../language/types.js';
import { scalarValue } from './values.js';

/**
 * Variables for a value whose sizes are known only at run time: the result of a function with several returns or of a ternary, or an
 * argument of a called function.
 */
export class Cell {
  readonly #builder: Builder;
  readonly #type: Type;
  readonly #content: Local | Ref | readonly Cell[];

  constructor(builder: Builder, type: Type, name: string) {
    this.#builder = builder;
    this.#type = type;
    const parts = partsOf(type);
    if (parts !== null) {
      this.#content = parts.map((element, i) => new Cell(builder, element, `${name}_${i + 1}`));
    } else {
      const rank = rankOf(type);
      this.#content =
        rank === 0 ? builder.newLocal(elementOf(type), name) : builder.newRef(elementOf(type), rank, name);
    }
  }

  /** All variables; for a tuple, slot by slot. */
  get variables(): readonly Variable[] {
    return isCells(this.#content) ? this.#content.flatMap((cell) => cell.variables) : [this.#content];
  }

  /** Copies a value to the variables; a container takes the value's sizes. */
  assign(value: Value): void {
    const content = this.#content;
    if (isCells(content)) {
      if (value.kind !== 'composite') throw new Error('A composite takes a composite');
      for (const [i, cell] of content.entries()) cell.assign(value.parts[i]);
    } else if (content.kind === 'local') {
      if (value.kind !== 'scalar') throw new Error('A scalar takes a scalar');
      this.#builder.assign(content, value.value);
    } else {
      if (value.kind !== 'container') throw new Error('A container takes a container');
      this.#builder.allocateRef(content, value.sizes);
      this.#builder.fill(content, value);
    }
  }

  value(level: AutodiffLevel): Value {
    const content = this.#content;
    if (isCells(content))
      return composite(
        this.#type,
        content.map((cell) => cell.value(level)),
      );
    return content.kind === 'local'
      ? scalarValue(this.#type, level, get(content))
      : container(this.#type, elementOf(this.#type) === 'int' ? 'data' : level, content);
  }
}

function isCells(content: Local | Ref | readonly Cell[]): content is readonly Cell[] {
  return Array.isArray(content);
}

/** The arguments that a call passes for a value: scalars, and containers in memory; for a tuple, slot by slot. */
export function passedParts(builder: Builder, value: Value): readonly (Expr | Ref)[] {
  switch (value.kind) {
    case 'scalar':
      return [value.value];
    case 'container':
      return [builder.materialize(value).ref];
    case 'composite':
      return value.parts.flatMap((element) => passedParts(builder, element));
  }
}
