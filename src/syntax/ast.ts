import type { Span } from '../source/span.js';

/**
 * The abstract syntax tree of a Stan 2.40 program, before and after type checking.
 *
 * Both trees have the same shape. `A` defines what nodes contain in addition: `A['expression']` is merged into every expression and
 * assignable expression, `A['call']` into every use of a function. The parser makes `Untyped` trees.
 */
export interface Annotations {
  readonly expression: object;
  readonly call: object;
}

/** Annotations of a tree that has not been checked: none. */
export interface Untyped {
  readonly expression: object;
  readonly call: object;
}

/** Every node has its exact span, from its first token to its last. */
interface Node {
  readonly span: Span;
}

export interface Identifier extends Node {
  readonly name: string;
}

export const blockNames = [
  'functions',
  'data',
  'transformed data',
  'parameters',
  'transformed parameters',
  'model',
  'generated quantities',
] as const;

export type BlockName = (typeof blockNames)[number];

export interface Program<A extends Annotations = Untyped> extends Node {
  readonly functions?: Block<FunctionDefinition<A>>;
  readonly data?: Block<Declaration<A> | EmptyStatement>;
  readonly transformedData?: Block<Statement<A>>;
  readonly parameters?: Block<Declaration<A> | EmptyStatement>;
  readonly transformedParameters?: Block<Statement<A>>;
  readonly model?: Block<Statement<A>>;
  readonly generatedQuantities?: Block<Statement<A>>;
  readonly remarks: readonly Remark[];
}

/**
 * The items between the tokens of a program, in the order of the text: comments, includes, and the ends of separators. Separators determine
 * on which side of an operator or a comma a comment is.
 */
export type Remark = Comment | Include | Separator;

export interface Comment extends Node {
  readonly kind: 'lineComment' | 'blockComment';
  /** The lines between the comment's delimiters; a line comment has one. */
  readonly lines: readonly string[];
}

/** `#include name` */
export interface Include extends Node {
  readonly kind: 'include';
  readonly name: string;
  /** Whether it contributes no text, because a file of functions is included only once. */
  readonly isRepeated: boolean;
}

interface Separator extends Node {
  readonly kind: 'separator';
}

export interface Block<S> extends Node {
  readonly statements: readonly S[];
}

export interface FunctionDefinition<A extends Annotations = Untyped> extends Node {
  readonly kind: 'function';
  readonly returnType: ReturnType;
  readonly name: Identifier;
  readonly parameters: readonly Parameter[];
  /** Absent in a forward declaration, `real f(real x);`. */
  readonly body?: BlockStatement<A>;
}

export interface Parameter extends Node {
  readonly name: Identifier;
  readonly type: UnsizedType;
  /** Written `data real x`. */
  readonly dataOnly: boolean;
}

export type ScalarTypeName = 'int' | 'real' | 'complex';
export type VectorTypeName = 'vector' | 'row_vector' | 'complex_vector' | 'complex_row_vector';
export type MatrixTypeName = 'matrix' | 'complex_matrix';
type BasicTypeName = ScalarTypeName | VectorTypeName | MatrixTypeName;

/** The type of a parameter or of a function's value. */
export type UnsizedType = UnsizedBasicType | UnsizedArrayType | UnsizedTupleType;

interface UnsizedBasicType extends Node {
  readonly kind: BasicTypeName;
}

interface UnsizedArrayType extends Node {
  readonly kind: 'array';
  readonly dimensions: number;
  /** Never an array, because one node contains all dimensions. */
  readonly element: UnsizedType;
}

interface UnsizedTupleType extends Node {
  readonly kind: 'tuple';
  readonly elements: readonly UnsizedType[];
}

interface VoidType extends Node {
  readonly kind: 'void';
}

export type ReturnType = UnsizedType | VoidType;

/**
 * The type of a declared variable. A specialized type is its underlying type with a constraint: `simplex[K]` is a
 * `vector` of size K constrained to be a `simplex`, `cov_matrix[K]` a `matrix` of K by K whose `rows` and `columns`
 * are one node.
 */
export type SizedType<A extends Annotations = Untyped> =
  | SizedScalarType<A>
  | SizedVectorType<A>
  | SizedMatrixType<A>
  | SizedArrayType<A>
  | SizedTupleType<A>;

interface SizedScalarType<A extends Annotations = Untyped> extends Node {
  readonly kind: ScalarTypeName;
  readonly constraint: Constraint<A>;
}

interface SizedVectorType<A extends Annotations = Untyped> extends Node {
  readonly kind: VectorTypeName;
  readonly size: Expression<A>;
  readonly constraint: Constraint<A>;
}

interface SizedMatrixType<A extends Annotations = Untyped> extends Node {
  readonly kind: MatrixTypeName;
  readonly rows: Expression<A>;
  readonly columns: Expression<A>;
  readonly constraint: Constraint<A>;
}

interface SizedArrayType<A extends Annotations = Untyped> extends Node {
  readonly kind: 'array';
  readonly sizes: readonly Expression<A>[];
  /** Never an array, because one node contains all sizes. */
  readonly element: SizedType<A>;
}

