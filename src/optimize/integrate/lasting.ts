import { add, div, mul, neg, ONE } from '../../ir/expressions.js';
import { Interner } from '../../ir/interned.js';
import type { Expr, Local, Ref } from '../../ir/nodes.js';
import { everyNode, mapExpression, someNode } from '../../ir/walk.js';

/** A loop that is being written. */
export interface Frame {
  readonly index: Local;
  readonly from: Expr;
  readonly to: Expr;
  /** The index of the loop around this one, if that loop is simple. */
  readonly outer: Local | null;
  /** Whether its iterations are not part of another loop, and the statements being written are part of all of them. */
  readonly isSimple: boolean;
  /** Write statements before and after the loop. */
  readonly before: (() => void)[];
  readonly after: (() => void)[];
}

/** The values of locals that are assigned once. */
export class Definitions {
  readonly isFixed: (ref: Ref) => boolean;
  readonly #known = new Map<Local, { readonly value: Expr; readonly frame: Frame | null }>();

  /** `isFixed`: whether the contents of a container never change. */
  constructor(isFixed: (ref: Ref) => boolean) {
    this.isFixed = isFixed;
  }

  note(local: Local, value: Expr, frame: Frame | null): void {
    if (frame === null || frame.isSimple || frame.outer !== null) this.#known.set(local, { value, frame });
  }

  /** The expression with the same value in each iteration of the loop, but whose value can be computed after the loop; null if its value may change. `isFinal`: whether other containers keep their contents. */
  lasting(e: Expr, frame: Frame, isFinal: (ref: Ref) => boolean = () => false): Expr | null {
    const done = new Map<Local, Expr | null>();
    const resolve = (root: Expr): Expr | null => {
      let isLasting = true;
      const value = mapExpression(root, (node) => {
        const found = this.#lastingNode(
          node,
          frame,
          (local, definition) => {
            const known = done.get(local);
            if (known !== undefined) return known;
            const resolved = resolve(definition);
            done.set(local, resolved);
            return resolved;
          },
          isFinal,
        );
        if (found === null) isLasting = false;
        return found ?? node;
      });
      return isLasting ? value : null;
    };
    return resolve(e);
  }

  /** Whether the bounds of a loop can be computed after it. */
  hasLastingBounds(frame: Frame): boolean {
    return [frame.from, frame.to].every((e) => this.lasting(e, frame) !== null);
  }

  #lastingNode(
    node: Expr,
    frame: Frame,
    resolve: (local: Local, value: Expr) => Expr | null,
    isFinal: (ref: Ref) => boolean,
  ): Expr | null {
    switch (node.kind) {
      case 'const':
      case 'apply':
        return node;
      case 'get': {
        if (node.local === frame.index || node.local === frame.outer || node.local.storage === 'global') return node;
        const known = this.#known.get(node.local);
        if (known === undefined) return null;
        if (known.frame === null) return node;
        return known.frame.index === frame.index ? resolve(node.local, known.value) : null;
      }
      case 'load':
      case 'size':
        return this.isFixed(node.ref) || isFinal(node.ref) ? node : null;
      default:
        return null;
    }
  }
}

/** A product of a factor that is the same in all iterations of a loop, and data of an iteration. */
interface Piece {
  readonly factor: Expr;
  readonly data: Expr;
}

/** The expression as a sum of such products; null if there are too many, or if it has another form. */
export function piecesOf(e: Expr, index: Local): readonly Piece[] | null {
  const pieces = new Pieces(index).of(e);
  if (pieces === null) return null;
  const interner = new Interner();
  const merged = new Map<number, Piece>();
  for (const piece of pieces) {
    const key = interner.numberOf(piece.data);
    const known = merged.get(key);
    merged.set(key, known === undefined ? piece : { ...known, factor: add(known.factor, piece.factor) });
  }
  return merged.size > MAX_PIECES ? null : [...merged.values()];
}

/** Maximum number of products. */
const MAX_PIECES = 12;

class Pieces {
  readonly #index: Local;
  readonly #known = new Map<Expr, readonly Piece[] | null>();

  constructor(index: Local) {
    this.#index = index;
  }

  of(e: Expr): readonly Piece[] | null {
    const known = this.#known.get(e);
    if (known !== undefined) return known;
    const found = this.#of(e);
    const result = found !== null && found.length > 4 * MAX_PIECES ? null : found;
    this.#known.set(e, result);
    return result;
  }

  #of(e: Expr): readonly Piece[] | null {
    if (!this.#varies(e)) return [{ factor: e, data: ONE }];
    if (e.kind !== 'apply' || !SPLIT.has(e.op)) return isData(e) ? [{ factor: ONE, data: e }] : null;
    const parts = e.args.map((each) => this.of(each));
    const [first, second = []] = parts;
    if (first === null || second === null) return null;
    switch (e.op) {
      case 'neg':
        return first.map(({ data, factor }) => ({ data, factor: neg(factor) }));
      case 'add':
        return [...first, ...second];
      case 'sub':
        return [...first, ...second.map(({ data, factor }) => ({ data, factor: neg(factor) }))];
      case 'mul':
        return first.flatMap((a) =>
          second.map((b) => ({ data: mul(a.data, b.data), factor: mul(a.factor, b.factor) })),
        );
      case 'div': {
        if (second.length !== 1) return null;
        const [by] = second;
        return first.map(({ data, factor }) => ({ data: div(data, by.data), factor: div(factor, by.factor) }));
      }
      default:
        return null;
    }
  }

  #varies(e: Expr): boolean {
    return someNode(e, (node) => node.kind === 'get' && node.local === this.#index);
  }
}

const SPLIT: ReadonlySet<string> = new Set(['neg', 'add', 'sub', 'mul', 'div']);

/** Whether an expression of an iteration reads nothing that the log density computes. */
function isData(e: Expr): boolean {
  return everyNode(e, (node) => node.kind !== 'get' || node.type === 'int');
}
