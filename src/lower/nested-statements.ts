import type { Typed } from '../check/typed.js';
import type { FunctionDefinition, ReturnStatement, Statement } from '../syntax/ast.js';

/** The statements of a function. */
export function bodyOf({ body }: FunctionDefinition<Typed>): readonly Statement<Typed>[] {
  if (body === undefined) return [];
  return body.kind === 'block' ? body.statements : [body];
}

/** The statements directly inside a statement. */
export function innerStatements(statement: Statement<Typed>): readonly Statement<Typed>[] {
  switch (statement.kind) {
    case 'if':
      return statement.alternative === undefined
        ? [statement.consequence]
        : [statement.consequence, statement.alternative];
    case 'while':
    case 'for':
    case 'forEach':
      return [statement.body];
    case 'profile':
    case 'block':
      return statement.statements;
    default:
      return [];
  }
}

/** The number of statements, at any depth. */
export function countStatements(statements: readonly Statement<Typed>[]): number {
  return statements.reduce((total, statement) => total + 1 + countStatements(innerStatements(statement)), 0);
}

/** The number of returns among them. */
export function countReturns(statements: readonly Statement<Typed>[]): number {
  return statements.reduce(
    (total, statement) => total + (statement.kind === 'return' ? 1 : countReturns(innerStatements(statement))),
    0,
  );
}

/** Returns after which no statement of the function would run. */
export function tailReturns(statements: readonly Statement<Typed>[]): Set<ReturnStatement<Typed>> {
  const found = new Set<ReturnStatement<Typed>>();
  const visit = (statement: Statement<Typed> | undefined): void => {
    if (statement === undefined) return;
    if (statement.kind === 'return') found.add(statement);
    if (statement.kind === 'block' || statement.kind === 'profile') visit(statement.statements.at(-1));
    if (statement.kind === 'if') {
      visit(statement.consequence);
      visit(statement.alternative);
    }
  };
  visit(statements.at(-1));
  return found;
}
