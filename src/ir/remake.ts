import type { Block, Expr, KernelArgument, Statement, StatementOf } from './nodes.js';

/*
 * Copies of nodes with some members replaced. Each copy is an object literal with the members in their usual order, so that V8 assigns one
 * hidden class to all nodes of a kind. A spread creates another hidden class for each combination of source position and input class, and
 * inline caches of every pass then miss.
 */

type ExprOf<Kind extends Expr['kind']> = Extract<Expr, { readonly kind: Kind }>;

export function withArguments({ type, op }: ExprOf<'apply'>, args: readonly Expr[]): Expr {
  return { kind: 'apply', type, op, args };
}

export function withIndex(e: ExprOf<'load' | 'load_adjoint'>, index: Expr): Expr {
  const { ref } = e;
  return e.kind === 'load'
    ? { kind: 'load', type: e.type, ref, index }
    : { kind: 'load_adjoint', type: 'real', ref, index };
}

export function withOffset(
  { ref, adjoint }: Extract<KernelArgument, { kind: 'pointer' }>,
  offset: Expr,
): KernelArgument {
  return { kind: 'pointer', ref, offset, adjoint };
}

export function withValue(statement: StatementOf<'assign' | 'target' | 'push'>, value: Expr): Statement {
  switch (statement.kind) {
    case 'assign':
      return { kind: 'assign', local: statement.local, value };
    case 'target':
      return { kind: 'target', value, term: statement.term, span: statement.span };
    case 'push':
      return { kind: 'push', value };
  }
}

export function withElement(
  { kind, ref }: StatementOf<'store' | 'add_adjoint' | 'set_adjoint'>,
  index: Expr,
  value: Expr,
): Statement {
  return { kind, ref, index, value };
}

export function withSizes({ ref, fill, span, callers }: StatementOf<'allocate'>, sizes: readonly Expr[]): Statement {
  return { kind: 'allocate', ref, sizes, fill, span, callers };
}

export function withView({ ref }: StatementOf<'view'>, offset: Expr, sizes: readonly Expr[]): Statement {
  return { kind: 'view', ref, offset, sizes };
}

export function withChecked({ failure }: StatementOf<'check'>, condition: Expr, values: readonly Expr[]): Statement {
  return { kind: 'check', condition, failure, values };
}

export function withKernelArguments(
  { name, result }: StatementOf<'kernel'>,
  args: readonly KernelArgument[],
): Statement {
  return { kind: 'kernel', name, args, result };
}

export function withRange({ kind, index, body }: StatementOf<'for' | 'for_reverse'>, from: Expr, to: Expr): Statement {
  return { kind, index, from, to, body };
}

export function withCondition(statement: StatementOf<'if' | 'while'>, condition: Expr): Statement {
  if (statement.kind === 'while') return { kind: 'while', condition, body: statement.body };
  return { kind: 'if', condition, then: statement.then, otherwise: statement.otherwise };
}

export function withBranches({ condition }: StatementOf<'if'>, then: Block, otherwise: Block): StatementOf<'if'> {
  return { kind: 'if', condition, then, otherwise };
}

export function withTerms({ term, span }: StatementOf<'target'>, value: Expr): StatementOf<'target'> {
  return { kind: 'target', value, term, span };
}

export function withBody(
  statement: StatementOf<'for' | 'for_reverse' | 'while' | 'labeled' | 'arena'>,
  body: Block,
): Statement {
  switch (statement.kind) {
    case 'for':
    case 'for_reverse': {
      const { kind, index, from, to } = statement;
      return { kind, index, from, to, body };
    }
    case 'while':
      return { kind: 'while', condition: statement.condition, body };
    case 'labeled':
      return { kind: 'labeled', label: statement.label, body };
    case 'arena':
      return { kind: 'arena', body };
  }
}

/** A copy of the statement. */
export function copyOf(statement: Statement): Statement {
  switch (statement.kind) {
    case 'assign':
    case 'target':
    case 'push':
      return withValue(statement, statement.value);
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
      return withElement(statement, statement.index, statement.value);
    case 'allocate':
      return withSizes(statement, statement.sizes);
    case 'for':
    case 'for_reverse':
    case 'while':
    case 'labeled':
    case 'arena':
      return withBody(statement, statement.body);
    case 'if':
      return withBranches(statement, statement.then, statement.otherwise);
    case 'view':
      return withView(statement, statement.offset, statement.sizes);
    case 'check':
      return withChecked(statement, statement.condition, statement.values);
    case 'kernel':
      return withKernelArguments(statement, statement.args);
    default:
      return { ...statement };
  }
}
