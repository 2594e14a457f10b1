/**
 * Replaces arrays of vectors that a loop assembles for one statement, as rethinking writes varying intercepts and slopes,
 *
 *     array[J] vector[2] v;
 *     for (j in 1 : J) v[j] = [a[j], b[j]]';
 *     v ~ multi_normal(mu, Sigma);
 *
 * by a loop over the vectors, `for (j in 1 : J) [a[j], b[j]]' ~ multi_normal(mu, Sigma);`, which has the same density. Analyses then see the elements of
 * each vector.
 */
import { spanText } from '../source/span.js';
import type { Expression, ForStatement, Program, Statement, TildeStatement } from '../syntax/ast.js';
import { visitExpression, visitStatement } from '../syntax/walk.js';
import { MULTI_NORMAL, onlyStatement } from './whole-arrays.js';

/** The program with such arrays of its model block replaced. Programs must have no errors. */
export function withoutAssembledArrays(program: Program): Program {
  const { model } = program;
  if (model === undefined) return program;
  const locals = localsOf(model.statements);
  const nested = model.statements.map((each) =>
    each.kind === 'block' ? { ...each, statements: replaced(each.statements, locals) } : each,
  );
  return { ...program, model: { ...model, statements: replaced(nested, locals) } };
}

/** All names that statements declare. */
function localsOf(statements: readonly Statement[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const each of statements) {
    visitStatement(each, {
      expression: () => undefined,
      statement: (node) => {
        if (node.kind === 'declaration') for (const { name } of node.variables) names.add(name.name);
        if (node.kind === 'for' || node.kind === 'forEach') names.add(node.variable.name);
      },
    });
  }
  return names;
}

/** A loop that stores a vector in each element of an array, and the statement that uses the array. */
interface Assembled {
  readonly name: string;
  readonly loop: ForStatement;
  readonly vector: Expression;
  readonly use: TildeStatement;
}

function replaced(statements: readonly Statement[], locals: ReadonlySet<string>): readonly Statement[] {
  const found = statements.flatMap((use) => assembledFor(use, statements, locals) ?? []);
  return found.reduce(
    (all, { loop, name, use, vector }) =>
      all.flatMap((each): readonly Statement[] => {
        if (each === loop) return [];
        if (each === use) return [{ ...loop, body: { ...use, variate: vector } }];
        if (each.kind !== 'declaration') return [each];
        const variables = each.variables.filter((variable) => variable.name.name !== name);
        return variables.length === 0 ? [] : [{ ...each, variables }];
      }),
    statements,
  );
}

function assembledFor(
  use: Statement,
  statements: readonly Statement[],
  locals: ReadonlySet<string>,
): Assembled | undefined {
  if (use.kind !== 'tilde' || use.truncation !== undefined || use.variate.kind !== 'variable') return undefined;
  if (!MULTI_NORMAL.test(use.distribution.name)) return undefined;
  const { name } = use.variate;
  const size = statements.flatMap((each) => sizeIn(each, name) ?? [])[0];
  const found = statements.flatMap((each) => vectorIn(each, name, size) ?? [])[0];
  if (found === undefined) return undefined;
  const { loop, vector } = found;
  // Its declaration, the loop and the statement are all that mention the array.
  const uses = statements.reduce((sum, { span }) => sum + countOf(name, spanText(span)), 0);
  const isMovable = namesIn(vector).every((each) => each === loop.variable.name || !locals.has(each));
  return uses === 3 && isMovable ? { name, loop, vector, use } : undefined;
}

/** The size of the array of vectors with a name, as written, if a statement declares it. */
function sizeIn(statement: Statement, name: string): string | undefined {
  if (statement.kind !== 'declaration' || statement.type.kind !== 'array') return undefined;
  const { element, sizes } = statement.type;
  const [size, ...others] = sizes;
  const isDeclared = statement.variables.some((each) => each.name.name === name && each.initialValue === undefined);
  return isDeclared && element.kind === 'vector' && size !== undefined && others.length === 0
    ? spanText(size.span)
    : undefined;
}

/** The vector that a loop over all elements of an array stores in each. */
function vectorIn(
  loop: Statement,
  name: string,
  size: string | undefined,
): { readonly loop: ForStatement; readonly vector: Expression } | undefined {
  if (loop.kind !== 'for' || spanText(loop.lower.span) !== '1' || spanText(loop.upper.span) !== size) return undefined;
  const body = onlyStatement(loop.body);
  if (body?.kind !== 'assignment' || body.operator !== '=' || body.target.kind !== 'indexed') return undefined;
  const { container, indices } = body.target;
  const [index, ...others] = indices;
  const isElement =
    container.kind === 'variable' &&
    container.name === name &&
    others.length === 0 &&
    index?.kind === 'single' &&
    index.index.kind === 'variable' &&
    index.index.name === loop.variable.name;
  return isElement ? { loop, vector: body.value } : undefined;
}

function namesIn(e: Expression): readonly string[] {
  const names: string[] = [];
  visitExpression(e, {
    statement: () => undefined,
    expression: (part) => part.kind === 'variable' && names.push(part.name),
  });
  return names;
}

/** How often a text contains a name, also in comments. */
function countOf(name: string, text: string): number {
  return text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;
}
