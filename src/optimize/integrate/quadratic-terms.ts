import { Builder, type Names } from '../../ir/builder.js';
import { add, get, int, isValue, load, neg, ONE, size, ZERO } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf, Variable } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { copyOf } from '../../ir/remake.js';
import { blocksOf, mapExpression, mapExpressions } from '../../ir/walk.js';
import { expressionAt } from '../loops/iterations.js';
import { ownTerms } from './accumulators.js';
import type { BlockFacts } from './block-facts.js';
import { KnownBounds } from './block-index.js';
import { Dependents } from './dependents.js';
import { FilledContainers } from './filled-containers.js';
import { Definitions, type Frame } from './lasting.js';
import { LOOPS, rowProduct } from './loop-products.js';
import { rowsOf } from './loop-rows.js';
import type { LoopSum } from './loop-sums.js';
import { MatrixProducts } from './matrix-products.js';
import { NotQuadratic } from './not-quadratic.js';
import { constantPolynomial, type Element, mapped, type Polynomial, Polynomials } from './polynomial.js';
import { Renaming } from './renaming.js';
import type { Site } from './row-sums.js';
import { SplitContainers } from './split-containers.js';

/** Receives the terms of the log density that depend on the parameters, at the point of the block where they are added. */
export interface TermSink {
  linear(site: Site, element: Element, coefficient: Expr): void;
  square(site: Site, elements: readonly [Element, Element], coefficient: Expr, areSame: boolean): void;
}

/** The number of a parameter's elements, and that of each block, if it consists of blocks. */
export interface RootSizes {
  readonly size: Expr;
  readonly width: Expr | null;
}

/**
 * Writes the statements of a log density that compute the coefficients of its terms of first and second degree in parameters, without its
 * other terms. All variables are new, so that the statements can precede the log density. `roots` are the containers that hold the
 * parameters' values. Terms may be written more than once, each time to a new sink; the last time counts.
 *
 * Throws `NotQuadratic` if the log density has other terms, or reads the parameters in ways that are not followed: in called functions,
 * other kernels than `MatrixProducts` knows, conditions, and sums of loops that do more than `loopSumsOf` finds.
 */
export function quadraticTerms(
  names: Names,
  logDensity: BlockFacts,
  roots: ReadonlyMap<Ref, RootSizes>,
  newSink: () => TermSink,
): Block {
  const dependents = new Dependents(logDensity.flow, roots.keys());
  // The elements that a container's elements read are known only after its stores have been visited.
  let elements: ReadonlyMap<Ref, readonly Ref[]> = new Map();
  const stands = new Map<string, Ref>();
  const standFor = (product: Variable, k: number): Ref => {
    const key = `${product.id} ${k}`;
    const made = stands.get(key) ?? new Builder(names).newRef('real', 1, product.name);
    stands.set(key, made);
    return made;
  };
  for (;;) {
    const writer = new Writer(names, logDensity, roots, dependents, elements, standFor, newSink());
    const written = writer.write();
    if (!writer.splits.hasMore) return written;
    elements = writer.splits.found;
  }
}

class Writer {
  readonly #builder: Builder;
  readonly #dependents: Dependents;
  readonly #sink: TermSink;
  readonly #polynomials = new Polynomials();
  readonly #renaming: Renaming;
  readonly #facts: BlockFacts;
  readonly splits: SplitContainers;
  /** Views of the parameters: where they begin, and their sizes. */
  readonly #views = new Map<Ref, { readonly of: Ref; readonly offset: Expr; readonly sizes: readonly Expr[] }>();
  readonly #definitions: Definitions;
  readonly #products: MatrixProducts;
  readonly #bounds = new KnownBounds();
  readonly #roots: ReadonlyMap<Ref, RootSizes>;
  readonly #fixedViews = new Set<Ref>();
  #statementNumber = 0;
  /** The number of the outermost loop around the statement. */
  #loopNumber = 0;
  readonly #filled: FilledContainers;
  #frame: Frame | null = null;
  #values = new Map<Local, Polynomial>();
  /** Integers that are assigned once, as expressions of data and of indexes of loops. */
  #indexes = new Map<Local, Expr>();

