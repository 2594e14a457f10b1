/**
 * Removes the likelihood from a program, so that its draws come from the prior distribution. The removed statements are densities whose outcome is
 * data: `y ~ normal(mu, 1)` and `target += normal_lpdf(y | mu, 1)`. If these cannot be determined, the program is rejected.
 */
import type { Span } from '../source/span.js';
import type { AssignmentTarget, Expression, Program, Statement } from '../syntax/ast.js';
import { visitDefinition, visitExpression, visitStatement } from '../syntax/walk.js';

/** The statements that condition on data, or a statement of which only a part may do so. */
export type Likelihood =
  | { readonly kind: 'statements'; readonly statements: readonly Span[] }
  | { readonly kind: 'unclear'; readonly at: Span; readonly reason: string };

/** The densities that a value adds to the log density. */
export interface Terms {
  /** Whether it contains densities of data. */
  readonly data: boolean;
  /** Whether it contains densities of parameters. */
  readonly prior: boolean;
  /**
   * Whether it contains densities of constants, as in `bernoulli_lpmf(1 | theta)`. In a value with densities of data,
   * they belong to the data.
   */
  readonly constant: boolean;
  /** The reason why the densities cannot be derived. */
  readonly unclear?: string;
}

const NOTHING: Terms = { data: false, prior: false, constant: false };
export const DENSITY = /_(?:lpdf|lpmf|lupdf|lupmf|lcdf|lccdf|cdf)$/;
/** Functions that sum the log densities of slices of their second argument, or of the arguments after it. */
const SUMS = /^(?:reduce_sum|reduce_sum_static|map_rect)$/;
const MARGINAL = /^laplace_marginal/;

/** The statements of the model block that condition on data. */
export function likelihoodOf(program: Program): Likelihood {
  return new LikelihoodSearch(program).result();
}

/** Determines the densities that statements and values of a program add to its log density. */
export class LikelihoodSearch {
  readonly #fromData = new Set<string>();
  readonly #fromParameters = new Set<string>();
  /** The densities in local variables of the model block. */
  readonly #locals = new Map<string, Terms>();
  /** Functions of the program that return densities or add to the target. */
  readonly #densityFunctions = new Set<string>();
  readonly #program: Program;

  constructor(program: Program) {
    this.#program = program;
    for (const { body, name } of program.functions?.statements ?? []) {
      if (body !== undefined && /_lp$/.test(name.name)) this.#densityFunctions.add(name.name);
    }
    this.#findDensityFunctions();
    for (const block of [program.data, program.transformedData]) {
      for (const statement of block?.statements ?? []) this.#declare(statement, this.#fromData);
    }
    for (const statement of program.parameters?.statements ?? []) this.#declare(statement, this.#fromParameters);
    this.#followAssignments();
  }

