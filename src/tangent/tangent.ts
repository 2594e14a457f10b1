import { KERNELS } from '../functions/kernels.js';
import type { Builder } from '../ir/builder.js';
import { add, get, int, load, mul, select, size, ZERO } from '../ir/expressions.js';
import type {
  Block,
  Expr,
  IrFunction,
  KernelArgument,
  Local,
  Ref,
  Statement,
  StatementOf,
  Variable,
} from '../ir/nodes.js';
import { OPS, type OpName } from '../ir/ops.js';
import { rootOf } from '../ir/refs.js';
import { visitOwnExpressions, visitStatements } from '../ir/walk.js';
import type { Span } from '../source/span.js';

/** The block does something without a forward derivative. */
export class NoTangent extends Error {
  readonly what: string;

  constructor(what: string) {
    super(`tangent: ${what}`);
    this.what = what;
  }
}

/**
 * Forward-mode differentiation: writes the block's statements, each with the computation of its tangents. Every variable that depends on a
 * seed gets a tangent; the tangents of the seeds are given. Terms of `target` become their tangents. The result is ordinary IR, which can
 * be differentiated again. Source: Griewank & Walther, Evaluating Derivatives, section 3.1.
 *
 * Throws `NoTangent` for kernels without a rule, and for operations without derivatives.
 */
export function writeTangents(
  builder: Builder,
  block: Block,
  seeds: ReadonlyMap<Variable, Variable>,
  functions: CalledTangents,
): Tangents {
  return writeSeveralTangents(builder, block, [seeds], functions);
}

/**
 * Like `writeTangents`, with tangents along several directions: the block's statements are written once. All directions have the same
 * seeds.
 */
export function writeSeveralTangents(
  builder: Builder,
  block: Block,
  directions: readonly ReadonlyMap<Variable, Variable>[],
  functions: CalledTangents,
): Tangents {
  const tangents = new Tangents(builder, activeIn(block, [...directions[0].keys()]), directions, functions);
  tangents.block(block);
  return tangents;
}

/** A function with tangents, and which of its arguments vary. */
interface TangentFunction {
  readonly id: number;
  readonly varies: readonly boolean[];
}

/** The functions with tangents that a block calls where the original calls `callee`; `span` is the call's. */
export interface CalledTangents {
  of(callee: number, varies: readonly boolean[], span: Span | null): TangentFunction;
}

/** What has no derivative, and the location of the call that needs it. */
export interface Missing {
  readonly what: string;
  readonly span: Span | null;
}

/**
 * After this number of variants of a function, all real scalars count as varying, so that there is one further variant for each choice of
 * containers.
 */
const DISTINGUISHED_VARIANTS = 16;
const MAX_VARIANTS = 256;

/**
 * Functions that are called: each becomes another one, which also takes the tangents of its arguments that vary, in their order, and also
 * returns those of all its real results. For functions that are still being lowered, they are written at the end.
 */
