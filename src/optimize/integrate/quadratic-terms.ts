import { writesOf } from '../../dataflow/effects.js';
import { Builder, type Names } from '../../ir/builder.js';
import {
  add,
  get,
  int,
  isGetOf,
  isNumber,
  isValue,
  iterationsOf,
  load,
  mul,
  neg,
  ONE,
  size,
  sub,
  ZERO,
} from '../../ir/expressions.js';
import { sameExpression } from '../../ir/interned.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import {
  assignedLocals,
  blocksOf,
  definedRefs,
  mapExpression,
  mapExpressions,
  visitStatements,
} from '../../ir/walk.js';
import { expressionAt } from '../iterations.js';
import { accumulatorsOf, ownTerms } from './accumulators.js';
import { type ContainerValue, elementAt, isCheap, ownElement } from './container-values.js';
import { Dependents } from './dependents.js';
import { Definitions, type Frame, piecesOf } from './lasting.js';
import { NotQuadratic } from './not-quadratic.js';
import { constantPolynomial, type Element, isConstant, mapped, type Polynomial, Polynomials } from './polynomial.js';
import type { Product } from './products.js';
import { Renaming } from './renaming.js';
import type { Rows, Site } from './row-sums.js';

/** Receives the terms of the log density that depend on the parameters, at the point of the block where they are added. */
export interface TermSink {
  linear(site: Site, element: Element, coefficient: Expr): void;
  square(site: Site, elements: readonly [Element, Element], coefficient: Expr, areSame: boolean): void;
}

/** A container whose elements are linear in the parameters: it becomes one container for each coefficient. */
interface Split {
  readonly constant: Ref;
  readonly terms: readonly { readonly of: Ref; readonly coefficient: Ref; readonly index: Ref }[];
}

/**
 * Writes the statements of a log density that compute the coefficients of its terms of first and second degree in parameters, without its
 * other terms. All variables are new, so that the statements can precede the log density. `roots` are the containers that hold the
 * parameters' values. Terms may be written more than once, each time to a new sink; the last time counts.
 *
 * Throws `NotQuadratic` if the log density has other terms, or reads the parameters in ways that are not followed: in called functions,
 * kernels, conditions, and sums that loops accumulate in a variable.
 */
export function quadraticTerms(
  names: Names,
  block: Block,
  roots: ReadonlyMap<Ref, Expr>,
  newSink: () => TermSink,
): Block {
  const dependents = new Dependents(block, new Set(roots.keys()));
  // The elements that a container's elements read are known only after its stores have been visited.
  let elements: ReadonlyMap<Ref, readonly Ref[]> = new Map();
  const stands = new Map<string, Ref>();
  const standFor = (product: Ref, k: number): Ref => {
    const key = `${product.id} ${k}`;
    const made = stands.get(key) ?? new Builder(names).newRef('real', 1, product.name);
    stands.set(key, made);
    return made;
  };
  for (;;) {
    const writer = new Writer(names, block, roots, dependents, elements, standFor, newSink());
    const written = writer.write();
    if (!writer.hasMore) return written;
    elements = writer.found;
  }
}