interface SizedTupleType<A extends Annotations = Untyped> extends Node {
  readonly kind: 'tuple';
  readonly elements: readonly SizedType<A>[];
}

/** Constraints that the name of a type implies. */
export type NamedConstraint =
  | 'ordered'
  | 'positive_ordered'
  | 'simplex'
  | 'unit_vector'
  | 'sum_to_zero_vector'
  | 'sum_to_zero_matrix'
  | 'cholesky_factor_corr'
  | 'cholesky_factor_cov'
  | 'corr_matrix'
  | 'cov_matrix'
  | 'column_stochastic_matrix'
  | 'row_stochastic_matrix';

export type Constraint<A extends Annotations = Untyped> =
  | { readonly kind: 'none' }
  | { readonly kind: 'lower'; readonly lower: Expression<A> }
  | { readonly kind: 'upper'; readonly upper: Expression<A> }
  | { readonly kind: 'lower_upper'; readonly lower: Expression<A>; readonly upper: Expression<A> }
  | { readonly kind: 'offset'; readonly offset: Expression<A> }
  | { readonly kind: 'multiplier'; readonly multiplier: Expression<A> }
  | { readonly kind: 'offset_multiplier'; readonly offset: Expression<A>; readonly multiplier: Expression<A> }
  | { readonly kind: NamedConstraint };

export type Statement<A extends Annotations = Untyped> =
  | Declaration<A>
  | AssignmentStatement<A>
  | CallStatement<A>
  | TargetStatement<A>
  | JacobianStatement<A>
  | TildeStatement<A>
  | BreakStatement
  | ContinueStatement
  | ReturnStatement<A>
  | OutputStatement<A>
  | EmptyStatement
  | IfStatement<A>
  | WhileStatement<A>
  | ForStatement<A>
  | ForEachStatement<A>
  | ProfileStatement<A>
  | BlockStatement<A>;

/** `real<lower=0> a = 1, b;` */
export interface Declaration<A extends Annotations = Untyped> extends Node {
  readonly kind: 'declaration';
  readonly type: SizedType<A>;
  /** At least one. */
  readonly variables: readonly DeclaredVariable<A>[];
  /** Whether it is declared at the top level of a block other than `model`. */
  readonly isGlobal: boolean;
}

export interface DeclaredVariable<A extends Annotations = Untyped> extends Node {
  readonly name: Identifier;
  readonly initialValue?: Expression<A>;
}

export type AssignmentOperator = '=' | '+=' | '-=' | '*=' | '/=' | '.*=' | './=';

export interface AssignmentStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'assignment';
  readonly target: AssignmentTarget<A>;
  readonly operator: AssignmentOperator;
  readonly operatorSpan: Span;
  readonly value: Expression<A>;
}

/** One assignable expression, or a tuple of them: `(a, (b[1], c.2)) = …` */
export type AssignmentTarget<A extends Annotations = Untyped> = Place<A> | TuplePattern<A>;

interface TuplePattern<A extends Annotations = Untyped> extends Node {
  readonly kind: 'tuplePattern';
  readonly targets: readonly AssignmentTarget<A>[];
}

/** An assignable expression: a variable, an element or part of one, or a slot of a tuple. */
export type Place<A extends Annotations = Untyped> = (
  | VariableShape
  | (Node & {
      readonly kind: 'indexed';
      readonly container: Place<A>;
      readonly indices: readonly Index<A>[];
    })
  | (Node & { readonly kind: 'slot'; readonly tuple: Place<A>; readonly slot: number })
) &
  A['expression'];

/** `f(a, b);` */
export type CallStatement<A extends Annotations = Untyped> = Node & {
  readonly kind: 'callStatement';
  readonly function: Identifier;
  readonly arguments: readonly Expression<A>[];
} & A['call'];

/** `target += e;` */
interface TargetStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'target';
  readonly value: Expression<A>;
}

/** `jacobian += e;` */
interface JacobianStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'jacobian';
  readonly value: Expression<A>;
}

/** `y ~ normal(mu, sigma) T[0, ];` */
export type TildeStatement<A extends Annotations = Untyped> = Node & {
  readonly kind: 'tilde';
  readonly variate: Expression<A>;
  readonly distribution: Identifier;
  readonly arguments: readonly Expression<A>[];
  readonly truncation?: Truncation<A>;
} & A['call'];

/** `T[lower, upper]`, each side optional. */
export interface Truncation<A extends Annotations = Untyped> extends Node {
  readonly lower?: Expression<A>;
  readonly upper?: Expression<A>;
}

interface BreakStatement extends Node {
  readonly kind: 'break';
}

interface ContinueStatement extends Node {
  readonly kind: 'continue';
}

export interface ReturnStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'return';
  readonly value?: Expression<A>;
}

/** `print(…)`, `reject(…)` or `fatal_error(…)`. */
export interface OutputStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'print' | 'reject' | 'fatal_error';
  /** At least one. */
  readonly items: readonly Printable<A>[];
}

export type Printable<A extends Annotations = Untyped> =
  | { readonly kind: 'text'; readonly text: string; readonly span: Span }
  | { readonly kind: 'value'; readonly value: Expression<A>; readonly span: Span };