export class TangentFunctions {
  readonly #builder: Builder;
  readonly #functions: IrFunction[];
  readonly #made = new Map<string, TangentFunction>();
  readonly #variants = new Map<number, number>();
  readonly #pending: { readonly callee: number; readonly made: TangentFunction }[] = [];
  readonly #required: { readonly id: number; readonly span: Span | null }[] = [];
  readonly #differentiated: { readonly block: Block; readonly span: Span }[] = [];
  /** The same for tangents that may be zero if a function that is still being lowered turns out to have none. */
  readonly optional: CalledTangents = { of: (callee, varies) => this.#of(callee, varies) };

  /** `functions` are those of the program; the functions with tangents are appended. */
  constructor(builder: Builder, functions: IrFunction[]) {
    this.#builder = builder;
    this.#functions = functions;
  }

  /** The function with tangents for a choice of arguments that vary, or for one that contains it. */
  of(callee: number, varies: readonly boolean[], span: Span | null): TangentFunction {
    const made = this.#of(callee, varies);
    this.#required.push({ id: made.id, span });
    return made;
  }

  #of(callee: number, varies: readonly boolean[]): TangentFunction {
    const known = this.#made.get(keyOf(callee, varies));
    if (known !== undefined) return known;
    const original = this.#functions.find(({ id }) => id === callee);
    const variants = this.#variants.get(callee) ?? 0;
    if (variants >= MAX_VARIANTS) {
      throw new NoTangent(`${original?.name ?? 'a function'}, which is called in too many ways,`);
    }
    const chosen =
      original === undefined || variants < DISTINGUISHED_VARIANTS
        ? varies
        : varies.map((vary, k) => vary || isRealScalar(original.parameters[k]));
    const key = keyOf(callee, chosen);
    const general = this.#made.get(key);
    if (general !== undefined) return general;
    this.#variants.set(callee, variants + 1);
    const made = { id: this.#builder.names.fresh(), varies: chosen };
    const before = { made: this.#made.size, functions: this.#functions.length, pending: this.#pending.length };
    this.#made.set(key, made);
    if (original === undefined) {
      this.#pending.push({ callee, made });
      return made;
    }
    try {
      this.#functions.push(this.#write(original, made));
    } catch (error) {
      // Functions written since then may call this one.
      for (const later of [...this.#made.keys()].slice(before.made)) this.#made.delete(later);
      this.#functions.length = before.functions;
      this.#pending.length = before.pending;
      throw error;
    }
    return made;
  }

  /**
   * Requires that the block, which contains tangents, can be differentiated again. Throws `NoTangent` if a derivative is missing; `finish`
   * reports those of called functions.
   */
  differentiateAgain(block: Block, span: Span): void {
    refuseFinal(block);
    this.#differentiated.push({ block, span });
  }

  /** Writes the pending functions, once all are known. Returns a derivative that is missing and needed. */
  finish(): Missing | null {
    return this.#missingTangent(this.#writeOwed()) ?? this.#missingDerivative();
  }

  /** Writes functions in the order of their requests, because each may request others. Returns why functions have no tangents, by id. */
  #writeOwed(): ReadonlyMap<number, NoTangent> {
    const absent = new Map<number, NoTangent>();
    for (const { callee, made } of this.#pending) {
      const original = this.#functions.find(({ id }) => id === callee);
      if (original === undefined) throw new Error('A function is called that is not there');
      try {
        this.#functions.push(this.#write(original, made));
      } catch (error) {
        if (!(error instanceof NoTangent)) throw error;
        absent.set(made.id, error);
        this.#functions.push(this.#writeZero(original, made));
      }
    }
    this.#pending.length = 0;
    return absent;
  }

  #missingTangent(absent: ReadonlyMap<number, NoTangent>): Missing | null {
    if (absent.size === 0) return null;
    for (const { id, span } of this.#required) {
      const [first] = reachedFrom([id], this.#functions).flatMap(({ id: reached }) => absent.get(reached) ?? []);
      if (first !== undefined) return { what: first.what, span };
    }
    return null;
  }

  #missingDerivative(): Missing | null {
    for (const { block, span } of this.#differentiated) {
      try {
        for (const { body } of reachedFrom(calleesOf(block), this.#functions)) refuseFinal(body);
      } catch (error) {
        if (!(error instanceof NoTangent)) throw error;
        return { what: error.what, span };
      }
    }
    return null;
  }

  #write(original: IrFunction, made: TangentFunction): IrFunction {
    return this.#around(original, made, (seeds) => {
      writeTangents(this.#builder, original.body, seeds, this.optional);
    });
  }

  /** Calls the original; the tangents of its results are zero. */
  #writeZero(original: IrFunction, made: TangentFunction): IrFunction {
    const { id, parameters, results } = original;
    const args = parameters.map((variable) => (variable.kind === 'ref' ? variable : get(variable)));
    return this.#around(original, made, (seeds) => {
      this.#builder.emit({ kind: 'call', callee: id, args, results, span: null, callers: [] });
      for (const result of results) {
        const tangent = seeds.get(result);
        if (tangent?.kind === 'local') this.#builder.assign(tangent, ZERO);
        else if (tangent?.kind === 'ref' && result.kind === 'ref') {
          this.#builder.allocateRef(tangent, sizesOf(result), 'zero');
        }
      }
    });
  }

  #around(
    { name, parameters, results }: IrFunction,
    { id, varies }: TangentFunction,
    write: (seeds: ReadonlyMap<Variable, Variable>) => void,
  ): IrFunction {
    const seeds = new Map(
      [...parameters.filter((_, k) => varies[k]), ...results.filter(isReal)].map((variable) => [
        variable,
        tangentOf(this.#builder, variable),
      ]),
    );
    const tangents = (variables: readonly Variable[]): Variable[] =>
      variables.flatMap((variable) => seeds.get(variable) ?? []);
    return {
      id,
      name,
      parameters: [...parameters, ...tangents(parameters)],
      results: [...results, ...tangents(results)],
      body: this.#builder.capture(() => write(seeds)),
    };
  }
}

