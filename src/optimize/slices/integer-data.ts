import { type Builder, count } from '../../ir/builder.js';
import { add, and, compare, get, int, load, size } from '../../ir/expressions.js';
import type { Expr, Local, Ref, Statement } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { assignedLocals, blocksOf, everyNode, visitStatements } from '../../ir/walk.js';

/** A view of a container of data. */
interface View {
  /** Position in the container. */
  readonly offset: Expr;
  readonly sizes: readonly (Expr | null)[];
}

/**
 * Values of expressions that depend only on sizes and integers of the data, for a block that runs without the surrounding statements. The
 * block has no checks: a read outside of a container returns 0.
 */
export class IntegerData {
  readonly #builder: Builder;
  readonly #locals = new Map<Local, Expr>();
  readonly #views = new Map<Ref, View>();

  constructor(builder: Builder) {
    this.#builder = builder;
  }

  /** Records the effect of a statement: what a local or view is after it, if that is known. */
  note(statement: Statement): void {
    for (const local of assignedLocals(statement)) this.#locals.delete(local);
    for (const block of blocksOf(statement)) {
      visitStatements(block, (inner) => {
        for (const local of assignedLocals(inner)) this.#locals.delete(local);
      });
    }
    if (statement.kind === 'assign' && statement.local.type === 'int') {
      const value = this.valueOf(statement.value);
      if (value !== null) this.#locals.set(statement.local, isOfSizes(value) ? value : this.#builder.bind(value));
    } else if (statement.kind === 'view' && statement.ref.parent !== null) {
      const outer = this.#offsetOf(statement.ref.parent);
      const offset = this.valueOf(statement.offset);
      const sizes = statement.sizes.map((each) => this.valueOf(each));
      if (outer !== null && offset !== null) this.#views.set(statement.ref, { offset: add(outer, offset), sizes });
      else this.#views.delete(statement.ref);
    }
  }

  set(local: Local, value: Expr): void {
    this.#locals.set(local, value);
  }

  /** The value, for which the builder may emit statements; null if it is not known. */
  valueOf(e: Expr): Expr | null {
    switch (e.kind) {
      case 'const':
        return e;
      case 'get':
        return this.#locals.get(e.local) ?? (e.local.storage === 'global' ? e : null);
      case 'size':
        return e.ref.storage === 'global' ? e : (this.#views.get(e.ref)?.sizes[e.axis] ?? null);
      case 'load':
        return this.#loaded(e.ref, e.index);
      case 'apply': {
        if (e.op === 'div_int' || e.op === 'rem_int') return null;
        const args = e.args.flatMap((argument) => this.valueOf(argument) ?? []);
        return args.length === e.args.length ? { ...e, args } : null;
      }
      default:
        return null;
    }
  }

  #loaded(ref: Ref, index: Expr): Expr | null {
    const root = rootOf(ref);
    if (root.element !== 'int' || root.storage !== 'global') return null;
    const outer = this.#offsetOf(ref);
    const inner = this.valueOf(index);
    if (outer === null || inner === null) return null;
    const builder = this.#builder;
    const place = builder.bind(add(outer, inner), 'place');
    const length = count(Array.from({ length: root.rank }, (_, axis) => size(root, axis)));
    const loaded = builder.newLocal('int', 'loaded');
    builder.assign(loaded, int(0));
    builder.if(and(compare('ge', place, int(0)), compare('lt', place, length)), () =>
      builder.assign(loaded, load(root, place)),
    );
    return get(loaded);
  }

  /** The position of a view in its container. */
  #offsetOf(ref: Ref): Expr | null {
    return ref.parent === null ? int(0) : (this.#views.get(ref)?.offset ?? null);
  }
}

/** Whether the expression can be evaluated anywhere, and depends on sizes and scalars of the data alone. */
export function isOfSizes(e: Expr): boolean {
  return everyNode(e, (node) => {
    switch (node.kind) {
      case 'const':
        return true;
      case 'get':
        return node.local.storage === 'global';
      case 'size':
        return node.ref.storage === 'global';
      case 'apply':
        return node.op !== 'div_int' && node.op !== 'rem_int';
      default:
        return false;
    }
  });
}