class Writer {
  /** The parameters that an element of each container reads, and whether there are more than expected. */
  readonly found: Map<Ref, readonly Ref[]>;
  hasMore = false;
  readonly #builder: Builder;
  readonly #block: Block;
  readonly #dependents: Dependents;
  /** What stands for a term of a product in polynomials. */
  readonly #standFor: (product: Ref, k: number) => Ref;
  readonly #sink: TermSink;
  readonly #polynomials = new Polynomials();
  readonly #renaming: Renaming;
  readonly #assignments = new Map<Local, number>();
  readonly #stored = new Set<Ref>();
  readonly #splits = new Map<Ref, Split>();
  /** Views of the parameters: where they begin, and their sizes. */
  readonly #views = new Map<Ref, { readonly of: Ref; readonly offset: Expr; readonly sizes: readonly Expr[] }>();
  readonly #accumulators: ReadonlySet<Local>;
  readonly #definitions: Definitions;
  /** Products of a matrix and a parameter, by what stands for them in terms. */
  readonly #products = new Map<Ref, Product>();
  /** The products whose sum a container holds. */
  readonly #forms = new Map<Ref, (row: Expr) => Polynomial>();
  /** The statements that write each container, and their order. */
  readonly #writes = new Map<Ref, number>();
  readonly #order = new Map<Statement, number>();
  readonly #sizes = new Map<Ref, Expr>();
  readonly #fixedViews = new Set<Ref>();
  #statementNumber = 0;
  #containers = new Map<Ref, ContainerValue>();
  /** The elements that an iteration of the current loop stores. */
  readonly #filled = new Map<Ref, Polynomial>();
  #frame: Frame | null = null;
  #values = new Map<Local, Polynomial>();
  /** Integers that are assigned once, as expressions of data and of indexes of loops. */
  #indexes = new Map<Local, Expr>();

