/**
 * Splits the likelihood of a program into terms, each with its observation: the element of a data variable that is the outcome. If the observation
 * cannot be derived, returns the reason.
 */
import type { Typed, TypedExpression, TypedProgram } from '../check/typed.js';
import type { FunctionSignatures } from '../language/overloads.js';
import { type Span, spanText } from '../source/span.js';
import type { AssignmentTarget, SizedType, Truncation } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';
import { DensityText } from './density-text.js';
import { textOf } from './elements.js';
import { type Enclosing, ObservationRows } from './observation-rows.js';
import {
  callOf,
  type DensityCall,
  declarationOf,
  densityCallOf,
  isUnclear,
  keyOf,
  mentionedIn,
  type TypedStatement,
  type Unclear,
} from './observed.js';
import { elementComparedIn, outcomeVariable } from './outcome-places.js';
import { assignedNames, type Likelihood, LikelihoodSearch } from './prior.js';

/** A term that a statement adds to the log density for one or more observations. */
export interface LikelihoodTerm {
  readonly statement: TypedStatement;
  /** The summand of `target +=`; undefined for other statements. */
  readonly addend?: TypedExpression;
  /** The data variable that is the outcome. */
  readonly variable: string;
  /** Its declared type. */
  readonly type: SizedType<Typed>;
  /** Whether it is inside a loop or a condition. */
  readonly isNested: boolean;
  /** The elements of the variable that are the outcome. */
  readonly outcome: TypedExpression;
  readonly value: TermValue;
}

/** The density of one observation, or of a container of observations. */
export interface DensityValue {
  readonly kind: 'density';
  /** Its outcome may be computed from an observation, `y[n] == 0`, or be a constant in a branch that an observation chooses. */
  readonly call: DensityCall;
  readonly density: DensityText;
  readonly truncation?: Truncation<Typed>;
}

type TermValue =
  | DensityValue
  /** An expression of densities that all have the same outcome, and of other values that belong to it. */
  | { readonly kind: 'expression'; readonly expression: TypedExpression }
  /** A list whose element `i` is an expression of densities of element `i` of the variable. */
  | { readonly kind: 'list'; readonly expression: TypedExpression };

/** An assignment to a variable, as a whole or at an index. */
interface Assigned {
  readonly value: TypedExpression;
  /** The index as text, `n` of `lp[n] = …`. */
  readonly index: string | undefined;
  readonly enclosing: readonly Enclosing[];
}

/** Every term of the likelihood, or the reason why one is ambiguous. At least one for a program that conditions on data. */
export function likelihoodTerms(
  program: TypedProgram,
  functions: FunctionSignatures,
): readonly LikelihoodTerm[] | Unclear {
  return new TermSearch(program, functions).result();
}

/**
 * The statements that condition on data, also those that contain no density of data but belong to an observation: `target += log(theta)` in
 * `if (y[n] == 0) …`.
 */
export function likelihoodStatements(program: TypedProgram, functions: FunctionSignatures): Likelihood {
  return new TermSearch(program, functions).statements();
}

class TermSearch {
  readonly #program: TypedProgram;
  readonly #functions: FunctionSignatures;
  readonly #search: LikelihoodSearch;
  readonly #rows: ObservationRows;
  readonly #assigned = new Map<string, Assigned[]>();
  readonly #terms: LikelihoodTerm[] = [];
  /** The statements that belong entirely to one observation. */
  readonly #ofRows: Span[] = [];
  /** Densities of parameters, with their enclosing statements. */
  readonly #others: { readonly at: Span; readonly enclosing: readonly Enclosing[] }[] = [];
  #unclear: Unclear | undefined;
  #jump: Span | undefined;

  constructor(program: TypedProgram, functions: FunctionSignatures) {
    this.#program = program;
    this.#functions = functions;
    this.#search = new LikelihoodSearch(program.tree);
    this.#rows = new ObservationRows(this.#search, functions);
  }

