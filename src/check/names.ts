import { isReservedName } from '../language/reserved.js';
import { declaredName, isUnnormalizedName } from '../language/suffixes.js';
import type { SourceFile, Span } from '../source/span.js';
import type { Annotations, Expression, Identifier } from '../syntax/ast.js';
import { visitExpression } from '../syntax/walk.js';
import { type Context, type Environment, refuse } from './environment.js';
import * as messages from './messages.js';

/** Rejects reserved names, and the name that stanc assigns to the model. */
export function checkName(name: string, span: Span): void {
  if (name.endsWith('_model') && name === modelName(span.begin.file)) refuse(span, messages.nameOfModel(name));
  if (isReservedName(name)) refuse(span, messages.nameReserved(name));
}

function modelName({ name, includedFrom }: SourceFile): string {
  if (includedFrom !== undefined) return modelName(includedFrom.file);
  return `${name.replace(/^.*\//, '').replace(/\.[^.]*$/, '')}_model`;
}

/** Rejects a declaration whose name is that of another variable in scope. Functions may be shadowed. */
export function checkFreshVariable(environment: Environment, { name, span }: Identifier): void {
  if (isUnnormalizedName(name)) refuse(span, messages.nameUnnormalized(name));
  if (environment.variable(name) !== undefined) refuse(span, messages.nameInUse(name));
}

/** Rejects a density without its constants (`_lupdf`, `_lupmf`) outside the model block and functions that are densities. */
export function checkUnnormalized({ enclosing, block }: Context, name: string, span: Span): void {
  if (!isUnnormalizedName(name) || block === 'model') return;
  if (enclosing?.suffix === 'lpdf' || enclosing?.suffix === 'lpmf') return;
  refuse(span, messages.unnormalizedNotAllowed(name, declaredName(name)));
}

/** The variables that an expression reads, including those in its indices. */
export function variableNames<A extends Annotations>(expression: Expression<A>): string[] {
  const names: string[] = [];
  visitExpression(expression, {
    expression: (node) => {
      if (node.kind === 'variable') names.push(node.name);
    },
    statement: () => {},
  });
  return names;
}
