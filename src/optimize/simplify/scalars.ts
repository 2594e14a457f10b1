import { usesOf } from '../../dataflow/cached.js';
import type { Names } from '../../ir/builder.js';
import { compare, get, int, isConst, real, select } from '../../ir/expressions.js';
import { INT_MIN } from '../../ir/integers.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import {
  mapBlocks,
  mapExpression,
  mapExpressions,
  mapStatements,
  visitOwnExpressions,
  visitStatements,
} from '../../ir/walk.js';

/** Maximum number of elements of a container that is replaced. */
const MOST_ELEMENTS = 64;
/** The maximum if an index is not a constant. */
const MOST_SELECTED = 5;

/**
 * Scalar replacement of aggregates: the elements of a small container become locals if its size and every index are constants and no other
 * statement needs its memory. A container of up to five elements that belongs to one iteration can also be read at variable indexes: the
 * read then selects one of the locals.
 */
export function replaceByScalars(names: Names, block: Block): Block {
  const sizes = replaceable(block);
  return sizes.size === 0 ? block : new Replacement(names, sizes).block(block);
}

/** The containers that locals can replace, with their sizes. */
function replaceable(block: Block): ReadonlyMap<Ref, readonly Expr[]> {
  const sizes = new Map<Ref, readonly Expr[]>();
  const refused = new Set<Ref>();
  const greatest = new Map<Ref, number>();
  const refuse = (ref: Ref): void => {
    for (let at: Ref | null = ref; at !== null; at = at.parent) refused.add(at);
  };
  const uses = usesOf(block);
  const isSelected = (ref: Ref, reader: Statement): boolean => {
    const [made, ...others] = uses.definitions(ref);
    if (made?.statement.kind !== 'allocate' || others.length > 0 || ref.parent !== null) return false;
    const count = countOf(made.statement.sizes) ?? 0;
    return count > 0 && count <= MOST_SELECTED && made.loops.at(-1) === uses.loops(reader).at(-1);
  };
  const access = (ref: Ref, index: Expr): void => {
    if (ref.parent !== null || !isConst(index) || index.value < 0) refuse(ref);
    else greatest.set(ref, Math.max(greatest.get(ref) ?? 0, index.value));
  };
  const look = (node: Expr, reader: Statement): void => {
    if (node.kind === 'load' && !isConst(node.index) && isSelected(node.ref, reader)) return;
    if (node.kind === 'load') access(node.ref, node.index);
    else if (node.kind === 'load_adjoint') refuse(node.ref);
  };
  visitStatements(block, (statement) => {
    switch (statement.kind) {
      case 'allocate': {
        const known = sizes.get(statement.ref);
        const isOther = known?.some((size, axis) => !sameExpression(size, statement.sizes[axis])) ?? false;
        if (isOther || countOf(statement.sizes) === null) refuse(statement.ref);
        else sizes.set(statement.ref, statement.sizes);
        break;
      }
      case 'store':
        access(statement.ref, statement.index);
        break;
      default:
        for (const ref of refsOf(statement)) refuse(ref);
    }
    visitOwnExpressions(statement, (node) => look(node, statement));
  });
  const isWithin = ([ref, known]: [Ref, readonly Expr[]]): boolean => {
    const isFree = ref.storage === 'local' && ref.parent === null && !refused.has(ref);
    return isFree && (greatest.get(ref) ?? -1) < (countOf(known) ?? 0);
  };
  return new Map([...sizes].filter(isWithin));
}

/** The number of elements; null if it is unknown or too large. */
function countOf(sizes: readonly Expr[]): number | null {
  let count = 1;
  for (const size of sizes) {
    if (!isConst(size) || size.value < 0) return null;
    count *= size.value;
  }
  return count <= MOST_ELEMENTS ? count : null;
}

/** Containers that a statement other than `allocate` and `store` needs in memory. */
function refsOf(statement: Statement): readonly Ref[] {
  switch (statement.kind) {
    case 'view':
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push_ref':
    case 'pop_ref':
      return [statement.ref];
    case 'kernel':
      return statement.args.flatMap((argument) => (argument.kind === 'pointer' ? [argument.ref] : []));
    case 'call':
      return [...statement.args, ...statement.results].filter((each): each is Ref => each.kind === 'ref');
    case 'print':
    case 'reject':
      return statement.parts.flatMap((part) => (part.kind === 'container' ? [part.ref] : []));
    default:
      return [];
  }
}

class Replacement {
  readonly #names: Names;
  readonly #sizes: ReadonlyMap<Ref, readonly Expr[]>;
  readonly #elements = new Map<Ref, Local[]>();
  readonly #done = new Map<Expr, Expr>();

  constructor(names: Names, sizes: ReadonlyMap<Ref, readonly Expr[]>) {
    this.#names = names;
    this.#sizes = sizes;
  }

  block(block: Block): Block {
    return mapStatements(block, (statement) => this.#statement(statement));
  }

  #statement(statement: Statement): readonly Statement[] {
    const own = mapExpressions(statement, (root) => mapExpression(root, (node) => this.#node(node), this.#done));
    if (own.kind === 'allocate' && this.#sizes.has(own.ref)) return this.#start(own);
    if (own.kind === 'store' && isConst(own.index)) {
      const local = this.#element(own.ref, own.index.value);
      return [local === null ? own : { kind: 'assign', local, value: own.value }];
    }
    return [mapBlocks(own, (inner) => this.block(inner))];
  }

  #node(node: Expr): Expr {
    if (node.kind === 'size') return this.#sizes.get(node.ref)?.[node.axis] ?? node;
    if (node.kind !== 'load') return node;
    if (!isConst(node.index)) return this.#selected(node.ref, node.index) ?? node;
    const local = this.#element(node.ref, node.index.value);
    return local === null ? node : get(local);
  }

  /** An element at a variable index. Earlier checks ensure that the index is valid. */
  #selected(ref: Ref, index: Expr): Expr | null {
    const sizes = this.#sizes.get(ref);
    if (sizes === undefined) return null;
    const elements = Array.from({ length: countOf(sizes) ?? 0 }, (_, k) => get(this.#local(ref, k)));
    return elements.reduceRight((others, element, k) => select(compare('eq', index, int(k)), element, others));
  }

  #start({ ref, sizes, fill }: StatementOf<'allocate'>): readonly Statement[] {
    if (fill === 'none') return [];
    const value = fill === 'zero' ? 0 : ref.element === 'int' ? INT_MIN : Number.NaN;
    return Array.from({ length: countOf(sizes) ?? 0 }, (_, k): Statement => {
      return { kind: 'assign', local: this.#local(ref, k), value: ref.element === 'int' ? int(value) : real(value) };
    });
  }

  #element(ref: Ref, index: number): Local | null {
    return this.#sizes.has(ref) ? this.#local(ref, index) : null;
  }

  #local(ref: Ref, index: number): Local {
    const elements = this.#elements.get(ref) ?? [];
    this.#elements.set(ref, elements);
    elements[index] ??= {
      kind: 'local',
      id: this.#names.fresh(),
      name: ref.name,
      type: ref.element,
      storage: 'local',
    };
    return elements[index];
  }
}
