/** Finds the densities of data in a program and their observations. If they cannot be derived, returns the reason. */
import type { Callee, Typed, TypedExpression, TypedProgram } from '../check/typed.js';
import { type Span, spanText } from '../source/span.js';
import type { Expression, SizedType, Statement } from '../syntax/ast.js';
import { visitExpression, visitStatement } from '../syntax/walk.js';
import { isContainer, textOf } from './elements.js';
import { likelihoodOf } from './prior.js';

export type TypedStatement = Statement<Typed>;

/** The reason why a quantity cannot be derived, and the location of the cause. */
export interface Unclear {
  readonly reason: string;
  readonly at: Span;
  /** Whether the cause is not one statement but the whole program. */
  readonly isOfProgram?: boolean;
}

export interface DensityCall {
  readonly callee: Callee;
  readonly outcome: TypedExpression;
  /** The arguments after the outcome. */
  readonly rest: readonly TypedExpression[];
}

/** A statement of the model block that conditions on one data variable, once per element. */
export interface Observed {
  readonly statement: TypedStatement;
  /** Whether the statement is inside a loop. */
  readonly isInLoop: boolean;
  readonly variable: string;
  /** Declared type of the variable. */
  readonly type: SizedType<Typed>;
  /** Whether the variable is declared in `data` rather than computed in `transformed data`. */
  readonly isGiven: boolean;
  /**
   * The loop variables that index the outcome, such as `["n"]` for `y[n]`; empty if the outcome is the whole variable.
   */
  readonly indices: readonly string[];
  /** The density that the statement adds; undefined if it adds an expression with several densities. */
  readonly call: DensityCall | undefined;
}

type Loop = Extract<TypedStatement, { readonly kind: 'for' }>;

const DENSITY = /_l(?:u?pdf|u?pmf|c?cdf)$/;

export function isUnclear(found: object): found is Unclear {
  return 'reason' in found;
}

/** The statements that condition on data. For each, the observation or the reason why it cannot be derived. */
export function observedIn(program: TypedProgram): readonly (Observed | Unclear)[] {
  const likelihood = likelihoodOf(program.tree);
  if (likelihood.kind === 'unclear') return [{ reason: likelihood.reason, at: likelihood.at }];
  const wanted = new Set(likelihood.statements.map(keyOf));
  const found: (Observed | Unclear)[] = [];
  const visit = (statement: TypedStatement, loops: readonly Loop[], isConditional: boolean): void => {
    if (wanted.has(keyOf(statement.span))) {
      const { span: at } = statement;
      found.push(
        isConditional ? { reason: 'it runs only under a condition', at } : observed(statement, loops, program),
      );
      return;
    }
    switch (statement.kind) {
      case 'block':
      case 'profile':
        for (const inner of statement.statements) visit(inner, loops, isConditional);
        break;
      case 'for':
        visit(statement.body, [...loops, statement], isConditional);
        break;
      case 'if':
        visit(statement.consequence, loops, true);
        if (statement.alternative !== undefined) visit(statement.alternative, loops, true);
        break;
      case 'while':
      case 'forEach':
        visit(statement.body, loops, true);
        break;
    }
  };
  for (const statement of program.tree.model?.statements ?? []) visit(statement, [], false);
  return found;
}

/** A key that is unique for each statement of a program. */
export function keyOf({ begin, end }: Span): string {
  return `${begin.file.name} ${begin.offset} ${end.offset}`;
}

function observed(statement: TypedStatement, loops: readonly Loop[], program: TypedProgram): Observed | Unclear {
  const at = statement.span;
  if (statement.kind === 'tilde' && statement.truncation !== undefined)
    return { reason: 'its density is truncated', at };
  const call = callOf(statement);
  const outcomes = call === undefined ? outcomesOf(statement, program) : [call.outcome];
  const [first, ...others] = outcomes.map(placeOf);
  if (first === undefined) {
    const reason =
      outcomes.length === 0
        ? 'no density in it names an outcome'
        : 'its outcome is neither a variable nor an element of one';
    return { reason, at };
  }
  if (others.some((other) => other === undefined || textOfPlace(other) !== textOfPlace(first))) {
    return { reason: 'its densities have several outcomes', at };
  }
  const declared = declarationOf(first.variable, program);
  if (declared === undefined) return { reason: `${first.variable} is not a data variable`, at };
  const sizes = sizesOf(declared.type).map(({ span }) => spanText(span));
  const isOfEach = loops.every((loop) => first.indices.includes(loop.variable.name));
  const goesOverAll = first.indices.every((index, place) => {
    const loop = loops.find(({ variable }) => variable.name === index);
    return loop !== undefined && isWhole(loop, sizes[place], place === 0 ? first.variable : undefined);
  });
  if (!isOfEach || !goesOverAll || new Set(first.indices).size < first.indices.length) {
    return { reason: `its loops do not visit each element of ${first.variable} exactly once`, at };
  }
  const { indices, variable } = first;
  return { statement, isInLoop: loops.length > 0, variable, ...declared, indices, call };
}

