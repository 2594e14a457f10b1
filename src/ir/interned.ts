import type { Expr, Local, Ref } from './nodes.js';
import { operandsOf } from './walk.js';

/**
 * Hash-consing (Ershov 1958; Filliâtre & Conchon 2006). Expressions that are the same tree over the same variables get one number, so that
 * equality is equality of numbers and an expression can be a key. Such expressions have one value where nothing that they read changes
 * between them. Each node is visited once, however many parents share it.
 */
export class Interner {
  readonly #numbers = new Map<Expr, number>();
  readonly #shapes = new Map<string, number>();
  #next = 0;

  /** Numbers ascend in the order in which expressions are first met, operands before what they are operands of. */
  numberOf(e: Expr): number {
    const known = this.#numbers.get(e);
    if (known !== undefined) return known;
    const shape = this.shapeOf(e);
    let number = shape === null ? undefined : this.#shapes.get(shape);
    if (number === undefined) {
      number = this.#next++;
      if (shape !== null) this.#shapes.set(shape, number);
    }
    this.#numbers.set(e, number);
    return number;
  }

  /** Forgets nodes, but not the numbers of trees: a node may mean something else from here on. */
  protected forgetNodes(): void {
    this.#numbers.clear();
  }

  /** A text that is the same for nodes with the same operation, variable and operands; null for a node that equals no other. */
  protected shapeOf(e: Expr): string | null {
    switch (e.kind) {
      case 'const':
        return `${e.type}${Object.is(e.value, -0) ? '-0' : e.value}`;
      case 'get':
        return this.ofLocal(e.local);
      case 'size':
        return `${this.ofHeader(e.ref)}.${e.axis}`;
      case 'target':
        return e.kind;
      case 'load':
        return `${this.ofContents(e.ref)}[${this.numberOf(e.index)}]`;
      case 'load_adjoint':
        return `a${e.ref.id}[${this.numberOf(e.index)}]`;
      case 'apply': {
        let shape: string = e.op;
        for (const operand of e.args) shape += ` ${this.numberOf(operand)}`;
        return shape;
      }
    }
  }

  protected ofLocal(local: Local): string {
    return `v${local.id}`;
  }

  protected ofContents(ref: Ref): string {
    return `m${ref.id}`;
  }

  /** Of a container's pointer and sizes. */
  protected ofHeader(ref: Ref): string {
    return `s${ref.id}`;
  }
}

/** Whether two expressions are the same tree over the same variables. To compare many, number them. */
export function sameExpression(a: Expr, b: Expr): boolean {
  if (a === b) return true;
  if (!isSameNode(a, b)) return false;
  const others = operandsOf(b);
  let isDeep = false;
  for (const [k, operand] of operandsOf(a).entries()) {
    const other = others[k];
    if (operand === other) continue;
    if (!isSameNode(operand, other)) return false;
    isDeep ||= operandsOf(operand).length > 0;
  }
  if (!isDeep) return true;
  const interner = new Interner();
  return interner.numberOf(a) === interner.numberOf(b);
}

/** Whether two nodes are the same but for their operands. */
function isSameNode(a: Expr, b: Expr): boolean {
  if (a.type !== b.type) return false;
  switch (a.kind) {
    case 'const':
      return b.kind === 'const' && Object.is(a.value, b.value);
    case 'get':
      return b.kind === 'get' && a.local === b.local;
    case 'size':
      return b.kind === 'size' && a.ref === b.ref && a.axis === b.axis;
    case 'target':
      return b.kind === 'target';
    case 'load':
    case 'load_adjoint':
      return b.kind === a.kind && a.ref === b.ref;
    case 'apply':
      return b.kind === 'apply' && a.op === b.op;
  }
}
