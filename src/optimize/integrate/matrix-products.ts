import type { Builder } from '../../ir/builder.js';
import { pointer } from '../../ir/builder.js';
import {
  add,
  apply,
  get,
  int,
  isConst,
  isGetOf,
  isNumber,
  isValue,
  load,
  maxInt,
  mul,
  ONE,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import type { Expr, KernelArgument, Local, Ref, StatementOf, Variable } from '../../ir/nodes.js';
import { someNode } from '../../ir/walk.js';
import { expressionAt } from '../loops/iterations.js';
import type { KnownBounds } from './block-index.js';
import { constantPolynomial, type Element, mapped, type Polynomial, type Polynomials } from './polynomial.js';
import type { Face, Product } from './products.js';

/** What products need of the statements around them. */
export interface ProductContext {
  readonly builder: Builder;
  readonly polynomials: Polynomials;
  readonly bounds: KnownBounds;
  /** What stands for the elements of a product's term in polynomials. */
  standFor(product: Variable, term: number): Ref;
  /** An element of a container as an expression of its index; undefined if it is unknown. */
  elementOf(ref: Ref, at: Expr): Polynomial | undefined;
  /** The container that holds what does not depend on the parameters; null if it has no such part. */
  constantOf(ref: Ref): Ref | null;
  renamed(e: Expr): Expr;
  refOf(ref: Ref): Ref;
  dependsOnParameters(ref: Ref): boolean;
  /** Whether no later statement writes the container. */
  isFinal(ref: Ref): boolean;
}

type Pointer = Extract<KernelArgument, { readonly kind: 'pointer' }>;

/** Products of matrices and parameters. Each of a product's terms, one for each parameter, is linear in that parameter. */
export class MatrixProducts {
  readonly #context: ProductContext;
  /** Terms by what stands for them. */
  readonly #products = new Map<Ref, Product>();
  readonly #faces = new Map<Ref, Face>();
  /** The elements of containers that hold products. */
  readonly #forms = new Map<Ref, (row: Expr) => Polynomial>();

  constructor(context: ProductContext) {
    this.#context = context;
  }

  productOf(of: Ref): Product | undefined {
    return this.#products.get(of);
  }

  faceOf(of: Ref): Face | undefined {
    return this.#faces.get(of);
  }

  elementOf(ref: Ref, at: Expr): Polynomial | undefined {
    return this.#forms.get(ref)?.(at);
  }

  has(ref: Ref): boolean {
    return this.#forms.has(ref);
  }

  /** Follows a view of a product. */
  view(ref: Ref, parent: Ref, offset: Expr): void {
    this.#forms.set(ref, (row) => this.elementOf(parent, add(offset, row)) ?? constantPolynomial(ZERO));
  }

  /** The values of the parameter to which an element with this name belongs. */
  rootOf(of: Ref): Ref {
    const factor = this.productOf(of)?.of ?? of;
    return this.faceOf(factor)?.of ?? factor;
  }

  /** Adds a product as term number `term` of a variable. Returns what stands for its rows. */
  addProduct(out: Variable, term: number, product: Product): Ref {
    const stand = this.#context.standFor(out, term);
    this.#products.set(stand, product);
    return stand;
  }

  /** Whether the statement, outside of loops, multiplies a matrix and parameters that can be followed. */
  multiply({ args, name }: StatementOf<'kernel'>): boolean {
    const [out, matrix, other, ...sizes] = args;
    if (out.kind !== 'pointer' || matrix?.kind !== 'pointer' || other?.kind !== 'pointer') return false;
    const numbers = sizes.filter(isNumber);
    const { builder, dependsOnParameters, isFinal, refOf, renamed } = this.#context;
    const isUnused = out.offset === null && out.ref.parent === null && isFinal(out.ref);
    if (!isUnused || dependsOnParameters(matrix.ref)) return false;
    const held = numbers.map((e) => builder.bind(renamed(e), 'size'));
    const start = builder.bind(renamed(matrix.offset ?? int(0)), 'offset');
    switch (name) {
      case 'gemv':
        return (
          numbers.length === 2 && isFinal(matrix.ref) && this.#vector(out.ref, refOf(matrix.ref), start, other, held)
        );
      case 'gemm': {
        const [height, width, count] = numbers;
        return numbers.length === 3 && this.#blocks(out.ref, matrix, other, [height, width, count], 'product');
      }
      case 'solve_lower': {
        const [width, count] = numbers;
        if (numbers.length === 2 && isValue(count, 1)) {
          const inverse = this.#copyOf(matrix, 'solution', held[0], held[0]);
          return this.#vector(out.ref, inverse, int(0), other, [held[0], held[0]]);
        }
        return numbers.length === 2 && this.#blocks(out.ref, matrix, other, [width, width, count], 'solution');
      }
      default:
        return false;
    }
  }

  /** The elements of the solution of a triangular system with a few equations, given the right-hand side. */
  smallSolution(
    { args, name }: StatementOf<'kernel'>,
    known: ReadonlyMap<Ref, ReadonlyMap<number, Polynomial>>,
  ): { readonly out: Ref; readonly elements: ReadonlyMap<number, Polynomial> } | null {
    const [out, matrix, vector, size, count] = args;
    if (name !== 'solve_lower' || out.kind !== 'pointer' || out.offset !== null || out.ref.parent !== null) return null;
    if (matrix.kind !== 'pointer' || vector.kind !== 'pointer' || vector.offset !== null) return null;
    if (size.kind !== 'const' || size.value > MAX_SMALL || count.kind !== 'const' || count.value !== 1) return null;
    const { builder, dependsOnParameters, polynomials, refOf, renamed } = this.#context;
    const right = known.get(vector.ref);
    if (right === undefined || dependsOnParameters(matrix.ref)) return null;
    const offset = renamed(matrix.offset ?? int(0));
    const from = refOf(matrix.ref);
    const factor = (row: number, column: number): Polynomial =>
      constantPolynomial(builder.bind(load(from, add(offset, int(row + column * size.value))), 'factor'));
    const elements = new Map<number, Polynomial>();
    for (let row = 0; row < size.value; row++) {
      let rest = right.get(row);
      for (const [column, value] of elements) {
        const product = polynomials.product(factor(row, column), value);
        rest = rest && product && polynomials.difference(rest, product);
      }
      const value = rest && polynomials.quotient(rest, factor(row, row));
      if (value === undefined) return null;
      elements.set(
        row,
        mapped(value, (e) => builder.bind(e, 'element')),
      );
    }
    return { out: out.ref, elements };
  }

  /** The product of a matrix and a vector. `offset`: where the matrix begins in its container. */
  #vector(out: Ref, matrix: Ref, offset: Expr, vector: Pointer, [height, width]: readonly Expr[]): boolean {
    const { builder, constantOf, elementOf, renamed } = this.#context;
    const from = builder.bind(renamed(vector.offset ?? int(0)), 'offset');
    const k = builder.newLocal('int', 'k');
    const held = elementOf(vector.ref, add(from, get(k)));
    const constants = constantOf(vector.ref);
    if (held === undefined || (constants === null && !isValue(held.constant, 0))) return false;
    const terms = [...held.linear.values()];
    if (terms.some(({ element: { within } }) => within !== undefined)) return false;
    const weight = (row: Expr, column: Expr): Expr => load(matrix, add(offset, add(row, mul(column, height))));
    const stands = terms.map(({ coefficient, element }, term) =>
      this.addProduct(out, term, {
        of: element.of,
        columns: width,
        weight,
        scale: (column) => expressionAt(coefficient, k, column),
        index: (column) => expressionAt(element.index, k, column),
      }),
    );
    const constant = isValue(held.constant, 0) || constants === null ? null : builder.allocate('real', [height]);
    if (constant !== null && constants !== null) {
      const operands = [pointer(constant), pointer(matrix, offset), pointer(constants, from)];
      builder.kernel('gemv', [...operands, height, width]);
    }
    this.#forms.set(out, (row) =>
      this.#sum(
        stands.map((of) => ({ of, index: row })),
        constant === null ? ZERO : load(constant, row),
      ),
    );
    return true;
  }

  /**
   * The product of a matrix and all blocks of a parameter, or the solution of a triangular system, which is the product with the inverse. The
   * parameter's coefficients must be the same in all blocks.
   */
  #blocks(
    out: Ref,
    matrix: Pointer,
    other: Pointer,
    sizes: readonly [Expr, Expr, Expr],
    what: 'product' | 'solution',
  ): boolean {
    const { bounds, builder, constantOf, elementOf, renamed } = this.#context;
    const [height, width, count] = sizes.map((e) => renamed(e));
    const [k, j] = [builder.newLocal('int', 'k'), builder.newLocal('int', 'j')];
    bounds.addLoop(k, int(0), width);
    bounds.addLoop(j, int(0), count);
    const offset = renamed(other.offset ?? int(0));
    const held = elementOf(other.ref, add(offset, add(mul(get(j), width), get(k))));
    if (held === undefined) return false;
    const constants = constantOf(other.ref);
    if (constants === null && !isValue(held.constant, 0)) return false;
    const terms = [...held.linear.values()];
    const isBlock = ({ index, within }: Element): boolean =>
      within !== undefined && isGetOf(j)(index) && isGetOf(k)(within);
    const isFollowed = terms.every(
      ({ coefficient, element }) =>
        !reads(coefficient, j) && (isBlock(element) || (element.within === undefined && !reads(element.index, j))),
    );
    if (!isFollowed || !terms.some(({ element }) => isBlock(element))) return false;
    const own = this.#copyOf(matrix, what, height, width);
    const stands = terms.map(({ coefficient, element }, term) => {
      const scale = (column: Expr): Expr => expressionAt(coefficient, k, column);
      if (isBlock(element)) {
        const stand = this.#context.standFor(out, term);
        this.#faces.set(stand, { of: element.of, matrix: this.#scaled(own, height, width, scale), height });
        return { stand, isFace: true };
      }
      const stand = this.addProduct(out, term, {
        of: element.of,
        columns: width,
        weight: (row, column) => load(own, add(remainder(row, height), mul(column, height))),
        scale,
        index: (column) => expressionAt(element.index, k, column),
      });
      return { stand, isFace: false };
    });
    const constant = isValue(held.constant, 0) || constants === null ? null : builder.allocate('real', [height, count]);
    if (constant !== null && constants !== null) {
      builder.kernel('gemm', [pointer(constant), pointer(own), pointer(constants, offset), height, width, count]);
    }
    this.#forms.set(out, (row) => {
      const { block, within } = bounds.blockIndex(row, height);
      const elements = stands.map(
        ({ isFace, stand }): Element => (isFace ? { of: stand, index: block, within } : { of: stand, index: row }),
      );
      return this.#sum(elements, constant === null ? ZERO : load(constant, row));
    });
    return true;
  }

  /** The matrix, or its inverse, in a container that nothing else writes. */
  #copyOf({ offset, ref }: Pointer, what: 'product' | 'solution', height: Expr, width: Expr): Ref {
    const { builder, refOf, renamed } = this.#context;
    const copy = builder.allocate('real', [mul(height, width)], 'matrix');
    const start = renamed(offset ?? int(0));
    const from = refOf(ref);
    if (what === 'product') {
      builder.each(mul(height, width), (k) => builder.store(copy, k, load(from, add(start, k))));
      return copy;
    }
    const identity = builder.allocate('real', [mul(width, width)], 'identity', 'zero');
    builder.each(width, (k) => builder.store(identity, mul(k, add(width, int(1))), ONE));
    builder.kernel('solve_lower', [pointer(copy), pointer(from, start), pointer(identity), width, width]);
    return copy;
  }

  #scaled(matrix: Ref, height: Expr, width: Expr, scale: (column: Expr) => Expr): Ref {
    const { builder } = this.#context;
    if (isValue(scale(int(0)), 1)) return matrix;
    const scaled = builder.allocate('real', [mul(height, width)], 'scaled');
    builder.each(width, (column) =>
      builder.each(height, (row) => {
        const at = add(row, mul(column, height));
        builder.store(scaled, at, mul(load(matrix, at), scale(column)));
      }),
    );
    return scaled;
  }

  #sum(elements: readonly Element[], constant: Expr): Polynomial {
    const { polynomials } = this.#context;
    return elements
      .map((element) => polynomials.ofElement(element, ONE))
      .reduce((sum, form) => polynomials.sum(sum, form), constantPolynomial(constant));
  }
}

/** Maximum number of equations that are solved one by one. */
const MAX_SMALL = 8;

function reads(e: Expr, local: Local): boolean {
  return someNode(e, isGetOf(local));
}

function remainder(e: Expr, by: Expr): Expr {
  const divisor = isConst(by) ? by : maxInt(by, int(1));
  return sub(e, mul(apply('div_int', 'int', e, divisor), by));
}
