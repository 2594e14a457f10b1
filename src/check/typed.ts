import type { Level } from '../language/levels.js';
import type { OperatorFunction } from '../language/operators.js';
import type { Signature } from '../language/signature.js';
import {
  type AutodiffLevel,
  arrayOf,
  type FunctionParameter,
  type FunctionSuffix,
  type Type,
} from '../language/types.js';
import type { Span } from '../source/span.js';
import type {
  Annotations,
  BlockName,
  Expression,
  FunctionDefinition,
  Identifier,
  Program,
  SizedType,
} from '../syntax/ast.js';

/** The annotations that type checking adds to the nodes of the syntax tree. The shape of the tree is unchanged. */
export interface Typed {
  readonly expression: ExpressionAnnotation;
  readonly call: CallAnnotation;
}

/**
 * The annotation of every expression and every assignable expression.
 *
 * `level` determines which terms `~` and `_lupdf` drop. Inside a function, it is the level for a call whose non-`data` arguments are
 * autodiff. In a call with only data, the parameters and locals of the function are data, and terms are dropped accordingly.
 */
export interface ExpressionAnnotation {
  /** The expression's own type, before any promotion. */
  readonly type: Type;
  /** The level in Stan's generated code: 'autodiff' if any part of the value is; ints are always data. */
  readonly level: AutodiffLevel;
  /**
   * The level in Stan's checker, if different: a tuple has one level per slot, and an int that was computed from parameters counts as
   * autodiff if a function requires data.
   */
  readonly checkedLevel?: Level;
  /** The type to which this value is implicitly converted: ints to reals and reals to complex numbers, also inside containers. */
  readonly promotedTo?: Type;
  /** The meaning of the name in a node of kind 'variable'. */
  readonly symbol?: Variable | FunctionReference;
  /** The function that the operator of a node of kind 'binary', 'prefix' or 'transpose' represents. */
  readonly operatorFunction?: OperatorFunction;
}

export type TypedExpression = Expression<Typed>;

/** Annotation of a call: `f(…)` as an expression or a statement, or `y ~ f(…)`. */
export interface CallAnnotation {
  readonly callee: Callee;
  /** Whether terms without autodiff arguments are dropped: `~`, `_lupdf` and `_lupmf`. */
  readonly dropsConstants: boolean;
  /** The cumulative functions of `y ~ f(…) T[…]`, which take the promoted bound and the arguments after the variate. */
  readonly truncationCallees?: TruncationCallees;
}

/** `log F` and `log (1 - F)`. */
export interface CumulativeCallees {
  readonly lcdf: Callee;
  readonly lccdf: Callee;
}

/** Those for the truncation's bounds: `lower` with the lower bound as outcome, `upper` with the upper. */
export interface TruncationCallees {
  readonly lower?: CumulativeCallees;
  readonly upper?: CumulativeCallees;
}

/**
 * The called function. For a tilde statement, it is the `_lpdf` or `_lpmf`, whose arguments are the variate followed by the written
 * arguments.
 */
export type Callee =
  | { readonly kind: 'library'; readonly signature: Signature }
  | { readonly kind: 'user'; readonly function: UserFunction }
  /** A higher-order function: ODE solvers, `reduce_sum`, `map_rect`, … `name` is the declared name, never with `_lupdf`. */
  | { readonly kind: 'higherOrder'; readonly name: string; readonly result: Type };

export function calleeName(callee: Callee): string {
  switch (callee.kind) {
    case 'library':
      return callee.signature.name;
    case 'user':
      return callee.function.name;
    case 'higherOrder':
      return callee.name;
  }
}

/** A user function: one declared signature. Overloads are separate functions of one name. */
export interface UserFunction {
  /** Zero-based, in the order of the first declarations. */
  readonly id: number;
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  readonly result: Type;
  readonly suffix: FunctionSuffix;
  /** The span of its name in the definition, or in the forward declaration until it is defined. */
  readonly declaredAt: Span;
}

/** The name of a function that is passed to a higher-order function. The name of a library function does not determine an overload. */
interface FunctionReference {
  readonly kind: 'function';
  readonly function?: UserFunction;
}

/** A declared variable: global, local, function parameter or loop variable. */
export interface Variable {
  readonly kind: 'variable';
  /** Zero-based, in the order of declaration. */
  readonly id: number;
  readonly name: string;
  readonly type: Type;
  /** The level of the variable; for a loop over a container, that of the container. */
  readonly level: AutodiffLevel;
  /** The block that declares it; parameters and locals of functions belong to 'functions'. */
  readonly block: BlockName;
  readonly role: 'global' | 'local' | 'parameter' | 'loop';
  readonly declaredAt: Span;
}

/** A valid program, with the meanings of its names. */
export interface TypedProgram {
  readonly tree: Program<Typed>;
  /** Variables by the identifier in their declaration, parameter list or `for`. */
  readonly variables: ReadonlyMap<Identifier, Variable>;
  /** All functions with a body, in the order of definition. */
  readonly functions: readonly { readonly function: UserFunction; readonly definition: FunctionDefinition<Typed> }[];
}

const UNSIZED_TUPLES = new WeakMap<object, Type>();

/** The unsized type of a declared type. */
export function unsizedTypeOf<A extends Annotations>(type: SizedType<A>): Type {
  switch (type.kind) {
    case 'array':
      return arrayOf(unsizedTypeOf(type.element), type.sizes.length);
    case 'tuple': {
      const known = UNSIZED_TUPLES.get(type);
      if (known !== undefined) return known;
      const unsized: Type = { kind: 'tuple', elements: type.elements.map((element) => unsizedTypeOf(element)) };
      UNSIZED_TUPLES.set(type, unsized);
      return unsized;
    }
    default:
      return { kind: type.kind };
  }
}
