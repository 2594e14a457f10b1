import type { Builder } from '../../ir/builder.js';
import { get, ZERO } from '../../ir/expressions.js';
import type { Block, IrFunction, Variable } from '../../ir/nodes.js';
import { visitStatements } from '../../ir/walk.js';
import type { Span } from '../../source/span.js';
import { isReal } from './active.js';
import { NoTangent, refuseFinal } from './missing-derivatives.js';
import { type CalledTangents, sizesOf, type TangentFunction, writeTangents } from './tangents.js';

/** The operation that has no derivative, and the location of the call that needs it. */
export interface Missing {
  readonly what: string;
  readonly span: Span | null;
}

/**
 * After this number of variants of a function, all real scalars count as varying, so that further variants differ only in the choice of
 * containers.
 */
const DISTINGUISHED_VARIANTS = 16;
const MAX_VARIANTS = 256;

/**
 * Creates functions with tangents. Such a function has the parameters of the original, then the tangents of the arguments that vary, and it
 * also returns the tangents of all real results. If the original is still being lowered, `finish` writes the function with tangents.
 */
export class TangentFunctions {
  readonly #builder: Builder;
  readonly #functions: IrFunction[];
  readonly #made = new Map<string, TangentFunction>();
  readonly #variants = new Map<number, number>();
  readonly #pending: { readonly callee: number; readonly made: TangentFunction }[] = [];
  readonly #required: { readonly id: number; readonly span: Span | null }[] = [];
  readonly #differentiated: { readonly block: Block; readonly span: Span }[] = [];
  /** Like `of`, but the tangents are zero if a function that is still being lowered turns out to have none. */
  readonly optional: CalledTangents = { of: (callee, varies) => this.#of(callee, varies) };

  /** `functions` are the functions of the program. The functions with tangents are appended to it. */
  constructor(builder: Builder, functions: IrFunction[]) {
    this.#builder = builder;
    this.#functions = functions;
  }

  /** The function with tangents for a choice of arguments that vary, or for a superset of it. */
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
      throw new NoTangent(
        `${original?.name ?? 'a function'}, which is called with too many combinations of constant arguments,`,
      );
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
      // Functions written since `before` may call this one.
      for (const later of [...this.#made.keys()].slice(before.made)) this.#made.delete(later);
      this.#functions.length = before.functions;
      this.#pending.length = before.pending;
      throw error;
    }
    return made;
  }

  /**
   * Requires that the block, which contains tangents, can be differentiated again. Throws `NoTangent` if a derivative is missing; `finish`
   * reports missing derivatives of called functions.
   */
  differentiateAgain(block: Block, span: Span): void {
    refuseFinal(block);
    this.#differentiated.push({ block, span });
  }

  /** Writes the pending functions, after all functions have been lowered. Returns the first missing derivative that is needed, or null. */
  finish(): Missing | null {
    return this.#missingTangent(this.#writeOwed()) ?? this.#missingDerivative();
  }

  /**
   * Writes functions in the order of their requests, because each may request others. Returns the reasons why functions have no tangents,
   * by ID.
   */
  #writeOwed(): ReadonlyMap<number, NoTangent> {
    const absent = new Map<number, NoTangent>();
    for (const { callee, made } of this.#pending) {
      const original = this.#functions.find(({ id }) => id === callee);
      if (original === undefined) throw new Error('The called function does not exist');
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

function tangentOf(builder: Builder, variable: Variable): Variable {
  const name = `${variable.name}_tangent`;
  return variable.kind === 'ref' ? builder.newRef('real', variable.rank, name) : builder.newLocal('real', name);
}

function calleesOf(block: Block): readonly number[] {
  const found: number[] = [];
  visitStatements(block, (statement) => {
    if (statement.kind === 'call') found.push(statement.callee);
  });
  return found;
}

/** The functions with these IDs, and those that they call, directly or through other functions. */
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