  result(): Likelihood {
    const statements: Span[] = [];
    let unclear: Likelihood | undefined;
    this.#eachModelStatement((statement) => {
      const { data, prior, unclear: reason } = this.termsOfStatement(statement);
      if (reason !== undefined) unclear ??= { kind: 'unclear', at: statement.span, reason };
      else if (data && prior) {
        const reason = 'it adds both densities of data and densities of parameters';
        unclear ??= { kind: 'unclear', at: statement.span, reason };
      } else if (data) statements.push(statement.span);
    });
    return unclear ?? { kind: 'statements', statements };
  }

  /** Whether the outcome of a density is data. */
  isOfData(outcome: Expression): boolean {
    return this.#termsOfDensity(outcome).data;
  }

  /** The densities that a statement of the model block adds, excluding those of inner statements. */
  termsOfStatement(statement: Statement): Terms {
    if (statement.kind === 'tilde') {
      return this.#termsOfDensity(statement.variate);
    }
    if (statement.kind === 'target') {
      return this.termsOfIncrement(statement.value);
    }
    if (statement.kind === 'callStatement' && this.#densityFunctions.has(statement.function.name)) {
      if (!statement.arguments.some((argument) => this.#mentions(argument, this.#fromData))) return NOTHING;
      return { ...NOTHING, unclear: `what ${statement.function.name} adds to the target depends on data` };
    }
    return NOTHING;
  }

  /** The densities in a value that is added to the target. */
  termsOfIncrement(value: Expression): Terms {
    const terms = this.densitiesIn(value);
    const isDensity = terms.data || terms.prior || terms.constant || terms.unclear !== undefined;
    if (isDensity || !this.#mentions(value, this.#fromData)) return terms;
    return { ...NOTHING, unclear: 'it adds an expression of data to the target that is not a density' };
  }

  /** The densities in an expression, including those in variables that it uses. */
  densitiesIn(expression: Expression): Terms {
    let [data, prior, constant] = [false, false, false];
    let unclear: string | undefined;
    this.#eachExpression(expression, (part) => {
      if (part.kind === 'variable') {
        const local = this.#locals.get(part.name);
        data ||= local?.data === true;
        prior ||= local?.prior === true;
        constant ||= local?.constant === true;
        unclear ??= local?.unclear;
      }
      if (part.kind !== 'call') return;
      const { name } = part.function;
      const [outcome] = part.arguments;
      if (DENSITY.test(name) && outcome !== undefined) {
        if (this.#isNumber(part)) return;
        const density = this.#termsOfDensity(outcome);
        data ||= density.data;
        prior ||= density.prior;
        constant ||= density.constant;
        unclear ??= density.unclear;
      } else if (SUMS.test(name) || MARGINAL.test(name)) {
        data ||= part.arguments.slice(1).some((argument) => this.#mentions(argument, this.#fromData));
      } else if (
        this.#densityFunctions.has(name) &&
        part.arguments.some((argument) => this.#mentions(argument, this.#fromData))
      ) {
        unclear ??= `what ${name} computes depends on data`;
      }
    });
    return { data, prior, constant, ...(unclear !== undefined && { unclear }) };
  }

  #termsOfDensity(outcome: Expression): Terms {
    const [isData, isParameters] = [this.#fromData, this.#fromParameters].map((names) =>
      this.#mentions(outcome, names),
    );
    if (!isData) return { ...NOTHING, prior: isParameters, constant: !isParameters };
    if (!isParameters) return { ...NOTHING, data: true };
    return { ...NOTHING, unclear: 'its outcome is made of data and of parameters' };
  }

  /** Whether a density is a constant, such as the normalizing constant of a truncated prior. */
  #isNumber(density: Expression): boolean {
    let isNumber = true;
    this.#eachExpression(density, (part) => {
      if (part.kind === 'variable') isNumber = false;
    });
    return isNumber;
  }

  /** Indices are ignored, because they select an element and do not affect its value. */
  #mentions(expression: Expression, names: ReadonlySet<string>): boolean {
    const { kind } = expression;
    if (kind === 'indexed') return this.#mentions(expression.container, names);
    if (kind === 'parenthesis') return this.#mentions(expression.inner, names);
    let found = false;
    this.#eachExpression(expression, (part) => {
      if (part.kind === 'variable' && names.has(part.name)) found = true;
    });
    return found;
  }

  /** Finds the variables that depend on data or on parameters, directly or through other variables. */
  #followAssignments(): void {
    let before = -1;
    const size = () => this.#fromData.size + this.#fromParameters.size + this.#flags();
    while (size() !== before) {
      before = size();
      for (const statement of this.#program.transformedParameters?.statements ?? []) {
        visitStatement(statement, { statement: (node) => this.#follow(node), expression: () => undefined });
      }
      this.#eachModelStatement((statement) => this.#follow(statement));
    }
  }

  #follow(node: Statement | { readonly kind: 'function' }): void {
    if (node.kind === 'declaration') {
      for (const { initialValue, name } of node.variables) {
        if (initialValue !== undefined) this.#flow([name.name], initialValue);
      }
    } else if (node.kind === 'assignment') this.#flow(assignedNames(node.target), node.value);
    else if (node.kind === 'forEach') this.#flow([node.variable.name], node.container);
  }

  #flow(names: readonly string[], value: Expression): void {
    const terms = this.densitiesIn(value);
    for (const name of names) {
      if (this.#mentions(value, this.#fromData)) this.#fromData.add(name);
      if (this.#mentions(value, this.#fromParameters)) this.#fromParameters.add(name);
      const known = this.#locals.get(name) ?? NOTHING;
      const unclear = known.unclear ?? terms.unclear;
      this.#locals.set(name, {
        data: known.data || terms.data,
        prior: known.prior || terms.prior,
        constant: known.constant || terms.constant,
        ...(unclear !== undefined && { unclear }),
      });
    }
  }

  #flags(): number {
    return [...this.#locals.values()].reduce(
      (sum, { data, prior, constant, unclear }) =>
        sum + Number(data) + Number(prior) + Number(constant) + Number(unclear !== undefined),
      0,
    );
  }

  #findDensityFunctions(): void {
    let before = -1;
    while (this.#densityFunctions.size !== before) {
      before = this.#densityFunctions.size;
      for (const definition of this.#program.functions?.statements ?? []) {
        visitDefinition(definition, {
          statement: (node) => {
            if (node.kind === 'tilde' || node.kind === 'target') this.#densityFunctions.add(definition.name.name);
          },
          expression: (part) => {
            if (part.kind !== 'call') return;
            const { name } = part.function;
            if (DENSITY.test(name) || SUMS.test(name) || this.#densityFunctions.has(name)) {
              this.#densityFunctions.add(definition.name.name);
            }
          },
        });
      }
    }
  }

  #declare(statement: Statement, into: Set<string>): void {
    if (statement.kind === 'declaration') for (const { name } of statement.variables) into.add(name.name);
  }

  #eachModelStatement(visit: (statement: Statement) => void): void {
    for (const statement of this.#program.model?.statements ?? []) {
      visitStatement(statement, {
        statement: (node) => {
          if (node.kind !== 'function') visit(node);
        },
        expression: () => undefined,
      });
    }
  }

  #eachExpression(expression: Expression, visit: (part: Expression) => void): void {
    visitExpression(expression, { expression: visit, statement: () => undefined });
  }
}

/** The variables that an assignment sets, as a whole or in part. */
export function assignedNames(target: AssignmentTarget): readonly string[] {
  switch (target.kind) {
    case 'tuplePattern':
      return target.targets.flatMap(assignedNames);
    case 'indexed':
      return assignedNames(target.container);
    case 'slot':
      return assignedNames(target.tuple);
    case 'variable':
      return [target.name];
  }
}

/** The files of a program without some statements, each replaced by an empty statement and a comment. */
export function withoutStatements(
  texts: Readonly<Record<string, string>>,
  statements: readonly Span[],
): Readonly<Record<string, string>> {
  const changed = { ...texts };
  for (const { begin, end } of statements.toSorted((a, b) => b.begin.offset - a.begin.offset)) {
    const text = changed[begin.file.name];
    if (text === undefined || end.file !== begin.file) continue;
    const removed = text.slice(begin.offset, end.offset);
    const comment = removed.includes('*/') ? '' : ` /* ${removed} */`;
    changed[begin.file.name] = `${text.slice(0, begin.offset)};${comment}${text.slice(end.offset)}`;
  }
  return changed;
}