function keyOf(callee: number, varies: readonly boolean[]): string {
  return [callee, ...varies.map(Number)].join(' ');
}

function isRealScalar(variable: Variable): boolean {
  return variable.kind === 'local' && variable.type === 'real';
}

function sizesOf(ref: Ref): readonly Expr[] {
  return Array.from({ length: ref.rank }, (_, axis) => size(ref, axis));
}

function isReal(variable: Variable): boolean {
  return variable.kind === 'ref' ? variable.element === 'real' : variable.type === 'real';
}

function tangentOf(builder: Builder, variable: Variable): Variable {
  const name = `${variable.name}_tangent`;
  return variable.kind === 'ref' ? builder.newRef('real', variable.rank, name) : builder.newLocal('real', name);
}

export class Tangents {
  readonly #builder: Builder;
  readonly #active: ReadonlySet<Variable>;
  readonly #directions: readonly Map<Variable, Variable>[];
  readonly #functions: CalledTangents;
  /** The tangents along the current direction. */
  #tangents: Map<Variable, Variable>;

  constructor(
    builder: Builder,
    active: ReadonlySet<Variable>,
    directions: readonly ReadonlyMap<Variable, Variable>[],
    functions: CalledTangents,
  ) {
    this.#builder = builder;
    this.#active = active;
    this.#directions = directions.map((seeds) => new Map(seeds));
    this.#tangents = this.#directions[0];
    this.#functions = functions;
  }

  /** The tangent of an element of a container along one of the directions. */
  element(ref: Ref, index: Expr, direction = 0): Expr {
    if (!this.#isActive(ref)) return ZERO;
    this.#tangents = this.#directions[direction];
    return load(this.#ref(ref), index);
  }

  /**
   * Throws `NoTangent` if the tangents depend on a seed through an operation without further derivatives: what has been written cannot be
   * differentiated again.
   */
  refuseFinal(written: Block): void {
    refuseFinal(written, (argument) => readsActive(argument, this.#active));
  }

  /** The tangent of a scalar along the first direction. */
  scalar(local: Local): Expr {
    this.#tangents = this.#directions[0];
    return this.#isActive(local) ? get(this.#local(local)) : ZERO;
  }

  block(block: Block): void {
    for (const statement of block) this.#statement(statement);
  }

  #along(write: () => void): void {
    for (const tangents of this.#directions) {
      this.#tangents = tangents;
      write();
    }
  }

  #isActive(variable: Variable): boolean {
    return this.#active.has(variable.kind === 'ref' ? rootOf(variable) : variable);
  }

  #local(local: Local): Local {
    const known = this.#tangents.get(local);
    if (known?.kind === 'local') return known;
    const made = this.#builder.newLocal('real', `${local.name}_tangent`);
    this.#tangents.set(local, made);
    return made;
  }

  #ref(ref: Ref): Ref {
    const known = this.#tangents.get(ref);
    if (known?.kind === 'ref') return known;
    const parent = ref.parent === null ? null : this.#ref(ref.parent);
    const made = this.#builder.newRef('real', ref.rank, `${ref.name}_tangent`, 'local', parent);
    this.#tangents.set(ref, made);
    return made;
  }