  constructor(
    names: Names,
    facts: BlockFacts,
    roots: ReadonlyMap<Ref, RootSizes>,
    dependents: Dependents,
    elements: ReadonlyMap<Ref, readonly Ref[]>,
    standFor: (product: Variable, k: number) => Ref,
    sink: TermSink,
  ) {
    this.#builder = new Builder(names);
    this.#renaming = new Renaming(this.#builder, (variable) => facts.isOwn(variable));
    this.#facts = facts;
    this.#dependents = dependents;
    this.#sink = sink;
    this.splits = new SplitContainers(this.#builder, elements);
    this.#roots = roots;
    for (const [root, { size }] of roots) this.#views.set(root, { of: root, offset: int(0), sizes: [size] });
    this.#products = new MatrixProducts({
      builder: this.#builder,
      polynomials: this.#polynomials,
      bounds: this.#bounds,
      standFor,
      elementOf: (ref, at) => this.#elementOf(ref, at),
      constantOf: (ref) => this.splits.constantOf(ref),
      renamed: (e) => this.#renamed(e),
      refOf: (ref) => this.#renaming.ref(ref),
      dependsOnParameters: (ref) => dependents.has(rootOf(ref)),
      isFinal: (ref) => facts.isFinal(ref, this.#statementNumber + 1),
    });
    this.#definitions = new Definitions((ref) => this.#fixedViews.has(ref) || facts.isInput(ref));
    this.#filled = new FilledContainers(
      this.#polynomials,
      this.#definitions,
      this.#bounds,
      (e) => this.#renamed(e),
      (ref) => facts.isFinal(this.#renaming.original(ref), this.#loopNumber),
    );
  }

  write(): Block {
    return this.#builder.capture(() => this.#statements(this.#facts.block));
  }

  /** What a block assigns is known only inside it. */
  #statements(block: Block): void {
    const [values, indexes] = [this.#values, this.#indexes];
    this.#values = new Map(values);
    this.#indexes = new Map(indexes);
    const write = (): void => {
      for (const statement of block) {
        this.#statementNumber = this.#facts.numberOf(statement);
        this.#statement(statement);
      }
    };
    this.#filled.within(block, () => this.#bounds.within(write));
    this.#values = values;
    this.#indexes = indexes;
  }

