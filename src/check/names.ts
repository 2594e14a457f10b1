import { isReservedName } from '../language/reserved.js';
import { isUnnormalizedName } from '../language/suffixes.js';
import type { SourceFile, Span } from '../source/span.js';
import type { Annotations, Expression, Identifier } from '../syntax/ast.js';
import { type Context, type Environment, refuse } from './environment.js';
import * as messages from './messages.js';

/** Refuses reserved names, and the name that stanc gives to the program's model. */
export function checkName(name: string, span: Span): void {
  if (name.endsWith('_model') && name === modelName(span.begin.file)) refuse(span, messages.nameOfModel(name));
  if (isReservedName(name)) refuse(span, messages.nameReserved(name));
}

function modelName({ name, includedFrom }: SourceFile): string {
  if (includedFrom !== undefined) return modelName(includedFrom.file);
  return `${name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')}_model`;
}

/** Refuses to declare a variable under a name that another variable in scope has; functions may be shadowed. */
export function checkFreshVariable(environment: Environment, { name, span }: Identifier): void {
  if (isUnnormalizedName(name)) refuse(span, messages.nameUnnormalized(name));
  if (environment.variable(name) !== undefined) refuse(span, messages.nameInUse(name));
}

/** Whether the function whose body this is may drop constants as a density, by `_lupdf` or `_lupmf`. */
export function mayDropConstants({ enclosing }: Context): boolean {
  return enclosing?.suffix === 'lpdf' || enclosing?.suffix === 'lpmf';
}

/** The variables an expression is made of, as far as Stan looks for them: not those in indices. */
export function variableNames<A extends Annotations>(expression: Expression<A>): string[] {
  switch (expression.kind) {
    case 'variable':
      return [expression.name];
    case 'int':
    case 'real':
    case 'imaginary':
    case 'targetValue':
      return [];
    case 'conditional':
      return [expression.condition, expression.consequence, expression.alternative].flatMap((e) => variableNames(e));
    case 'binary':
      return [...variableNames(expression.left), ...variableNames(expression.right)];
    case 'prefix':
    case 'transpose':
      return variableNames(expression.operand);
    case 'call':
      return expression.arguments.flatMap((argument) => variableNames(argument));
    case 'indexed':
      return variableNames(expression.container);
    case 'slot':
      return variableNames(expression.tuple);
    case 'arrayLiteral':
    case 'rowVectorLiteral':
    case 'tupleLiteral':
      return expression.elements.flatMap((element) => variableNames(element));
    case 'parenthesis':
      return variableNames(expression.inner);
  }
}