  #statement(statement: Statement): void {
    const builder = this.#builder;
    switch (statement.kind) {
      case 'assign':
        if (this.#isActive(statement.local)) {
          this.#along(() => builder.assign(this.#local(statement.local), this.#of(statement.value)));
        }
        break;
      case 'store':
        if (this.#isActive(statement.ref)) {
          this.#along(() => builder.store(this.#ref(statement.ref), statement.index, this.#of(statement.value)));
        }
        break;
      case 'allocate':
      case 'view':
        if (this.#isActive(statement.ref)) {
          this.#along(() => builder.emit({ ...statement, ref: this.#ref(statement.ref) }));
        }
        break;
      case 'target': {
        this.#along(() => {
          const value = this.#tangentOf(statement.value, new Map());
          if (value !== null) builder.emit({ ...statement, value });
        });
        return;
      }
      case 'kernel':
        this.#kernel(statement);
        return;
      case 'call':
        this.#call(statement);
        return;
      case 'for':
        builder.emit({ ...statement, body: builder.capture(() => this.block(statement.body)) });
        return;
      case 'while':
      case 'labelled':
        builder.emit({ ...statement, body: builder.capture(() => this.block(statement.body)) });
        return;
      case 'if': {
        const [then, otherwise] = [statement.then, statement.otherwise].map((side) =>
          builder.capture(() => this.block(side)),
        );
        builder.emit({ ...statement, then, otherwise });
        return;
      }
    }
    builder.emit(statement);
  }

  /** What a kernel computes from constants has no tangent. */
  #clearOutput(kernel: string, argument: KernelArgument): void {
    if (argument.kind !== 'pointer' || !this.#isActive(argument.ref)) return;
    if (argument.offset !== null) throw new NoTangent(`the kernel ${kernel} without tangents`);
    const { ref } = argument;
    const count = sizesOf(ref).reduce((product, one) => mul(product, one), int(1));
    this.#along(() => this.#builder.each(count, (i) => this.#builder.store(this.#ref(ref), i, ZERO)));
  }

  #call(statement: StatementOf<'call'>): void {
    const { callee, args, results } = statement;
    const varies = args.map((argument) => this.#depends(argument));
    if (!varies.includes(true)) {
      this.#builder.emit(statement);
      for (const result of results.filter((variable) => this.#isActive(variable))) {
        this.#along(() => {
          if (result.kind === 'ref') this.#builder.allocateRef(this.#ref(result), sizesOf(result), 'zero');
          else this.#builder.assign(this.#local(result), ZERO);
        });
      }
      return;
    }
    if (this.#directions.length > 1) throw new NoTangent('a call along several directions');
    const made = this.#functions.of(callee, varies, statement.span ?? null);
    const slopes = args
      .filter((_, k) => made.varies[k])
      .map((argument) => (argument.kind === 'ref' ? this.#ref(argument) : this.#of(argument)));
    const found = results
      .filter(isReal)
      .map((result) => (result.kind === 'ref' ? this.#ref(result) : this.#local(result)));
    this.#builder.emit({
      ...statement,
      callee: made.id,
      args: [...args, ...slopes],
      results: [...results, ...found],
    });
  }

  #depends(argument: Expr | Ref): boolean {
    return argument.kind === 'ref' ? this.#isActive(argument) : this.#tangentOf(argument, new Map()) !== null;
  }

  #kernel(statement: StatementOf<'kernel'>): void {
    const { name, args } = statement;
    const kernel = KERNELS.get(name);
    const isActive = (argument: KernelArgument): boolean => argument.kind === 'pointer' && this.#isActive(argument.ref);
    const passes = kernel !== undefined && kernel.adjoint !== null;
    const reads = args.some((argument, k) => isActive(argument) && !kernel?.outputs.includes(k));
    this.#builder.emit(statement);
    if (!passes || !reads) {
      for (const k of kernel?.outputs ?? []) this.#clearOutput(name, args[k]);
      return;
    }
    if (kernel.tangent === undefined) throw new NoTangent(`the kernel ${name}`);
    const write = kernel.tangent;
    this.#along(() => {
      const tangents = args.map((argument) =>
        argument.kind === 'pointer' && isActive(argument) ? { ...argument, ref: this.#ref(argument.ref) } : null,
      );
      write(this.#builder, args, tangents);
    });
  }

  #of(value: Expr): Expr {
    return this.#tangentOf(value, new Map()) ?? ZERO;
  }

  /** Null where the expression does not depend on a seed. */
  #tangentOf(e: Expr, known: Map<Expr, Expr | null>): Expr | null {
    const before = known.get(e);
    if (before !== undefined) return before;
    const tangent = e.type === 'int' ? null : this.#make(e, known);
    known.set(e, tangent);
    return tangent;
  }

  #make(e: Expr, known: Map<Expr, Expr | null>): Expr | null {
    switch (e.kind) {
      case 'get':
        return this.#isActive(e.local) ? get(this.#local(e.local)) : null;
      case 'load':
        return this.#isActive(e.ref) ? load(this.#ref(e.ref), e.index) : null;
      case 'apply': {
        if (e.op === 'select') {
          const [then, otherwise] = e.args.slice(1).map((side) => this.#tangentOf(side, known));
          if (then === null && otherwise === null) return null;
          return select(e.args[0], then ?? ZERO, otherwise ?? ZERO);
        }
        const { partials: plain, smooth: rule = plain, missing } = OPS[e.op];
        if (rule === null && missing === undefined) return null;
        const tangents = e.args.map((argument) => this.#tangentOf(argument, known));
        if (tangents.every((tangent) => tangent === null)) return null;
        if (missing?.(e.args).some((argument) => this.#tangentOf(argument, known) !== null)) throw final(e.op);
        const partials = rule?.(e.args, e) ?? [];
        return tangents.reduce<Expr | null>((sum, tangent, k) => {
          const partial = partials[k];
          if (tangent === null || partial == null) return sum;
          const term = mul(partial, tangent);
          return sum === null ? term : add(sum, term);
        }, null);
      }
      default:
        return null;
    }
  }
}

/** Throws `NoTangent` for an operation without the derivative by an argument for which `counts` holds. */
export function refuseFinal(block: Block, counts: (argument: Expr) => boolean = () => true): void {
  const test = (node: Expr): void => {
    if (node.kind === 'apply' && OPS[node.op].missing?.(node.args).some(counts)) throw final(node.op);
  };
  visitStatements(block, (statement) => visitOwnExpressions(statement, test));
}

function calleesOf(block: Block): readonly number[] {
  const found: number[] = [];
  visitStatements(block, (statement) => {
    if (statement.kind === 'call') found.push(statement.callee);
  });
  return found;
}

/** The functions with these ids, and those that they call, directly or through others. */
function reachedFrom(ids: readonly number[], functions: readonly IrFunction[]): readonly IrFunction[] {
  const found = new Map<number, IrFunction>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const called = found.has(id) ? undefined : functions.find((each) => each.id === id);
    if (called === undefined) continue;
    found.set(id, called);
    waiting.push(...calleesOf(called.body));
  }
  return [...found.values()];
}

function final(op: OpName): NoTangent {
  return new NoTangent(`the function ${op.replace(/_d[abv]$/, '')}`);
}

/** The variables that depend on the seeds, containers by their roots. */
function activeIn(block: Block, seeds: readonly Variable[]): ReadonlySet<Variable> {
  const active = new Set<Variable>(seeds.map((seed) => (seed.kind === 'ref' ? rootOf(seed) : seed)));
  for (let size = -1; size < active.size; ) {
    size = active.size;
    visitStatements(block, (statement) => {
      for (const { from, to } of flowsOf(statement))
        if (from.some((e) => readsActive(e, active))) for (const variable of to) active.add(variable);
    });
  }
  return active;
}

function readsActive(e: Expr | Ref, active: ReadonlySet<Variable>, seen = new Set<Expr>()): boolean {
  if (e.kind === 'ref') return active.has(rootOf(e));
  if (e.type === 'int' || seen.has(e)) return false;
  seen.add(e);
  if (e.kind === 'get') return active.has(e.local);
  if (e.kind === 'load') return active.has(rootOf(e.ref));
  if (e.kind !== 'apply') return false;
  const { partials, missing } = OPS[e.op];
  if (e.op !== 'select' && partials === null && missing === undefined) return false;
  return e.args.some((argument) => readsActive(argument, active, seen));
}

interface Flow {
  readonly from: readonly (Expr | Ref)[];
  readonly to: readonly Variable[];
}

function flowsOf(statement: Statement): readonly Flow[] {
  switch (statement.kind) {
    case 'assign':
      return statement.local.type === 'real' ? [{ from: [statement.value], to: [statement.local] }] : [];
    case 'store':
      return statement.ref.element === 'real' ? [{ from: [statement.value], to: [rootOf(statement.ref)] }] : [];
    case 'kernel': {
      const kernel = KERNELS.get(statement.name);
      if (kernel === undefined || kernel.adjoint === null) return [];
      const from: Ref[] = [];
      const to: Variable[] = statement.result === null ? [] : [statement.result];
      for (const [k, argument] of statement.args.entries()) {
        if (argument.kind === 'pointer' && argument.ref.element === 'real') {
          (kernel.outputs.includes(k) ? to : from).push(rootOf(argument.ref));
        }
      }
      return [{ from, to }];
    }
    case 'call':
      return [{ from: statement.args, to: statement.results.filter(isReal).map(rootOrLocal) }];
    default:
      return [];
  }
}

function rootOrLocal(variable: Variable): Variable {
  return variable.kind === 'ref' ? rootOf(variable) : variable;
}