  #statement(statement: Statement): void {
    const builder = this.#builder;
    switch (statement.kind) {
      case 'assign':
        this.#assign(statement);
        return;
      case 'store':
        this.#store(statement);
        return;
      case 'target':
        this.#target(statement);
        return;
      case 'allocate':
        this.#allocate(statement);
        return;
      case 'view':
        this.#view(statement);
        return;
      case 'for':
        this.#loop(statement);
        return;
      case 'while': {
        const condition = this.#renamed(statement.condition);
        this.#filled.forget(statement.body);
        const frame = {
          index: builder.newLocal('int', 'i'),
          from: int(0),
          to: int(0),
          outer: null,
          isSimple: false,
          before: [],
          after: [],
        };
        builder.while(condition, () => this.#within(frame, () => this.#statements(statement.body)));
        this.#filled.forget(statement.body);
        return;
      }
      case 'if': {
        if (this.#dependents.inExpression(statement.condition)) throw new NotQuadratic('a condition reads it');
        const condition = this.#renamed(statement.condition);
        const branches = [statement.then, statement.otherwise].map((branch) => () => {
          this.#filled.inBranch(() => this.#within(null, () => this.#statements(branch)));
        });
        builder.if(condition, branches[0], branches[1]);
        for (const branch of [statement.then, statement.otherwise]) this.#filled.forget(branch);
        return;
      }
      case 'arena':
        builder.emit({ kind: 'arena', body: builder.capture(() => this.#statements(statement.body)) });
        return;
      case 'check':
        // The log density checks what depends on the parameters.
        if (!this.#dependents.inStatement(statement)) {
          const copy = this.#copy(statement);
          builder.emit(copy);
          this.#bounds.addCheck(copy.condition);
        }
        return;
      case 'print':
        return;
      case 'kernel':
      case 'call':
        this.#filled.forget([statement]);
        if (this.#dependents.inStatement(statement)) {
          if (statement.kind === 'kernel' && this.#follows(statement)) return;
          throw new NotQuadratic(
            statement.kind === 'call' ? 'a function that is called reads it' : 'a matrix operation reads it',
          );
        }
        builder.emit(this.#copy(statement));
        return;
      case 'reject':
        if (this.#dependents.inStatement(statement)) throw new NotQuadratic('a message of reject reads it');
        builder.emit(this.#copy(statement));
        return;
      default:
        if (blocksOf(statement).length > 0 || statement.kind === 'exit') {
          throw new NotQuadratic('statements around it are left by a jump');
        }
        throw new Error(`integrate: ${statement.kind} in a log density`);
    }
  }

  /** Whether the results of a matrix operation can be followed. */
  #follows(statement: StatementOf<'kernel'>): boolean {
    const small = this.#products.smallSolution(statement, this.#filled.elements);
    if (small !== null) this.#filled.setElements(small.out, small.elements);
    return small !== null || (this.#frame === null && this.#products.multiply(statement));
  }

  /** What a loop or a condition does to containers is known only if `frame` is. */
  #within(frame: Frame | null, write: () => void): void {
    const outer = this.#frame;
    this.#frame = frame ?? (outer && { ...outer, outer: null, isSimple: false });
    write();
    this.#frame = outer;
  }

  #loop(statement: StatementOf<'for'>): void {
    const builder = this.#builder;
    const sum = this.#facts.loopSums.get(statement);
    if (sum !== undefined && this.#dependents.has(sum.local) && !this.#facts.accumulators.has(sum.local)) {
      this.#addLoop(statement, sum);
      return;
    }
    const [from, to] = [statement.from, statement.to].map((e) => this.#renamed(e));
    const isSimple = this.#frame === null;
    if (isSimple) this.#loopNumber = this.#facts.numberOf(statement);
    const index = builder.newLocal('int', statement.index.name);
    const outer = this.#frame?.isSimple === true ? this.#frame.index : null;
    const frame: Frame = { index, outer, from, to, isSimple, before: [], after: [] };
    this.#bounds.addLoop(index, from, to);
    this.#filled.fill(statement, frame, () => {
      const body = builder.capture(() =>
        this.#within(frame, () => {
          this.#indexes.set(statement.index, get(index));
          this.#statements(statement.body);
        }),
      );
      for (const write of frame.before) write();
      builder.emit({ kind: 'for', index, from, to, body });
    });
    for (const write of frame.after) write();
  }

  /** Follows a loop that adds up elements of parameters, each with its own coefficient. */
  #addLoop({ from, index, to }: StatementOf<'for'>, { local, term }: LoopSum): void {
    const builder = this.#builder;
    const before = this.#values.get(local);
    if (before === undefined || !isValue(from, 0)) throw new NotQuadratic(LOOPS);
    const columns = this.#renamed(to);
    const k = builder.newLocal('int', index.name);
    this.#bounds.addLoop(k, int(0), columns);
    this.#indexes.set(index, get(k));
    const { constant, linear, square } = this.#polynomial(term);
    if (square.size > 0) throw new NotQuadratic('the log density is not quadratic in it');
    const start = isValue(constant, 0) ? ZERO : builder.sum(columns, (column) => expressionAt(constant, k, column));
    const context = {
      builder,
      definitions: this.#definitions,
      frame: this.#frame,
      polynomials: this.#polynomials,
      products: this.#products,
    };
    const sum = [...linear.values()]
      .map(({ coefficient, element }, position) =>
        rowProduct(context, local, position, { k, columns }, element, coefficient),
      )
      .reduce((total, each) => this.#polynomials.sum(total, each), constantPolynomial(start));
    this.#values.set(local, this.#polynomials.sum(before, sum));
  }

  #bind(e: Expr, name: string): Expr {
    const bound = this.#builder.bind(e, name);
    if (bound.kind === 'get') this.#definitions.note(bound.local, e, this.#frame);
    return bound;
  }

  #assign({ local, value }: StatementOf<'assign'>): void {
    const builder = this.#builder;
    if (!this.#dependents.has(local)) {
      const renamed = this.#renamed(value);
      const own = this.#renaming.newLocal(local);
      builder.assign(own, renamed);
      if (!this.#facts.isOnce(local)) return;
      this.#definitions.note(own, renamed, this.#frame);
      // Equal indexes are recognized if they are expressions.
      if (local.type === 'int' && this.#facts.isLasting(value)) this.#indexes.set(local, renamed);
      return;
    }
    if (this.#facts.accumulators.has(local)) {
      this.#addTerms(value);
      return;
    }
    if (!this.#facts.isOnce(local) && !this.#facts.summed.has(local)) {
      throw new NotQuadratic('a variable that depends on it is assigned more than once');
    }
    this.#values.set(
      local,
      mapped(this.#polynomial(value), (x) => (this.#isStable(x) ? x : this.#bind(x, local.name))),
    );
  }

  /** Whether copies of an expression cost nothing and keep its value. */
  #isStable(e: Expr): boolean {
    return e.kind === 'load' ? this.#definitions.isFixed(e.ref) : e.kind !== 'apply';
  }

  #store({ index, ref, value }: StatementOf<'store'>): void {
    const builder = this.#builder;
    if (this.#frame === null) this.#filled.remove(rootOf(ref));
    if (!this.#dependents.has(rootOf(ref))) {
      const renamed = this.#renamed(value);
      if (ref.element === 'real') this.#filled.note(this.#frame, ref, constantPolynomial(renamed), null);
      builder.store(this.#renaming.ref(ref), this.#renamed(index), renamed);
      return;
    }
    const at = this.#bind(this.#renamed(index), 'at');
    const polynomial = this.#polynomial(value);
    if (polynomial.square.size > 0) throw new NotQuadratic('the log density is not quadratic in it');
    const constant = this.splits.constantOf(ref);
    this.#filled.note(this.#frame, ref, polynomial, constant && { in: constant, at });
    const bound = mapped(polynomial, (e) => builder.bind(e, 'coefficient'));
    this.#filled.setElement(ref, at, bound);
    this.splits.store(ref, at, bound);
  }

  #target({ term, value }: StatementOf<'target'>): void {
    if (!this.#dependents.inExpression(value)) return;
    if (term !== 'always') throw new NotQuadratic('the log density is not quadratic in it');
    this.#addTerms(value);
  }

  #addTerms(value: Expr): void {
    for (const { negative, value: term } of ownTerms(value, this.#facts.accumulators)) {
      if (!this.#dependents.inExpression(term)) continue;
      const { linear, square } = this.#polynomial(negative ? neg(term) : term);
      const site = this.#site();
      for (const { coefficient, element } of linear.values()) this.#sink.linear(site, element, coefficient);
      for (const { coefficient, elements } of square.values()) {
        const areSame = this.#polynomials.isSame(...elements);
        this.#sink.square(site, elements, coefficient, areSame);
      }
    }
  }

  #site(): Site {
    return {
      builder: this.#builder,
      productOf: (of) => this.#products.productOf(of),
      faceOf: (of) => this.#products.faceOf(of),
      rowsOf: (coefficient, indexes) => rowsOf(this.#builder, this.#definitions, this.#frame, coefficient, indexes),
    };
  }

  /** An element of a container, if it is known as an expression of its index. */
  #elementOf(ref: Ref, at: Expr): Polynomial | undefined {
    const view = this.#views.get(ref);
    if (view !== undefined)
      return this.#polynomials.ofElement(this.#parameterElement(view.of, add(view.offset, at)), ONE);
    return this.#products.elementOf(ref, at) ?? this.#filled.elementOf(ref, at);
  }

  #parameterElement(of: Ref, at: Expr): Element {
    const width = this.#roots.get(of)?.width ?? null;
    if (width === null) return { of, index: at };
    const { block, within } = this.#bounds.blockIndex(at, width);
    return { of, index: block, within };
  }

  #allocate(statement: StatementOf<'allocate'>): void {
    const { ref } = statement;
    const builder = this.#builder;
    const sizes = statement.sizes.map((each) => this.#renamed(each));
    this.#filled.setSizes(ref, this.#frame === null ? sizes : null);
    if (!this.#dependents.has(ref)) {
      builder.emit({ ...this.#copy(statement), ref: this.#renaming.newRef(ref, null) });
      return;
    }
    this.splits.allocate(statement, sizes);
  }

  #view({ offset, ref, sizes }: StatementOf<'view'>): void {
    const builder = this.#builder;
    const { parent } = ref;
    if (parent === null) throw new Error('integrate: a view has a parent');
    const own = { offset: this.#renamed(offset), sizes: sizes.map((each) => this.#renamed(each)) };
    const known = this.#views.get(parent);
    if (known !== undefined) {
      const held = own.sizes.map((each) => builder.bind(each, 'size'));
      this.#views.set(ref, {
        of: known.of,
        offset: builder.bind(add(known.offset, own.offset), 'offset'),
        sizes: held,
      });
    } else if (this.#products.has(parent)) {
      this.#products.view(ref, parent, builder.bind(own.offset, 'offset'));
    } else if (this.#dependents.has(rootOf(ref))) {
      this.splits.view(ref, parent, own.offset, own.sizes);
    } else {
      const made = this.#renaming.newRef(ref, this.#renaming.ref(parent));
      builder.emit({ kind: 'view', ref: made, ...own });
      if (this.#frame === null && this.#definitions.isFixed(this.#renaming.ref(parent))) this.#fixedViews.add(made);
    }
  }

  #polynomial(e: Expr): Polynomial {
    if (!this.#dependents.inExpression(e)) return constantPolynomial(this.#renamed(e));
    const polynomials = this.#polynomials;
    const refuse = (): never => {
      throw new NotQuadratic('the log density is not quadratic in it');
    };
    switch (e.kind) {
      case 'get':
        return this.#values.get(e.local) ?? refuse();
      case 'load':
        return this.#loaded(e.ref, this.#renamed(e.index));
      case 'apply': {
        const [first, second] = e.args;
        switch (e.op) {
          case 'add':
            return polynomials.sum(this.#polynomial(first), this.#polynomial(second));
          case 'sub':
            return polynomials.difference(this.#polynomial(first), this.#polynomial(second));
          case 'neg':
            return polynomials.negative(this.#polynomial(first));
          case 'mul':
            return polynomials.product(this.#polynomial(first), this.#polynomial(second)) ?? refuse();
          case 'div':
            return polynomials.quotient(this.#polynomial(first), this.#polynomial(second)) ?? refuse();
          default:
            return refuse();
        }
      }
      default:
        return refuse();
    }
  }

  #loaded(ref: Ref, at: Expr): Polynomial {
    const polynomials = this.#polynomials;
    const known = this.#elementOf(ref, at);
    if (known !== undefined) return known;
    if (this.splits.termsOf(ref).some((of) => this.#isOfBlocks(of))) {
      throw new NotQuadratic('its elements are read in an order that is not followed');
    }
    return this.splits.elementOf(ref, at, polynomials, (of, stored) => {
      const isScalar = isValue(this.#views.get(of)?.sizes[0] ?? ZERO, 1);
      return isScalar ? int(0) : stored;
    });
  }

  #isOfBlocks(of: Ref): boolean {
    return (this.#roots.get(this.#products.rootOf(of))?.width ?? null) !== null;
  }

  /** The expression in the new variables. */
  #renamed(root: Expr): Expr {
    if (this.#dependents.inExpression(root)) throw new NotQuadratic('the log density is not quadratic in it');
    return mapExpression(root, (e) => {
      switch (e.kind) {
        case 'get':
          return this.#local(e.local);
        case 'load': {
          return this.#filled.constantOf(e.ref, e.index) ?? load(this.#renaming.ref(e.ref), e.index);
        }
        case 'size':
          return this.#size(e.ref, e.axis);
        case 'target':
          throw new NotQuadratic('the program reads the log density');
        default:
          return e;
      }
    });
  }

  #size(ref: Ref, axis: number): Expr {
    const view = this.#views.get(ref);
    if (view !== undefined) return view.sizes[axis];
    return size(this.splits.constantOf(ref) ?? this.#renaming.ref(ref), axis);
  }

  #local(local: Local): Expr {
    return this.#indexes.get(local) ?? get(this.#renaming.local(local));
  }

  /** A statement without blocks in the new variables. */
  #copy<S extends Statement>(statement: S): S {
    // The block contains the original as well, and passes identify statements.
    const own = copyOf(mapExpressions(statement, (e) => this.#renamed(e)));
    const renamed = this.#renaming.statement(own);
    if (!isOf(renamed, statement)) throw new Error('integrate: a copy has the kind of its original');
    return renamed;
  }
}

function isOf<S extends Statement>(statement: Statement, original: S): statement is S {
  return statement.kind === original.kind;
}
