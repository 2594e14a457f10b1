import { writesOf } from '../../dataflow/effects.js';
import { Builder, type Names } from '../../ir/builder.js';
import { add, get, int, isValue, load, ONE, size, ZERO } from '../../ir/expressions.js';
import type { Block, Expr, Local, Ref, Statement, StatementOf } from '../../ir/nodes.js';
import { rootOf } from '../../ir/refs.js';
import { assignedLocals, blocksOf, mapExpression, mapExpressions, visitStatements } from '../../ir/walk.js';
import { Dependents } from './dependents.js';
import { NotQuadratic } from './not-quadratic.js';
import { constantPolynomial, type Element, mapped, type Polynomial, Polynomials } from './polynomial.js';
import { Renaming } from './renaming.js';

/** Receives the terms of the log density that depend on the parameters, at the point of the block where they are added. */
export interface TermSink {
  linear(builder: Builder, element: Element, coefficient: Expr): void;
  square(builder: Builder, elements: readonly [Element, Element], coefficient: Expr, areSame: boolean): void;
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
  for (;;) {
    const writer = new Writer(names, block, roots, dependents, elements, newSink());
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
  readonly #sink: TermSink;
  readonly #polynomials = new Polynomials();
  readonly #renaming: Renaming;
  readonly #assignments = new Map<Local, number>();
  readonly #stored = new Set<Ref>();
  readonly #splits = new Map<Ref, Split>();
  /** Views of the parameters: where they begin, and their sizes. */
  readonly #views = new Map<Ref, { readonly of: Ref; readonly offset: Expr; readonly sizes: readonly Expr[] }>();
  #values = new Map<Local, Polynomial>();
  /** Integers that are assigned once, as expressions of data and of indexes of loops. */
  #indexes = new Map<Local, Expr>();

  constructor(
    names: Names,
    block: Block,
    roots: ReadonlyMap<Ref, Expr>,
    dependents: Dependents,
    elements: ReadonlyMap<Ref, readonly Ref[]>,
    sink: TermSink,
  ) {
    this.#builder = new Builder(names);
    this.#renaming = new Renaming(this.#builder, block);
    this.#block = block;
    this.#dependents = dependents;
    this.#sink = sink;
    this.found = new Map(elements);
    for (const [root, length] of roots) this.#views.set(root, { of: root, offset: int(0), sizes: [length] });
    visitStatements(block, (statement) => {
      for (const local of assignedLocals(statement)) {
        this.#assignments.set(local, (this.#assignments.get(local) ?? 0) + 1);
      }
      for (const written of writesOf(statement)) if (written.kind === 'ref') this.#stored.add(written);
    });
  }

  write(): Block {
    return this.#builder.capture(() => this.#statements(this.#block));
  }

  /** What a block assigns is known only inside it. */
  #statements(block: Block): void {
    const [values, indexes] = [this.#values, this.#indexes];
    this.#values = new Map(values);
    this.#indexes = new Map(indexes);
    for (const statement of block) this.#statement(statement);
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
      case 'for': {
        const [from, to] = [statement.from, statement.to].map((e) => this.#renamed(e));
        builder.for(
          from,
          to,
          (index) => {
            this.#indexes.set(statement.index, index);
            this.#statements(statement.body);
          },
          statement.index.name,
        );
        return;
      }
      case 'while': {
        const condition = this.#renamed(statement.condition);
        builder.while(condition, () => this.#statements(statement.body));
        return;
      }
      case 'if': {
        if (this.#dependents.inExpression(statement.condition)) throw new NotQuadratic('a condition reads it');
        builder.if(
          this.#renamed(statement.condition),
          () => this.#statements(statement.then),
          () => this.#statements(statement.otherwise),
        );
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
        if (this.#dependents.inStatement(statement)) {
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

  #assign({ local, value }: StatementOf<'assign'>): void {
    const builder = this.#builder;
    if (!this.#dependents.has(local)) {
      const renamed = this.#renamed(value);
      builder.assign(this.#renaming.newLocal(local), renamed);
      // Equal indexes are recognized if they are expressions.
      if (local.type === 'int' && this.#isOnce(local) && this.#isLasting(value)) this.#indexes.set(local, renamed);
      return;
    }
    if (!this.#isOnce(local)) throw new NotQuadratic('a variable that depends on it is assigned more than once');
    this.#values.set(
      local,
      mapped(this.#polynomial(value), (x) => (x.kind === 'apply' ? builder.bind(x, local.name) : x)),
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
    if (!this.#dependents.has(rootOf(ref))) {
      builder.store(this.#renaming.ref(ref), this.#renamed(index), this.#renamed(value));
      return;
    }
    const { constant, terms } = this.#split(ref);
    const at = builder.bind(this.#renamed(index), 'at');
    const { linear, square, constant: rest } = this.#polynomial(value);
    if (square.size > 0) throw new NotQuadratic('the log density is not quadratic in it');
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
    const { linear, square } = this.#polynomial(value);
    for (const { coefficient, element } of linear.values()) this.#sink.linear(this.#builder, element, coefficient);
    for (const { coefficient, elements } of square.values()) {
      const areSame = this.#polynomials.isSame(...elements);
      this.#sink.square(this.#builder, elements, coefficient, areSame);
    }
  }

  #allocate(statement: StatementOf<'allocate'>): void {
    const { fill, ref } = statement;
    const builder = this.#builder;
    if (!this.#dependents.has(ref)) {
      builder.emit({ ...this.#copy(statement), ref: this.#renaming.newRef(ref, null) });
      return;
    }
    const sizes = statement.sizes.map((each) => this.#renamed(each));
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
    } else builder.emit({ kind: 'view', ref: this.#renaming.newRef(ref, this.#renaming.ref(parent)), ...own });
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
    const view = this.#views.get(ref);
    if (view !== undefined) return polynomials.ofElement({ of: view.of, index: add(view.offset, at) }, ONE);
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
        case 'load':
          return load(this.#renaming.ref(e.ref), e.index);
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

function isOf<S extends Statement>(statement: Statement, original: S): statement is S {
  return statement.kind === original.kind;
}
