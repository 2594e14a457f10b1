/**
 * Replaces loops over all vectors of an array, `for (j in 1 : J) b[j] ~ multi_normal(mu, Sigma);`, by the statement for the array, `b ~ multi_normal(mu,
 * Sigma);`, which has the same density. Analyses then see one operation on all vectors, and the matrix is factored once.
 */
import { spanText } from '../source/span.js';
import type { Expression, Program, Statement, TildeStatement } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';

/** Distributions of vectors that are normal. */
export const MULTI_NORMAL = /^multi_normal(?:_cholesky|_prec)?$/;

/** The program with such loops of its model block replaced. Programs must have no errors. */
export function withWholeArrays(program: Program): Program {
  const { model } = program;
  if (model === undefined) return program;
  const arrays = arraysOfVectors(program);
  const statements = model.statements.map((each) => wholeStatement(each, arrays) ?? each);
  return { ...program, model: { ...model, statements } };
}

/** The sizes of parameters that are arrays of vectors, as written. */
function arraysOfVectors({ parameters }: Program): ReadonlyMap<string, string> {
  const sizes = new Map<string, string>();
  for (const declared of parameters?.statements ?? []) {
    if (declared.kind !== 'declaration' || declared.type.kind !== 'array') continue;
    const { element, sizes: all } = declared.type;
    const [size, ...others] = all;
    if (size === undefined || others.length > 0 || element.kind !== 'vector') continue;
    for (const { name } of declared.variables) sizes.set(name.name, spanText(size.span));
  }
  return sizes;
}

/** The statement for the whole array; undefined if the loop does something else. */
function wholeStatement(loop: Statement, arrays: ReadonlyMap<string, string>): TildeStatement | undefined {
  if (loop.kind !== 'for' && loop.kind !== 'forEach') return undefined;
  const statement = onlyStatement(loop.body);
  if (statement?.kind !== 'tilde' || statement.truncation !== undefined) return undefined;
  if (!MULTI_NORMAL.test(statement.distribution.name)) return undefined;
  if (statement.arguments.some((argument) => mentions(argument, loop.variable.name))) return undefined;
  const array = loop.kind === 'for' ? elementArray(statement.variate, loop.variable.name) : loop.container;
  if (array?.kind !== 'variable') return undefined;
  const size = arrays.get(array.name);
  const isWhole =
    loop.kind === 'for'
      ? spanText(loop.lower.span) === '1' && spanText(loop.upper.span) === size
      : size !== undefined && isVariable(statement.variate, loop.variable.name);
  return isWhole ? { ...statement, variate: array } : undefined;
}

/** The statement of a body that has only one. */
export function onlyStatement(body: Statement): Statement | undefined {
  if (body.kind !== 'block') return body;
  const [first, ...others] = body.statements.filter(({ kind }) => kind !== 'empty');
  return others.length === 0 ? first : undefined;
}

/** The container of `container[index]`. */
function elementArray(variate: Expression, index: string): Expression | undefined {
  if (variate.kind !== 'indexed') return undefined;
  const [first, ...others] = variate.indices;
  const isElement = others.length === 0 && first?.kind === 'single' && isVariable(first.index, index);
  return isElement ? variate.container : undefined;
}

function isVariable(e: Expression, name: string): boolean {
  return e.kind === 'variable' && e.name === name;
}

function mentions(e: Expression, name: string): boolean {
  let found = false;
  visitExpression(e, {
    statement: () => undefined,
    expression: (part) => {
      found ||= isVariable(part, name);
    },
  });
  return found;
}
