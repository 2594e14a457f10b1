/**
 * Finds parameters whose prior, as a program states it, does not integrate to 1. This does not affect draws, but a log evidence contains the
 * integral. What cannot be derived counts as normalized.
 */
import { REQUIREMENTS } from '../check/pedantic/supports.js';
import type { Constraint, Expression, Program, SizedType, Statement } from '../syntax/ast.js';
import { parse } from '../syntax/parse.js';
import { visitExpression, visitStatement } from '../syntax/walk.js';
import { assignedNames, DENSITY, LikelihoodSearch } from './prior.js';
import type { ProgramText } from './program-text.js';

export interface UnnormalizedPrior {
  readonly name: string;
  /**
   * `improper`: no prior on an unbounded space. `flat`: no prior on a bounded space, so that the integral is its volume. `cut`: the
   * distribution has mass outside of the declared bounds.
   */
  readonly problem: 'improper' | 'flat' | 'cut';
}

/** Constraints to bounded spaces. */
const BOUNDED: readonly Constraint['kind'][] = [
  'lower_upper',
  'simplex',
  'unit_vector',
  'cholesky_factor_corr',
  'corr_matrix',
  'column_stochastic_matrix',
  'row_stochastic_matrix',
];

/** Distributions over all real numbers or vectors. */
const UNBOUNDED =
  /^(?:std_)?normal$|^(?:student_t|cauchy|double_exponential|logistic|gumbel|exp_mod_normal|skew_normal|skew_double_exponential|multi_normal(?:_cholesky|_prec)?|multi_student_t(?:_cholesky)?)$/;

/** The parameters in the order of their declarations; empty for a program with errors. */
export function unnormalizedPriors({ includes, name, text }: ProgramText): readonly UnnormalizedPrior[] {
  const parsed = parse({ name, text }, new Map(Object.entries(includes)));
  return 'program' in parsed ? new PriorCheck(parsed.program).result() : [];
}

class PriorCheck {
  readonly #program: Program;
  /** The constraints of parameters. */
  readonly #constraints: ReadonlyMap<string, Constraint>;
  /** The parameters on which variables depend. */
  readonly #origins = new Map<string, Set<string>>();
  readonly #withPrior = new Set<string>();
  readonly #cut = new Set<string>();

