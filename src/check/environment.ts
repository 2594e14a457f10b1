import { isVariadicName } from '../language/higher-order.js';
import { type Level, levelOfType } from '../language/levels.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { isDiscrete } from '../language/promotion.js';
import { nearestName } from '../language/suggestion.js';
import type { Type } from '../language/types.js';
import { type Diagnostic, type DiagnosticKind, errorAt, type Message, warningAt } from '../source/diagnostic.js';
import { isBefore, type Span } from '../source/span.js';
import type { BlockName, Identifier, VariableShape } from '../syntax/ast.js';
import { layout } from './layout.js';
import { type Callee, calleeName, type UserFunction, type Variable } from './typed.js';

/** The first error of a program, which ends checking. */
export class Refusal extends Error {
  readonly diagnostic: Diagnostic;

  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

/** Ends checking with an error. The text of the message is markup for `layout`. */
export function refuse(span: Span, message: Message, kind: DiagnosticKind = 'semantic'): never {
  throw new Refusal(errorAt(kind, span, { ...message, text: layout(message.text) }));
}

/** The context of checking. */
export interface Context {
  readonly environment: Environment;
  readonly block: BlockName;
  /** The function whose body is checked. */
  readonly enclosing?: UserFunction;
  /** Whether the sizes of a global declaration are checked. */
  readonly isSize: boolean;
  readonly loopDepth: number;
}

/** A function that another one calls or passes as an argument. */
interface Used {
  readonly name: string;
  readonly span: Span;
  readonly isLibrary: boolean;
}

/** The bindings of names at the current point, and the messages so far. */
export class Environment {
  readonly library: FunctionSignatures;
  /** The first identifier of variables and functions. */
  readonly firstId: number;
  readonly warnings: Diagnostic[] = [];
  /** Warnings about deprecated syntax, which are reported after all others. */
  readonly deprecations: Diagnostic[] = [];
  /** The likelihoods of Laplace approximations, which require second derivatives. */
  readonly secondOrder: VariableShape[] = [];
  /** All variables, by the identifiers that declare them. */
  readonly declared = new Map<Identifier, Variable>();
  readonly #variables = new Map<string, Variable>();
  readonly #functions = new Map<string, readonly UserFunction[]>();
  readonly #uses = new Map<string, Used[]>();
  #inScope: string[] = [];

  constructor(library: FunctionSignatures, firstId = 0) {
    this.library = library;
    this.firstId = firstId;
  }

  warn(span: Span, message: Message): void {
    this.warnings.push(warningAt(span, message));
  }

  deprecate(span: Span, message: Message): void {
    this.deprecations.push(warningAt(span, message));
  }

  variable(name: string): Variable | undefined {
    return this.#variables.get(name);
  }

  /** The user functions with a name, the latest first. */
  functions(name: string): readonly UserFunction[] {
    return this.#functions.get(name) ?? [];
  }

  setFunctions(name: string, functions: readonly UserFunction[]): void {
    this.#functions.set(name, functions);
  }

  functionNames(): Iterable<string> {
    return this.#functions.keys();
  }

  /** Records what the body of a function uses. */
  use(enclosing: UserFunction | undefined, callee: Callee, span: Span): void {
    if (enclosing === undefined) return;
    const uses = this.#uses.get(enclosing.name) ?? [];
    uses.push({ name: calleeName(callee), span, isLibrary: callee.kind !== 'user' });
    this.#uses.set(enclosing.name, uses);
  }

  /** The functions that the bodies of the user functions with a name use, in the order of the program. */
  usesIn(name: string): readonly Used[] {
    return (this.#uses.get(name) ?? []).toSorted((a, b) => (isBefore(a.span.begin, b.span.begin) ? -1 : 1));
  }

  /** Whether Stan's library has a function of this name, whether or not this compiler supports it. */
  isLibraryName(name: string): boolean {
    return this.library.lookup(name).length > 0 || this.library.isKnownButUnsupported(name);
  }

  /** Whether the name is defined. */
  isKnown(name: string): boolean {
    return this.#variables.has(name) || this.#functions.has(name) || this.isLibraryName(name);
  }

  nearest(name: string): string | undefined {
    const library = [...this.library.names()].filter((known) => !isVariadicName(known));
    return nearestName(name, [...library, ...this.#functions.keys(), ...this.#variables.keys()]);
  }

  declare(identifier: Identifier, type: Type, block: BlockName, role: Variable['role'], isActive: boolean): Variable {
    const variable: Variable = {
      kind: 'variable',
      id: this.firstId + this.declared.size,
      name: identifier.name,
      type,
      level: isActive && !isDiscrete(type) ? 'autodiff' : 'data',
      block,
      role,
      declaredAt: identifier.span,
    };
    this.declared.set(identifier, variable);
    this.#variables.set(identifier.name, variable);
    this.#inScope.push(identifier.name);
    return variable;
  }

  /** Runs `inner`, then removes the variables that it declared. */
  scoped<T>(inner: () => T): T {
    const outer = this.#inScope.length;
    const result = inner();
    for (const name of this.#inScope.slice(outer)) this.#variables.delete(name);
    this.#inScope.length = outer;
    return result;
  }
}

const ACTIVE_BLOCKS: ReadonlySet<BlockName> = new Set<BlockName>([
  'functions',
  'parameters',
  'transformed parameters',
  'model',
]);

/** Whether variables declared in this block depend on parameters, by Stan's types. */
export function isActiveBlock(block: BlockName): boolean {
  return ACTIVE_BLOCKS.has(block);
}

/** Cached levels of tuple types. */
const ACTIVE_LEVELS = new WeakMap<Type, Level>();

/** The level of a value that may depend on parameters, by its type. Ints are always data. */
function activeLevel(type: Type): Level {
  if (type.kind === 'array') return activeLevel(type.element);
  if (type.kind !== 'tuple') return type.kind === 'int' ? 'data' : 'autodiff';
  let level = ACTIVE_LEVELS.get(type);
  if (level === undefined) {
    level = type.elements.map(activeLevel);
    ACTIVE_LEVELS.set(type, level);
  }
  return level;
}

/**
 * The level of a variable at its use, by the rules of Stan's checker. In generated quantities, all values are data. A loop variable has the
 * level of its block, regardless of its range.
 */
export function levelOfVariable({ level, type, role, block }: Variable, context: Context): Level {
  const isActive = role === 'loop' ? isActiveBlock(block) : level === 'autodiff';
  return isActive && context.block !== 'generated quantities' ? activeLevel(type) : levelOfType('data', type);
}