  result(): readonly LikelihoodTerm[] | Unclear {
    const { model, transformedParameters } = this.#program.tree;
    for (const statement of transformedParameters?.statements ?? []) this.#each(statement, [], this.#noteAssigned);
    for (const statement of model?.statements ?? []) this.#each(statement, [], this.#noteAssigned);
    for (const statement of model?.statements ?? []) this.#each(statement, [], this.#visit);
    if (this.#unclear !== undefined) return this.#unclear;
    const at = model?.span ?? this.#program.tree.span;
    if (this.#terms.length === 0) return { reason: 'no statement has data as its outcome', at, isOfProgram: true };
    if (this.#jump !== undefined) return { reason: 'it changes which statements run', at: this.#jump };
    const outcomes = new Set(this.#terms.map(({ variable }) => variable));
    const other = this.#others.find(({ enclosing }) =>
      enclosing.some((each) => each.kind === 'if' && mentionedIn(each.condition).some((name) => outcomes.has(name))),
    );
    return other === undefined
      ? this.#terms
      : { reason: 'its condition depends on data, but its outcome is not data', at: other.at };
  }

  /** The statements that condition on data, or the reason why one is ambiguous. */
  statements(): Likelihood {
    const likelihood = this.#search.result();
    if (likelihood.kind === 'unclear') return likelihood;
    this.result();
    const statements = new Map([...likelihood.statements, ...this.#ofRows].map((at) => [keyOf(at), at]));
    return { kind: 'statements', statements: [...statements.values()] };
  }

  #each(
    statement: TypedStatement,
    enclosing: readonly Enclosing[],
    visit: (statement: TypedStatement, enclosing: readonly Enclosing[]) => void,
  ): void {
    visit(statement, enclosing);
    switch (statement.kind) {
      case 'block':
      case 'profile':
        for (const inner of statement.statements) this.#each(inner, enclosing, visit);
        break;
      case 'for':
      case 'forEach':
      case 'while':
        this.#each(statement.body, [...enclosing, statement], visit);
        break;
      case 'if':
        for (const branch of [statement.consequence, statement.alternative]) {
          if (branch !== undefined) this.#each(branch, [...enclosing, statement], visit);
        }
        break;
    }
  }

  readonly #noteAssigned = (statement: TypedStatement, enclosing: readonly Enclosing[]): void => {
    const note = (name: string, value: TypedExpression, index?: string) => {
      this.#assigned.set(name, [...(this.#assigned.get(name) ?? []), { value, index, enclosing }]);
    };
    if (statement.kind === 'declaration') {
      for (const { initialValue, name } of statement.variables) {
        if (initialValue !== undefined) note(name.name, initialValue);
      }
    } else if (statement.kind === 'assignment') {
      for (const name of assignedNames(statement.target)) note(name, statement.value, indexOf(statement.target));
    }
  };

  readonly #visit = (statement: TypedStatement, enclosing: readonly Enclosing[]): void => {
    const { span: at } = statement;
    if (statement.kind === 'break' || statement.kind === 'continue') this.#jump ??= at;
    if (this.#noteOfRow(statement, enclosing)) return;
    if (statement.kind === 'target') {
      for (const addend of this.#partsOf(statement.value)) {
        const terms = this.#search.termsOfIncrement(addend);
        this.#note(statement, enclosing, terms, () => {
          const term = this.#termOf(statement, addend, enclosing);
          return isUnclear(term) ? term : { ...term, addend };
        });
      }
    } else {
      const terms = this.#search.termsOfStatement(statement);
      this.#note(statement, enclosing, terms, () => {
        const call = callOf(statement);
        return call === undefined
          ? { reason: 'it is not a density', at }
          : this.#densityTerm(statement, call, enclosing);
      });
    }
  };

  /** Records a statement that belongs entirely to one observation, besides densities of that observation alone. Returns whether it is one. */
  #noteOfRow(statement: TypedStatement, enclosing: readonly Enclosing[]): boolean {
    const { kind, span: at } = statement;
    if (kind !== 'target' && kind !== 'tilde') return false;
    const terms =
      kind === 'target' ? this.#search.densitiesIn(statement.value) : this.#search.termsOfStatement(statement);
    const call = callOf(statement);
    if (terms.prior || terms.unclear !== undefined || (terms.data && call !== undefined)) return false;
    const calls = kind === 'target' ? this.#outcomesOf(statement.value, enclosing, at) : [];
    const outcome = isUnclear(calls) ? undefined : this.#rows.of(enclosing, calls);
    if (outcome === undefined) return false;
    const term =
      call !== undefined
        ? this.#densityTerm(statement, call, enclosing, outcome)
        : kind === 'target'
          ? this.#term(statement, outcome, { kind: 'expression', expression: statement.value }, enclosing)
          : undefined;
    if (term === undefined) return false;
    this.#ofRows.push(at);
    if (isUnclear(term)) this.#unclear ??= term;
    else this.#terms.push({ ...term, ...(kind === 'target' && { addend: statement.value }) });
    return true;
  }

  #note(
    statement: TypedStatement,
    enclosing: readonly Enclosing[],
    { constant, data, prior, unclear }: ReturnType<LikelihoodSearch['termsOfStatement']>,
    termOf: () => LikelihoodTerm | Unclear,
  ): void {
    const { kind, span: at } = statement;
    if (unclear !== undefined) this.#unclear ??= { reason: unclear, at };
    else if (data && prior)
      this.#unclear ??= { reason: 'it adds both densities of data and densities of parameters', at };
    else if (data) {
      const term = termOf();
      if (isUnclear(term)) this.#unclear ??= term;
      else this.#terms.push(term);
    } else if (constant) {
      this.#unclear ??= { reason: 'its outcome is a constant, not an observation', at };
    } else if (kind === 'tilde' || kind === 'target') this.#others.push({ at, enclosing });
  }

  /** The summands of an expression. A subtrahend without densities is left out; a difference with another one is not split. */
  #addendsOf(expression: TypedExpression): readonly TypedExpression[] {
    if (expression.kind === 'parenthesis') return this.#addendsOf(expression.inner);
    if (expression.kind !== 'binary') return [expression];
    const { left, operator, right } = expression;
    // A scalar that is added to a container counts once per element.
    if (left.type.kind !== 'real' || right.type.kind !== 'real') return [expression];
    if (operator === '+') return [...this.#addendsOf(left), ...this.#addendsOf(right)];
    const { constant, data, prior, unclear } = this.#search.termsOfIncrement(right);
    const isOther = constant || data || prior || unclear !== undefined;
    return operator === '-' && !isOther ? this.#addendsOf(left) : [expression];
  }

  /** The terms for different observations. Densities of constants belong to the terms of the data. */
  #partsOf(value: TypedExpression): readonly TypedExpression[] {
    const addends = this.#addendsOf(value);
    const terms = addends.map((addend) => this.#search.termsOfIncrement(addend));
    const isOne = terms.some(({ constant, data }) => constant && !data) && terms.some(({ data }) => data);
    return isOne ? [value] : addends;
  }

  #termOf(
    statement: TypedStatement,
    addend: TypedExpression,
    enclosing: readonly Enclosing[],
  ): LikelihoodTerm | Unclear {
    const at = statement.span;
    const call = densityCallOf(addend);
    if (call !== undefined) return this.#densityTerm(statement, call, enclosing);
    const list = listNameOf(addend);
    if (list !== undefined) return this.#listTerm(statement, list, enclosing);
    const outcomes = this.#outcomesOf(addend, enclosing, at);
    if (isUnclear(outcomes)) return outcomes;
    const [first] = outcomes;
    if (first === undefined) return { reason: 'no density in it names an outcome', at };
    const density = new DensityText(first, this.#functions);
    if (density.isOverElements) return { reason: 'it adds the densities of several observations in one term', at };
    return this.#term(statement, first.outcome, { kind: 'expression', expression: addend }, enclosing);
  }

  #densityTerm(
    statement: TypedStatement,
    call: DensityCall,
    enclosing: readonly Enclosing[],
    outcome = elementComparedIn(call.outcome) ?? call.outcome,
  ): LikelihoodTerm | Unclear {
    const density = new DensityText(call, this.#functions);
    const truncation = statement.kind === 'tilde' ? statement.truncation : undefined;
    return this.#term(
      statement,
      outcome,
      { kind: 'density', call, density, ...(truncation && { truncation }) },
      enclosing,
    );
  }

  /** `target += sum(lp)` after `lp[n] = …` for each `n`. */
  #listTerm(
    statement: TypedStatement,
    list: Extract<TypedExpression, { readonly kind: 'variable' }>,
    enclosing: readonly Enclosing[],
  ): LikelihoodTerm | Unclear {
    const at = statement.span;
    const several = { reason: `element n of ${list.name} is not the density of element n of one data variable`, at };
    let outcome: TypedExpression | undefined;
    for (const each of this.#assigned.get(list.name) ?? []) {
      const outcomes = this.#outcomesOf(each.value, each.enclosing, at);
      if (isUnclear(outcomes)) return outcomes;
      const [first] = outcomes;
      if (first === undefined) continue;
      const place = first.outcome.kind === 'indexed' ? first.outcome : undefined;
      const variable = outcomeVariable(first.outcome);
      if (new DensityText(first, this.#functions).isOverElements) return several;
      if (place?.container.kind !== 'variable' || place.indices.length !== 1) return several;
      if (each.index === undefined || spanText(place.indices[0].span) !== each.index) return several;
      if (outcome !== undefined && outcomeVariable(outcome) !== variable) return several;
      outcome = first.outcome;
    }
    if (outcome === undefined) return several;
    return this.#term(statement, outcome, { kind: 'list', expression: list }, enclosing);
  }

  #term(
    statement: TypedStatement,
    outcome: TypedExpression,
    value: TermValue,
    enclosing: readonly Enclosing[],
  ): LikelihoodTerm | Unclear {
    const at = statement.span;
    const variable = outcomeVariable(outcome);
    if (variable === undefined) return { reason: 'its outcome is neither a variable nor elements of one', at };
    const declared = declarationOf(variable, this.#program);
    if (declared === undefined) return { reason: `${variable} is not a data variable`, at };
    return { statement, variable, ...declared, isNested: enclosing.length > 0, outcome, value };
  }

  /**
   * The densities of data in an expression, including those in local variables that it uses. All must have the same outcome, which must mean the same
   * at the expression.
   */
  #outcomesOf(
    expression: TypedExpression,
    enclosing: readonly Enclosing[],
    at: Span,
  ): readonly DensityCall[] | Unclear {
    const found: DensityCall[] = [];
    const seen = new Set<string>();
    let isElsewhere = false;
    const collect = (node: TypedExpression, around: readonly Enclosing[] | undefined) =>
      visitExpression(node, {
        statement: () => undefined,
        expression: (part) => {
          if (part.kind === 'variable' && !seen.has(part.name)) {
            seen.add(part.name);
            for (const each of this.#assigned.get(part.name) ?? []) collect(each.value, each.enclosing);
          }
          const call = this.#rows.densityOfData(part);
          if (call === undefined) return;
          found.push(call);
          if (around !== undefined && !this.#isSameThere(call.outcome, around, enclosing)) isElsewhere = true;
        },
      });
    collect(expression, undefined);
    const texts = new Set(found.map(({ outcome }) => textOf(outcome).replace(/\s+/g, '')));
    return texts.size > 1 || isElsewhere ? { reason: 'its densities have several outcomes', at } : found;
  }

  /** Whether an outcome has the same meaning where it is used as where a local variable was computed from its density. */
  #isSameThere(outcome: TypedExpression, there: readonly Enclosing[], here: readonly Enclosing[]): boolean {
    const loops = new Map(there.flatMap((each) => (each.kind === 'for' ? [[each.variable.name, each] as const] : [])));
    const locals = new Set(
      [...this.#program.variables.values()].flatMap(({ block, name, role }) =>
        block === 'model' && role !== 'loop' ? [name] : [],
      ),
    );
    return mentionedIn(outcome).every((name) => {
      const loop = loops.get(name);
      return loop === undefined ? !locals.has(name) : here.includes(loop);
    });
  }
}

/** The name of the container whose sum is added: `lp` of `lp` or `sum(lp)`. */
function listNameOf(node: TypedExpression): Extract<TypedExpression, { readonly kind: 'variable' }> | undefined {
  const isSum = node.kind === 'call' && node.function.name === 'sum' && node.arguments.length === 1;
  const [list] = isSum ? node.arguments : [node];
  if (list?.kind !== 'variable') return undefined;
  const { type } = list;
  const isList = type.kind === 'vector' || type.kind === 'row_vector' || type.kind === 'array';
  return isList ? list : undefined;
}

function indexOf(target: AssignmentTarget<Typed>): string | undefined {
  if (target.kind !== 'indexed' || target.container.kind !== 'variable' || target.indices.length !== 1)
    return undefined;
  const [index] = target.indices;
  return index?.kind === 'single' ? spanText(index.span) : undefined;
}