/** A lone `;` */
export interface EmptyStatement extends Node {
  readonly kind: 'empty';
}

export interface IfStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'if';
  readonly condition: Expression<A>;
  readonly consequence: Statement<A>;
  readonly alternative?: Statement<A>;
}

export interface WhileStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'while';
  readonly condition: Expression<A>;
  readonly body: Statement<A>;
}

/** `for (i in a:b) …` */
export interface ForStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'for';
  readonly variable: Identifier;
  readonly lower: Expression<A>;
  readonly upper: Expression<A>;
  readonly body: Statement<A>;
}

/** `for (x in xs) …` */
export interface ForEachStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'forEach';
  readonly variable: Identifier;
  readonly container: Expression<A>;
  readonly body: Statement<A>;
}

interface ProfileStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'profile';
  readonly name: string;
  readonly statements: readonly Statement<A>[];
}

export interface BlockStatement<A extends Annotations = Untyped> extends Node {
  readonly kind: 'block';
  readonly statements: readonly Statement<A>[];
}

export type Expression<A extends Annotations = Untyped> = ExpressionShape<A> & A['expression'];

type ExpressionShape<A extends Annotations> =
  | VariableShape
  | LiteralShape
  | TargetValueShape
  | ConditionalShape<A>
  | BinaryShape<A>
  | PrefixShape<A>
  | TransposeShape<A>
  | CallShape<A>
  | IndexedShape<A>
  | SlotShape<A>
  | CollectionShape<A>
  | ParenthesisShape<A>;

export interface VariableShape extends Node {
  readonly kind: 'variable';
  readonly name: string;
}

/** A number as written, without underscores and without the `i` of an imaginary number. */
export interface LiteralShape extends Node {
  readonly kind: 'int' | 'real' | 'imaginary';
  readonly text: string;
}

/** `target()` */
interface TargetValueShape extends Node {
  readonly kind: 'targetValue';
}

/** `a ? b : c` */
export interface ConditionalShape<A extends Annotations> extends Node {
  readonly kind: 'conditional';
  readonly condition: Expression<A>;
  readonly consequence: Expression<A>;
  readonly alternative: Expression<A>;
}

export type BinaryOperator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '.*'
  | './'
  | '%/%'
  | '\\'
  | '^'
  | '.^';

export interface BinaryShape<A extends Annotations> extends Node {
  readonly kind: 'binary';
  readonly operator: BinaryOperator;
  readonly operatorSpan: Span;
  readonly left: Expression<A>;
  readonly right: Expression<A>;
}

export type PrefixOperator = '!' | '-' | '+';

export interface PrefixShape<A extends Annotations> extends Node {
  readonly kind: 'prefix';
  readonly operator: PrefixOperator;
  readonly operand: Expression<A>;
}

/** `a'` */
export interface TransposeShape<A extends Annotations> extends Node {
  readonly kind: 'transpose';
  readonly operand: Expression<A>;
}

/**
 * `f(a, b)` or `f(a | b)`. As in stanc, a call with one argument counts as conditional if the function has the suffix of a density or a
 * cumulative function (`_lpdf`, `_lpmf`, `_lupdf`, `_lupmf`, `_cdf`, `_lcdf`, `_lccdf`), although it has no bar.
 */
export type CallShape<A extends Annotations> = Node & {
  readonly kind: 'call';
  readonly function: Identifier;
  readonly arguments: readonly Expression<A>[];
  readonly isConditional: boolean;
  readonly hasBar: boolean;
} & A['call'];

export interface IndexedShape<A extends Annotations> extends Node {
  readonly kind: 'indexed';
  readonly container: Expression<A>;
  /** At least one; `x[]` has one `all`. */
  readonly indices: readonly Index<A>[];
}

/** `all` is `:` or nothing, `from` is `a:`, `to` is `:b`. A single index may turn out to be an array of ints. */
export type Index<A extends Annotations = Untyped> =
  | (Node & { readonly kind: 'all' })
  | (Node & { readonly kind: 'single'; readonly index: Expression<A> })
  | (Node & { readonly kind: 'from'; readonly lower: Expression<A> })
  | (Node & { readonly kind: 'to'; readonly upper: Expression<A> })
  | (Node & { readonly kind: 'between'; readonly lower: Expression<A>; readonly upper: Expression<A> });

/** `t.2`, with a one-based slot. */
export interface SlotShape<A extends Annotations> extends Node {
  readonly kind: 'slot';
  readonly tuple: Expression<A>;
  readonly slot: number;
}

/** `{a, b}` array, `[a, b]` row vector or matrix, `(a, b)` tuple. Only a row vector may be empty; a one-tuple is `(a,)`. */
export interface CollectionShape<A extends Annotations> extends Node {
  readonly kind: 'arrayLiteral' | 'rowVectorLiteral' | 'tupleLiteral';
  readonly elements: readonly Expression<A>[];
}

interface ParenthesisShape<A extends Annotations> extends Node {
  readonly kind: 'parenthesis';
  readonly inner: Expression<A>;
}