/** Whether a loop covers all indexes of one dimension. */
function isWhole({ lower, upper }: Loop, size: string | undefined, variable: string | undefined): boolean {
  const last = spanText(upper.span);
  const counts = variable === undefined ? [] : ['size', 'num_elements', 'rows'].map((name) => `${name}(${variable})`);
  return spanText(lower.span) === '1' && (last === size || counts.includes(last));
}

interface Place {
  readonly variable: string;
  readonly indices: readonly string[];
}

/** A variable, or an element of one, with single indexes. */
function placeOf(node: TypedExpression): Place | undefined {
  if (node.kind === 'parenthesis') return placeOf(node.inner);
  if (node.kind === 'variable') return { variable: node.name, indices: [] };
  if (node.kind !== 'indexed') return undefined;
  const container = placeOf(node.container);
  const isSingle = node.indices.every((index) => index.kind === 'single' && !isContainer(index.index.type));
  if (container === undefined || !isSingle) return undefined;
  return { ...container, indices: [...container.indices, ...node.indices.map(({ span }) => spanText(span))] };
}

function textOfPlace({ indices, variable }: Place): string {
  return [variable, ...indices].join();
}

/** The single density that a statement adds: the density of a `~` statement, or the whole increment of the target. */
export function callOf(statement: TypedStatement): DensityCall | undefined {
  if (statement.kind === 'tilde') {
    return { callee: statement.callee, outcome: statement.variate, rest: statement.arguments };
  }
  if (statement.kind !== 'target') return undefined;
  let { value } = statement;
  while (value.kind === 'parenthesis') value = value.inner;
  return densityCallOf(value);
}

/** A call of a density or mass function; undefined for other expressions. */
export function densityCallOf(node: TypedExpression): DensityCall | undefined {
  if (node.kind !== 'call' || !/_l(?:u?pdf|u?pmf)$/.test(node.function.name)) return undefined;
  const [outcome, ...rest] = node.arguments;
  return outcome && { callee: node.callee, outcome, rest };
}

/** The outcomes of all densities of data in an increment of the target, including those in local variables. */
function outcomesOf(statement: TypedStatement, { tree, variables }: TypedProgram): readonly TypedExpression[] {
  const parameters = new Set(
    [...variables.values()].filter(({ block }) => block === 'parameters').map(({ name }) => name),
  );
  const found: TypedExpression[] = [];
  const expression = (node: TypedExpression) => {
    const [outcome] = node.kind === 'call' && DENSITY.test(node.function.name) ? node.arguments : [];
    if (outcome !== undefined && !mentionedIn(outcome).some((name) => parameters.has(name))) found.push(outcome);
  };
  visitStatement(statement, { expression, statement: () => undefined });
  for (const each of tree.model?.statements ?? []) {
    visitStatement(each, {
      expression: () => undefined,
      statement: (node) => {
        if (node.kind === 'assignment') visitExpression(node.value, { expression, statement: () => undefined });
        if (node.kind !== 'declaration') return;
        for (const { initialValue } of node.variables) {
          if (initialValue !== undefined) visitExpression(initialValue, { expression, statement: () => undefined });
        }
      },
    });
  }
  return found;
}

/** The names of the variables in an expression, with repetitions. */
export function mentionedIn(node: TypedExpression): readonly string[] {
  const names: string[] = [];
  visitExpression(node, {
    expression: (part) => part.kind === 'variable' && names.push(part.name),
    statement: () => undefined,
  });
  return names;
}

/** The declaration of a variable of `data` or `transformed data`; undefined for other names. */
export function declarationOf(name: string, { tree }: TypedProgram): Pick<Observed, 'type' | 'isGiven'> | undefined {
  for (const block of [tree.data, tree.transformedData]) {
    for (const statement of block?.statements ?? []) {
      if (statement.kind !== 'declaration' || !statement.variables.some((each) => each.name.name === name)) continue;
      return { type: statement.type, isGiven: block === tree.data };
    }
  }
  return undefined;
}

/** The sizes of all dimensions, outermost first. */
export function sizesOf(type: SizedType<Typed>): readonly Expression<Typed>[] {
  if (type.kind === 'array') return [...type.sizes, ...sizesOf(type.element)];
  if ('size' in type) return [type.size];
  return 'rows' in type ? [type.rows, type.columns] : [];
}

/** A declared type without its constraint: `array[N] vector[K]` for `array[N] simplex[K]`. */
export function plainType(type: SizedType<Typed>): string {
  if (type.kind === 'array') return `array[${type.sizes.map(textOf).join(', ')}] ${plainType(type.element)}`;
  const sizes = sizesOf(type);
  return sizes.length === 0 ? type.kind : `${type.kind}[${sizes.map(textOf).join(', ')}]`;
}
