import type { Expr, Local, Ref, ScalarType } from './nodes.js';
import type { OpName } from './ops.js';
import { PairTable } from './pair-table.js';
import { operandsOf } from './walk.js';

/**
 * Hash-consing (Ershov 1958; Filliâtre & Conchon 2006). Expressions that are the same tree over the same variables get the same number, so
 * that they can be compared by number and used as keys. They have the same value as long as nothing that they read changes in between. Each
 * node is visited once, regardless of the number of its parents.
 */
export class Interner {
  readonly #numbers = new Map<Expr, number>();
  readonly #constants = { int: new Map<number, number>(), real: new Map<number, number>() };
  readonly #operations = new Map<OpName, number>();
  readonly #pairs = new PairTable();
  #next = 0;

  /** Numbers ascend in the order in which expressions are first visited; operands come before the expressions that contain them. */
  numberOf(e: Expr): number {
    if (e.kind === 'const') return this.#numberOfConstant(e.type, e.value);
    const known = this.#numbers.get(e);
    if (known !== undefined) return known;
    const number = this.shapeOf(e);
    this.#numbers.set(e, number);
    return number;
  }

  /** Discards the numbers of nodes but keeps those of trees, because a node may have a different value afterwards. */
  protected forgetNodes(): void {
    if (this.#numbers.size > 0) this.#numbers.clear();
  }

  /** The number of a non-constant node. Nodes with the same operation, variable and operands have the same number. */
  protected shapeOf(e: Exclude<Expr, { kind: 'const' }>): number {
    switch (e.kind) {
      case 'get':
        return this.ofLocal(e.local);
      case 'size':
        return this.pair(this.ofHeader(e.ref), ~e.axis);
      case 'target':
        return this.pair(TAG.target, 0);
      case 'load':
        return this.pair(this.ofContents(e.ref), this.numberOf(e.index));
      case 'load_adjoint':
        return this.pair(this.pair(TAG.adjoint, e.ref.id), this.numberOf(e.index));
      case 'apply': {
        let number = this.#numberOfOperation(e.op);
        for (const operand of e.args) number = this.pair(number, this.numberOf(operand));
        return number;
      }
    }
  }

  /** A number that no other node has. */
  protected fresh(): number {
    return this.#next++;
  }

  /** The number of an ordered pair of numbers, or of a tag and a non-negative number. */
  protected pair(first: number, second: number): number {
    const number = this.#pairs.numberOf(first, second, this.#next);
    if (number === this.#next) this.#next++;
    return number;
  }

  protected ofLocal(local: Local): number {
    return this.pair(TAG.local, local.id);
  }

  protected ofContents(ref: Ref): number {
    return this.pair(TAG.contents, ref.id);
  }

  /** The number of a container's pointer and sizes. */
  protected ofHeader(ref: Ref): number {
    return this.pair(TAG.header, ref.id);
  }

  #numberOfConstant(type: ScalarType, value: number): number {
    const isNegativeZero = value === 0 && Object.is(value, -0);
    if (isNegativeZero) return this.pair(TAG.negativeZero, type === 'int' ? 0 : 1);
    const constants = this.#constants[type];
    let number = constants.get(value);
    if (number === undefined) {
      number = this.#next++;
      constants.set(value, number);
    }
    return number;
  }

  #numberOfOperation(op: OpName): number {
    let number = this.#operations.get(op);
    if (number === undefined) {
      number = this.#next++;
      this.#operations.set(op, number);
    }
    return number;
  }
}

/** First elements of the pairs that represent leaves. They are negative and so differ from all numbers of expressions. */
const TAG = { target: -1, local: -2, contents: -3, header: -4, adjoint: -5, negativeZero: -6 } as const;

/** Whether two expressions are the same tree over the same variables. To compare many expressions, use `Interner`. */
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

/** Whether two nodes are the same apart from their operands. */
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
