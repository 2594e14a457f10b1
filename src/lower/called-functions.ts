import type { Typed, TypedProgram, UserFunction } from '../check/typed.js';
import type { IrFunction, Ref } from '../ir/nodes.js';
import type { FunctionDefinition, Statement } from '../syntax/ast.js';
import { visitDefinition, visitStatement } from '../syntax/walk.js';
import { type CallGraph, type Named, namedIn } from './call-plan.js';

/** A user function, lowered once for given levels of its arguments. */
export interface CompiledFunction {
  readonly id: number;
}

/** The user functions of a program, and which of them are called rather than inlined. */
export class CalledFunctions {
  /** The functions that have been lowered. */
  readonly lowered: IrFunction[] = [];
  readonly compiled = new Map<string, CompiledFunction>();
  /** The functions of solvers' calls, and the container that each returns, by signature. */
  readonly shared = new Map<string, { readonly id: number; readonly result: Ref }>();
  /** The number of combinations of levels for which each function is lowered, by phase and treatment of constants. */
  readonly variants = new Map<string, number>();
  /** The number of nested functions that are being lowered, and the functions that are deferred until these are done. */
  readonly compiling: { depth: number; readonly waiting: (() => void)[] } = { depth: 0, waiting: [] };
  /** Statements of user functions inlined so far in the phase. */
  inlined = 0;
  /** The ids of functions that the phase calls although it could inline them. */
  planned: ReadonlySet<number> = new Set();
  readonly #definitions: Map<number, FunctionDefinition<Typed>>;
  readonly #named = new Map<FunctionDefinition<Typed>, Named>();
  readonly #reachable = new Map<FunctionDefinition<Typed>, ReadonlyMap<number, UserFunction>>();

  constructor(program: TypedProgram) {
    this.#definitions = new Map(program.functions.map(({ function: { id }, definition }) => [id, definition]));
  }

  /** Adds the functions of a solver's source. */
  define(functions: TypedProgram['functions']): void {
    for (const { function: own, definition } of functions) this.#definitions.set(own.id, definition);
  }

  /** The definition of a function; undefined if it is external. */
  definition(callee: UserFunction): FunctionDefinition<Typed> | undefined {
    return this.#definitions.get(callee.id);
  }

  /** Whether a definition calls itself, directly or through other functions. */
  isRecursive(callee: UserFunction, definition: FunctionDefinition<Typed>): boolean {
    return this.reachableFrom(definition).has(callee.id);
  }

  /** The functions that a definition calls, directly or through others, by id. */
  reachableFrom(definition: FunctionDefinition<Typed>): ReadonlyMap<number, UserFunction> {
    const known = this.#reachable.get(definition);
    if (known !== undefined) return known;
    const seen = new Map<number, UserFunction>();
    const waiting = [...this.#calleesOf(definition)];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next.id)) continue;
      seen.set(next.id, next);
      const called = this.#definitions.get(next.id);
      if (called !== undefined) waiting.push(...this.#calleesOf(called));
    }
    this.#reachable.set(definition, seen);
    return seen;
  }

  /** What a definition mentions. */
  #namedIn(definition: FunctionDefinition<Typed>): Named {
    const known = this.#named.get(definition);
    if (known !== undefined) return known;
    const named = namedIn((visitor) => visitDefinition(definition, visitor));
    this.#named.set(definition, named);
    return named;
  }

  /** The user functions that a definition mentions, as callees or as arguments. */
  #calleesOf(definition: FunctionDefinition<Typed>): readonly UserFunction[] {
    const { calls, passed } = this.#namedIn(definition);
    return [...calls.keys(), ...passed];
  }

  /** The functions that statements mention, and what these functions contain. */
  graphOf(statements: readonly Statement<Typed>[]): CallGraph {
    const part = namedIn((visitor) => {
      for (const statement of statements) visitStatement(statement, visitor);
    });
    const named = (callee: UserFunction): Named | null => {
      const definition = this.definition(callee);
      return definition === undefined ? null : this.#namedIn(definition);
    };
    return { part, named };
  }
}