  constructor(
    names: Names,
    block: Block,
    roots: ReadonlyMap<Ref, Expr>,
    dependents: Dependents,
    elements: ReadonlyMap<Ref, readonly Ref[]>,
    standFor: (product: Ref, k: number) => Ref,
    sink: TermSink,
  ) {
    this.#builder = new Builder(names);
    this.#renaming = new Renaming(this.#builder, block);
    this.#block = block;
    this.#dependents = dependents;
    this.#standFor = standFor;
    this.#sink = sink;
    this.found = new Map(elements);
    for (const [root, length] of roots) this.#views.set(root, { of: root, offset: int(0), sizes: [length] });
    const own = new Set<Ref>();
    visitStatements(block, (statement) => {
      for (const local of assignedLocals(statement)) {
        this.#assignments.set(local, (this.#assignments.get(local) ?? 0) + 1);
      }
      this.#order.set(statement, this.#order.size);
      for (const written of writesOf(statement)) {
        if (written.kind !== 'ref') continue;
        this.#stored.add(rootOf(written));
        this.#writes.set(rootOf(written), this.#order.size);
      }
      for (const defined of definedRefs(statement)) own.add(defined);
    });
    this.#accumulators = accumulatorsOf(block);
    this.#definitions = new Definitions(
      (ref) => this.#fixedViews.has(ref) || (ref.storage === 'global' && !own.has(ref) && !this.#stored.has(ref)),
    );
  }

  write(): Block {
    return this.#builder.capture(() => this.#statements(this.#block));
  }

  /** What a block assigns is known only inside it. */
  #statements(block: Block): void {
    const [values, indexes] = [this.#values, this.#indexes];
    this.#values = new Map(values);
    this.#indexes = new Map(indexes);
    for (const statement of block) {
      this.#statementNumber = this.#order.get(statement) ?? 0;
      this.#statement(statement);
    }
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
        this.#forget(statement.body);
        const frame = {
          index: builder.newLocal('int', 'i'),
          from: int(0),
          to: int(0),
          isSimple: false,
          before: [],
          after: [],
        };
        builder.while(condition, () => this.#within(frame, () => this.#statements(statement.body)));
        this.#forget(statement.body);
        return;
      }
      case 'if': {
        if (this.#dependents.inExpression(statement.condition)) throw new NotQuadratic('a condition reads it');
        const condition = this.#renamed(statement.condition);
        const branches = [statement.then, statement.otherwise].map((branch) => () => {
          const containers = this.#containers;
          this.#containers = new Map(containers);
          this.#within(null, () => this.#statements(branch));
          this.#containers = containers;
        });
        builder.if(condition, branches[0], branches[1]);
        for (const branch of [statement.then, statement.otherwise]) this.#forget(branch);
        return;
      }
      case 'arena':
        builder.emit({ kind: 'arena', body: builder.capture(() => this.#statements(statement.body)) });
        return;
      case 'check':
        // The log density checks what depends on the parameters.
        if (!this.#dependents.inStatement(statement)) builder.emit(this.#copy(statement));
        return;
      case 'print':
        return;
      case 'kernel':
      case 'call':
        this.#forget([statement]);
        if (this.#dependents.inStatement(statement)) {
          if (statement.kind === 'kernel' && this.#isProduct(statement)) return;
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

  /** What a loop or a condition does to containers is known only if `frame` is. */
  #within(frame: Frame | null, write: () => void): void {
    const outer = this.#frame;
    this.#frame = frame ?? (outer && { ...outer, isSimple: false });
    write();
    this.#frame = outer;
  }

  /** The elements of containers that the statements write are no longer known. */
  #forget(block: Block): void {
    visitStatements(block, (statement) => {
      for (const written of writesOf(statement)) if (written.kind === 'ref') this.#containers.delete(rootOf(written));
    });
  }

  #loop(statement: StatementOf<'for'>): void {
    const builder = this.#builder;
    const [from, to] = [statement.from, statement.to].map((e) => this.#renamed(e));
    const isSimple = this.#frame === null;
    const index = builder.newLocal('int', statement.index.name);
    const frame: Frame = { index, from, to, isSimple, before: [], after: [] };
    const own = isSimple ? this.#ownContainers(statement, frame) : [];
    const before = new Map(this.#containers);
    this.#forget(statement.body);
    for (const { ref } of own) {
      const value = before.get(ref);
      if (value !== undefined) this.#containers.set(ref, value);
    }
    const body = builder.capture(() =>
      this.#within(frame, () => {
        this.#indexes.set(statement.index, get(index));
        if (isSimple) this.#filled.clear();
        this.#statements(statement.body);
      }),
    );
    for (const write of frame.before) write();
    builder.emit({ kind: 'for', index, from, to, body });
    this.#forget(statement.body);
    for (const { ref, shift } of own) {
      const polynomial = this.#filled.get(ref);
      if (polynomial !== undefined) this.#containers.set(ref, { index, shift, polynomial });
    }
    for (const write of frame.after) write();
  }

  /** The containers of which each iteration stores one element, so that the loop fills them. */
  #ownContainers({ body, index }: StatementOf<'for'>, frame: Frame) {
    const refs = new Set(body.flatMap((each) => (each.kind === 'store' ? [each.ref] : [])));
    return [...refs].flatMap((ref) => {
      const size = this.#sizes.get(ref);
      const element = ownElement(body, ref);
      if (size === undefined || element === null || ref.parent !== null) return [];
      const shift = shiftOf(element, index);
      if (shift === null) return [];
      const [first, end] = [frame.from, frame.to].map((e) => add(e, int(shift)));
      const isWhole = isValue(first, 0) && sameExpression(end, size) && this.#hasLastingBounds(frame);
      return isWhole ? [{ ref, shift: int(shift) }] : [];
    });
  }

  #hasLastingBounds(frame: Frame): boolean {
    return [frame.from, frame.to].every((e) => this.#definitions.lasting(e, frame) !== null);
  }

  /** Keeps the value of a container's element if it can be computed after the loop. */
  #note(ref: Ref, value: Polynomial): void {
    const frame = this.#frame;
    if (frame === null || !frame.isSimple || value.square.size > 0) return;
    const lasting = (e: Expr): Expr | null => {
      const found = this.#definitions.lasting(e, frame);
      return found !== null && isCheap(found) ? found : null;
    };
    const constant = lasting(value.constant);
    if (constant === null) return;
    let polynomial = constantPolynomial(constant);
    for (const { coefficient, element } of value.linear.values()) {
      const [factor, index] = [coefficient, element.index].map(lasting);
      if (factor === null || index === null) return;
      polynomial = this.#polynomials.sum(polynomial, this.#polynomials.ofElement({ of: element.of, index }, factor));
    }
    this.#filled.set(ref, polynomial);
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
      if (!this.#isOnce(local)) return;
      this.#definitions.note(own, renamed, this.#frame);
      // Equal indexes are recognized if they are expressions.
      if (local.type === 'int' && this.#isLasting(value)) this.#indexes.set(local, renamed);
      return;
    }
    if (this.#accumulators.has(local)) {
      this.#addTerms(value);
      return;
    }
    if (!this.#isOnce(local)) throw new NotQuadratic('a variable that depends on it is assigned more than once');
    this.#values.set(
      local,
      mapped(this.#polynomial(value), (x) => (x.kind === 'apply' ? this.#bind(x, local.name) : x)),
    );
  }

  #isOnce(local: Local): boolean {
    return this.#assignments.get(local) === 1;
  }

  /** Whether an integer expression keeps its value in the whole scope of its variables. */
  #isLasting(e: Expr): boolean {
    switch (e.kind) {
      case 'const':
        return true;
      case 'get':
        return !this.#assignments.has(e.local) || this.#isOnce(e.local);
      case 'load':
        return e.type === 'int' && !this.#stored.has(rootOf(e.ref)) && this.#isLasting(e.index);
      case 'size':
        return true;
      case 'apply':
        return e.args.every((each) => this.#isLasting(each));
      default:
        return false;
    }
  }

  #store({ index, ref, value }: StatementOf<'store'>): void {
    const builder = this.#builder;
    if (this.#frame === null) this.#containers.delete(rootOf(ref));
    if (!this.#dependents.has(rootOf(ref))) {
      const renamed = this.#renamed(value);
      if (ref.element === 'real') this.#note(ref, constantPolynomial(renamed));
      builder.store(this.#renaming.ref(ref), this.#renamed(index), renamed);
      return;
    }
    const { constant, terms } = this.#split(ref);
    const at = this.#bind(this.#renamed(index), 'at');
    const polynomial = this.#polynomial(value);
    const { linear, square, constant: rest } = polynomial;
    if (square.size > 0) throw new NotQuadratic('the log density is not quadratic in it');
    this.#note(ref, polynomial);
    const held = builder.bind(rest, 'rest');
    const found = [...linear.values()].map(({ coefficient, element: { index, of } }) => ({
      coefficient: builder.bind(coefficient, 'slope'),
      element: { of, index: builder.bind(index, 'index') },
    }));
    const left = [...terms];
    builder.store(constant, at, held);
    const missing: Ref[] = [];
    for (const { coefficient, element } of found) {
      const k = left.findIndex(({ of }) => of === element.of);
      if (k < 0) {
        missing.push(element.of);
        continue;
      }
      const [term] = left.splice(k, 1);
      builder.store(term.coefficient, at, coefficient);
      builder.store(term.index, at, element.index);
    }
    for (const term of left) builder.store(term.coefficient, at, ZERO);
    if (missing.length === 0) return;
    this.hasMore = true;
    const root = rootOf(ref);
    const known = [...(this.found.get(root) ?? []), ...missing];
    if (known.length > MAX_TERMS) throw new NotQuadratic('too many of its elements are added');
    this.found.set(root, known);
  }

  #target({ term, value }: StatementOf<'target'>): void {
    if (!this.#dependents.inExpression(value)) return;
    if (term !== 'always') throw new NotQuadratic('the log density is not quadratic in it');
    this.#addTerms(value);
  }

  #addTerms(value: Expr): void {
    for (const { negative, value: term } of ownTerms(value, this.#accumulators)) {
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
      productOf: (of) => this.#products.get(of),
      rowsOf: (coefficient, indexes) => this.#rowsOf(coefficient, indexes),
    };
  }

  #rowsOf(coefficient: Expr, indexes: readonly Expr[]): Rows | null {
    const frame = this.#frame;
    if (frame === null || !frame.isSimple || !this.#hasLastingBounds(frame)) return null;
    const builder = this.#builder;
    const lasting = new Map<Expr, Expr>();
    for (const e of indexes) {
      const found = this.#definitions.lasting(e, frame);
      if (found === null) return null;
      lasting.set(e, found);
    }
    const whole = this.#definitions.lasting(coefficient, frame);
    const pieces = whole && piecesOf(whole, frame.index);
    return {
      pieces: pieces ?? [{ factor: ONE, data: this.#held(coefficient, frame) }],
      after: (write) => frame.after.push(write),
      each: (body) => {
        builder.for(frame.from, frame.to, (i) => body((e) => expressionAt(lasting.get(e) ?? e, frame.index, i)));
      },
    };
  }

  /** The value of each iteration in a container. */
  #held(value: Expr, { before, from, index, to }: Frame): Expr {
    const builder = this.#builder;
    const held = builder.newRef('real', 1, 'coefficients');
    before.push(() => builder.allocateRef(held, [iterationsOf(from, to)]));
    const at = sub(get(index), from);
    builder.store(held, at, value);
    return load(held, at);
  }

  /** Whether the statement multiplies a matrix and a parameter that are followed. */
  #isProduct({ args, name }: StatementOf<'kernel'>): boolean {
    const [out, matrix, vector, rows, columns] = args;
    if (name !== 'gemv' || this.#frame !== null) return false;
    if (out.kind !== 'pointer' || matrix.kind !== 'pointer' || vector.kind !== 'pointer') return false;
    if (!isNumber(rows) || !isNumber(columns)) return false;
    const isFinal = (ref: Ref): boolean => (this.#writes.get(rootOf(ref)) ?? 0) <= this.#statementNumber + 1;
    const isUnused = out.offset === null && out.ref.parent === null && isFinal(out.ref);
    if (!isUnused || this.#dependents.has(rootOf(matrix.ref)) || !isFinal(matrix.ref)) return false;
    const builder = this.#builder;
    const [height, width] = [rows, columns].map((e) => builder.bind(this.#renamed(e), 'size'));
    const from = [matrix, vector].map(({ offset }) => builder.bind(this.#renamed(offset ?? int(0)), 'offset'));
    const k = builder.newLocal('int', 'k');
    const held = this.#elementOf(vector.ref, add(from[1], get(k)));
    if (held === undefined || !isValue(held.constant, 0)) return false;
    const own = this.#renaming.ref(matrix.ref);
    const weight = (row: Expr, column: Expr): Expr => load(own, add(from[0], add(row, mul(column, height))));
    const forms = [...held.linear.values()].map(({ coefficient, element }, term) => {
      const at = (e: Expr) => (column: Expr) => expressionAt(e, k, column);
      const stands = this.#standFor(out.ref, term);
      this.#products.set(stands, {
        of: element.of,
        columns: width,
        weight,
        scale: at(coefficient),
        index: at(element.index),
      });
      return stands;
    });
    this.#forms.set(out.ref, (row) =>
      forms
        .map((of) => this.#polynomials.ofElement({ of, index: row }, ONE))
        .reduce((sum, form) => this.#polynomials.sum(sum, form), constantPolynomial(ZERO)),
    );
    return true;
  }

  /** An element of a container, if it is known as an expression of its index. */
  #elementOf(ref: Ref, at: Expr): Polynomial | undefined {
    const view = this.#views.get(ref);
    if (view !== undefined) return this.#polynomials.ofElement({ of: view.of, index: add(view.offset, at) }, ONE);
    const form = this.#forms.get(ref);
    if (form !== undefined) return form(at);
    const value = this.#containers.get(ref);
    return value && this.#polynomials.renewed(elementAt(value, at));
  }

  #allocate(statement: StatementOf<'allocate'>): void {
    const { fill, ref } = statement;
    const builder = this.#builder;
    const sizes = statement.sizes.map((each) => this.#renamed(each));
    this.#sizes.delete(ref);
    if (sizes.length === 1 && this.#frame === null) this.#sizes.set(ref, sizes[0]);
    if (!this.#dependents.has(ref)) {
      builder.emit({ ...this.#copy(statement), ref: this.#renaming.newRef(ref, null) });
      return;
    }
    const constant = builder.allocate('real', sizes, ref.name, fill);
    const terms = (this.found.get(ref) ?? []).map((of) => ({
      of,
      coefficient: builder.allocate('real', sizes, `${ref.name}_slope`, 'zero'),
      index: builder.allocate('int', sizes, `${ref.name}_index`, 'zero'),
    }));
    this.#splits.set(ref, { constant, terms });
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
    } else if (this.#forms.has(parent)) {
      const offset = builder.bind(own.offset, 'offset');
      this.#forms.set(ref, (row) => this.#elementOf(parent, add(offset, row)) ?? constantPolynomial(ZERO));
    } else if (this.#dependents.has(rootOf(ref))) {
      const { constant, terms } = this.#split(parent);
      const viewOf = (each: Ref): Ref => builder.view(each, own.offset, own.sizes, ref.name);
      this.#splits.set(ref, {
        constant: viewOf(constant),
        terms: terms.map(({ coefficient, index, of }) => ({
          of,
          coefficient: viewOf(coefficient),
          index: viewOf(index),
        })),
      });
    } else {
      const made = this.#renaming.newRef(ref, this.#renaming.ref(parent));
      builder.emit({ kind: 'view', ref: made, ...own });
      if (this.#frame === null && this.#definitions.isFixed(this.#renaming.ref(parent))) this.#fixedViews.add(made);
    }
  }

  #split(ref: Ref): Split {
    const found = this.#splits.get(ref);
    if (found === undefined) throw new NotQuadratic('a variable of another block depends on it');
    return found;
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
    const { constant, terms } = this.#split(ref);
    return terms
      .map(({ coefficient, index, of }) => {
        const isScalar = isValue(this.#views.get(of)?.sizes[0] ?? ZERO, 1);
        return polynomials.ofElement({ of, index: isScalar ? int(0) : load(index, at) }, load(coefficient, at));
      })
      .reduce((sum, term) => polynomials.sum(sum, term), constantPolynomial(load(constant, at)));
  }

  /** The expression in the new variables. */
  #renamed(root: Expr): Expr {
    if (this.#dependents.inExpression(root)) throw new NotQuadratic('the log density is not quadratic in it');
    return mapExpression(root, (e) => {
      switch (e.kind) {
        case 'get':
          return this.#local(e.local);
        case 'load': {
          const known = this.#containers.get(e.ref);
          if (known !== undefined && isConstant(known.polynomial)) return elementAt(known, e.index).constant;
          return load(this.#renaming.ref(e.ref), e.index);
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
    return size(this.#splits.get(ref)?.constant ?? this.#renaming.ref(ref), axis);
  }

  #local(local: Local): Expr {
    return this.#indexes.get(local) ?? get(this.#renaming.local(local));
  }

  /** A statement without blocks in the new variables. */
  #copy<S extends Statement>(statement: S): S {
    const own = mapExpressions(statement, (e) => this.#renamed(e));
    const renamed = this.#renaming.statement(own);
    if (!isOf(renamed, statement)) throw new Error('integrate: a copy has the kind of its original');
    return renamed;
  }
}

/** Maximum number of elements of parameters in an element of a container. */
const MAX_TERMS = 8;

/** What is added to the loop's index; null for other expressions. */
function shiftOf(e: Expr, index: Local): number | null {
  if (isGetOf(index)(e)) return 0;
  if (e.kind !== 'apply' || e.op !== 'add_int') return null;
  const [base, by] = e.args;
  return isGetOf(index)(base) && by.kind === 'const' ? by.value : null;
}

function isOf<S extends Statement>(statement: Statement, original: S): statement is S {
  return statement.kind === original.kind;
}