  constructor(program: Program) {
    this.#program = program;
    this.#constraints = new Map((program.parameters?.statements ?? []).flatMap(constraintsIn));
    for (const name of this.#constraints.keys()) this.#origins.set(name, new Set([name]));
  }

  result(): readonly UnnormalizedPrior[] {
    this.#followAssignments();
    const search = new LikelihoodSearch(this.#program);
    for (const statement of this.#statements(this.#program.model)) this.#read(statement, search);
    return [...this.#constraints].flatMap(([name, { kind }]): UnnormalizedPrior[] => {
      if (this.#cut.has(name)) return [{ name, problem: 'cut' }];
      if (this.#withPrior.has(name)) return [];
      return [{ name, problem: BOUNDED.includes(kind) ? 'flat' : 'improper' }];
    });
  }

  #read(statement: Statement, search: LikelihoodSearch): void {
    if (statement.kind === 'tilde') {
      const { distribution, truncation, variate } = statement;
      if (search.termsOfStatement(statement).data) return;
      this.#addPriors([variate]);
      if (truncation === undefined) this.#checkBounds(variate, distribution.name);
    } else if (statement.kind === 'target' || statement.kind === 'callStatement') {
      const values = statement.kind === 'target' ? [statement.value] : statement.arguments;
      const { data, prior, unclear } = search.termsOfStatement(statement);
      if (data && !prior && unclear === undefined) return;
      const densities = values.flatMap(densitiesIn);
      this.#addPriors(densities.length > 0 ? densities.map(({ variate }) => variate) : values);
      for (const { distribution, variate } of densities) this.#checkBounds(variate, distribution);
    }
  }

  #addPriors(variates: readonly Expression[]): void {
    for (const variate of variates) for (const name of this.#originsOf(variate)) this.#withPrior.add(name);
  }

  /** Programs may subtract the logarithm of the mass within the bounds themselves. */
  #checkBounds(variate: Expression, distribution: string): void {
    const name = parameterIn(variate);
    const constraint = name === undefined ? undefined : this.#constraints.get(name);
    if (name === undefined || constraint === undefined) return;
    if (isCut(constraint, distribution) && !this.#normalizes(distribution)) this.#cut.add(name);
  }

  /** Whether the program calls a cumulative function of the distribution. */
  #normalizes(distribution: string): boolean {
    const cumulative = new RegExp(`^${distribution}_(?:lcdf|lccdf|cdf)$`);
    const blocks = [this.#program.transformedData, this.#program.transformedParameters, this.#program.model];
    let found = false;
    for (const statement of blocks.flatMap((block) => block?.statements ?? [])) {
      visitStatement(statement, {
        statement: () => undefined,
        expression: (part) => {
          if (part.kind === 'call' && cumulative.test(part.function.name)) found = true;
        },
      });
    }
    return found;
  }

  #originsOf(expression: Expression): ReadonlySet<string> {
    const names = new Set<string>();
    visitExpression(expression, {
      statement: () => undefined,
      expression: (part) => {
        if (part.kind === 'variable') for (const name of this.#origins.get(part.name) ?? []) names.add(name);
      },
    });
    return names;
  }

  #followAssignments(): void {
    const { model, transformedParameters } = this.#program;
    const statements = [...this.#statements(transformedParameters), ...this.#statements(model)];
    for (let size = -1; size !== this.#size(); ) {
      size = this.#size();
      for (const node of statements) {
        if (node.kind === 'declaration') {
          for (const { initialValue, name } of node.variables) if (initialValue) this.#flow([name.name], initialValue);
        } else if (node.kind === 'assignment') this.#flow(assignedNames(node.target), node.value);
        else if (node.kind === 'forEach') this.#flow([node.variable.name], node.container);
      }
    }
  }

  #size(): number {
    return [...this.#origins.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #flow(names: readonly string[], value: Expression): void {
    const origins = this.#originsOf(value);
    for (const name of names) this.#origins.set(name, new Set([...(this.#origins.get(name) ?? []), ...origins]));
  }

  #statements(block: Program['model']): readonly Statement[] {
    const found: Statement[] = [];
    for (const statement of block?.statements ?? []) {
      visitStatement(statement, {
        statement: (node) => {
          if (node.kind !== 'function') found.push(node);
        },
        expression: () => undefined,
      });
    }
    return found;
  }
}

function constraintsIn(statement: Statement): [string, Constraint][] {
  if (statement.kind !== 'declaration') return [];
  const constraint = constraintOf(statement.type);
  return constraint === undefined ? [] : statement.variables.map(({ name }) => [name.name, constraint]);
}

/** The constraint of a variable or of the elements of an array; undefined for tuples. */
function constraintOf(type: SizedType): Constraint | undefined {
  if (type.kind === 'tuple') return undefined;
  return type.kind === 'array' ? constraintOf(type.element) : type.constraint;
}

/** The densities in an expression, with their first arguments. */
function densitiesIn(expression: Expression): { readonly distribution: string; readonly variate: Expression }[] {
  const found: { readonly distribution: string; readonly variate: Expression }[] = [];
  visitExpression(expression, {
    statement: () => undefined,
    expression: (part) => {
      if (part.kind !== 'call' || !DENSITY.test(part.function.name) || /cdf$/.test(part.function.name)) return;
      const [variate] = part.arguments;
      if (variate !== undefined) found.push({ distribution: part.function.name.replace(DENSITY, ''), variate });
    },
  });
  return found;
}

/** The variable that is the whole expression, or of which it is an element. */
function parameterIn(expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name;
  if (expression.kind === 'indexed') return parameterIn(expression.container);
  return expression.kind === 'parenthesis' ? parameterIn(expression.inner) : undefined;
}

function isCut(constraint: Constraint, distribution: string): boolean {
  const lower = 'lower' in constraint ? numberIn(constraint.lower) : Number.NEGATIVE_INFINITY;
  const upper = 'upper' in constraint ? numberIn(constraint.upper) : Number.POSITIVE_INFINITY;
  const isOrdered = constraint.kind === 'ordered' || constraint.kind === 'positive_ordered';
  if (UNBOUNDED.test(distribution)) {
    return isOrdered || lower !== Number.NEGATIVE_INFINITY || upper !== Number.POSITIVE_INFINITY;
  }
  const [demand] = Object.hasOwn(REQUIREMENTS, distribution) ? REQUIREMENTS[distribution] : [];
  if (demand?.position !== 0 || demand.demand.of.kind !== 'range') return false;
  if (isOrdered) return true;
  const { lower: least, upper: greatest } = demand.demand.of;
  return (
    (lower ?? Number.NEGATIVE_INFINITY) > (least?.value ?? Number.NEGATIVE_INFINITY) ||
    (upper ?? Number.POSITIVE_INFINITY) < (greatest?.value ?? Number.POSITIVE_INFINITY)
  );
}

/** The value of a literal or an infinity; undefined for other expressions. */
function numberIn(expression: Expression): number | undefined {
  switch (expression.kind) {
    case 'int':
    case 'real':
      return Number(expression.text.replaceAll('_', ''));
    case 'parenthesis':
      return numberIn(expression.inner);
    case 'prefix': {
      const operand = numberIn(expression.operand);
      return operand === undefined || expression.operator !== '-' ? undefined : -operand;
    }
    case 'call':
      return expression.function.name === 'positive_infinity'
        ? Number.POSITIVE_INFINITY
        : expression.function.name === 'negative_infinity'
          ? Number.NEGATIVE_INFINITY
          : undefined;
    default:
      return undefined;
  }
}
