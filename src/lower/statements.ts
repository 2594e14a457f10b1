import type { Typed, Variable } from '../check/typed.js';
import { composite } from '../ir/composite.js';
import { behind, get, int } from '../ir/expressions.js';
import type { Expr, PrintPart, TupleStep } from '../ir/nodes.js';
import type { Value } from '../ir/value.js';
import { rankOf, type Type, unwindArray } from '../language/types.js';
import type {
  AssignmentTarget,
  Expression,
  ForEachStatement,
  ForStatement,
  OutputStatement,
  Statement,
  WhileStatement,
} from '../syntax/ast.js';
import { lowerAssignment, snapshot } from './assignment.js';
import { withRange } from './bounds.js';
import { argumentsOf } from './calls.js';
import { lowerDeclaration } from './declaration.js';

import { lowerTilde } from './increments.js';
import { elementAt } from './indexing.js';
import { dropsConstants } from './library-calls.js';
import type { Lowering } from './lowering.js';
import { innerStatements } from './nested-statements.js';
import { TARGET } from './sinks.js';
import { unsupported } from './unsupported.js';
import { callUser } from './user-functions.js';
import { lengthOf, scalarValue } from './values.js';

export function lowerStatement(lowering: Lowering, statement: Statement<Typed>): void {
  const { builder } = lowering;
  switch (statement.kind) {
    case 'declaration':
      lowerDeclaration(lowering, statement);
      return;
    case 'assignment':
      lowerAssignment(lowering, statement);
      return;
    case 'callStatement':
      lowerCallStatement(lowering, statement);
      return;
    case 'target':
      if (lowering.scope.phase === 'logDensity') lowering.increment(statement.value, TARGET);
      return;
    case 'jacobian':
      if (lowering.scope.phase === 'logDensity') {
        lowering.increment(statement.value, { add: (inner, value) => inner.target(value, 'jacobian') });
      }
      return;
    case 'tilde':
      if (lowering.scope.phase === 'logDensity') lowerTilde(lowering, statement);
      return;
    case 'break':
    case 'continue': {
      const labels = lowering.scope.loops.at(-1);
      const label = statement.kind === 'break' ? labels?.breakLabel : labels?.continueLabel;
      if (label === undefined || label === null) throw new Error(`${statement.kind} outside of a loop`);
      builder.exit(label);
      return;
    }
    case 'return':
      lowering.scope.frame?.leave(statement.value ?? null, statement);
      return;
    case 'print':
      builder.emit({ kind: 'print', parts: printParts(lowering, statement) });
      return;
    case 'reject':
    case 'fatal_error':
      builder.reject(printParts(lowering, statement), statement.kind === 'fatal_error');
      return;
    case 'empty':
      return;
    case 'if': {
      const { condition, consequence, alternative } = statement;
      builder.if(
        lowering.condition(condition),
        () => lowering.statement(consequence),
        () => alternative && lowering.statement(alternative),
      );
      return;
    }
    case 'while':
      lowerWhile(lowering, statement);
      return;
    case 'for':
      lowerFor(lowering, statement);
      return;
    case 'forEach':
      lowerForEach(lowering, statement);
      return;
    case 'profile':
      builder.emit({ kind: 'print', parts: [], profile: { name: statement.name, phase: 'enter' } });
      lowering.statements(statement.statements);
      builder.emit({ kind: 'print', parts: [], profile: { name: statement.name, phase: 'leave' } });
      return;
    case 'block':
      lowering.statements(statement.statements);
      return;
  }
}

function lowerCallStatement(lowering: Lowering, call: Extract<Statement<Typed>, { kind: 'callStatement' }>): void {
  const { callee } = call;
  if (callee.kind !== 'user') unsupported(call.span, `Calling ${call.function.name} as a statement is`);
  callUser(lowering, call, callee.function, argumentsOf(lowering, call), dropsConstants(lowering, call));
}

/** Whether the loop's body contains a `break` or `continue` of the loop itself. */
function jumps(kind: 'break' | 'continue', statement: Statement<Typed>): boolean {
  switch (statement.kind) {
    case 'break':
    case 'continue':
      return statement.kind === kind;
    case 'block':
    case 'profile':
      return statement.statements.some((inner) => jumps(kind, inner));
    case 'if':
      return (
        jumps(kind, statement.consequence) ||
        (statement.alternative !== undefined && jumps(kind, statement.alternative))
      );
    default:
      return false;
  }
}

/** Runs `loop` with a way to lower one iteration of the body, inside the labels that its jumps need. */
function withLabels(lowering: Lowering, body: Statement<Typed>, loop: (iteration: () => void) => void): void {
  const { builder } = lowering;
  const outer = lowering.scope.loops;
  const run = (breakLabel: number | null): void => {
    const iteration = (continueLabel: number | null): void => {
      lowering.within({ loops: [...outer, { breakLabel, continueLabel }] }, () => lowering.statement(body));
    };
    loop(() => {
      if (jumps('continue', body)) builder.labeled(iteration);
      else iteration(null);
    });
  };
  if (jumps('break', body)) builder.labeled(run);
  else run(null);
}

function lowerWhile(lowering: Lowering, { condition, body }: WhileStatement<Typed>): void {
  const { builder } = lowering;
  let holds: Expr = int(0);
  const setup = builder.capture(() => {
    holds = lowering.condition(condition);
  });
  withLabels(lowering, body, (iteration) => {
    if (setup.length === 0) {
      builder.while(holds, iteration);
      return;
    }
    builder.labeled((done) =>
      builder.while(int(1), () => {
        for (const statement of setup) builder.emit(statement);
        builder.if(
          holds,
          () => {},
          () => builder.exit(done),
        );
        iteration();
      }),
    );
  });
}

function lowerFor(lowering: Lowering, statement: ForStatement<Typed>): void {
  const { builder } = lowering;
  const variable = lowering.declared(statement.variable);
  const from = lowering.hold(lowering.scalar(statement.lower), 'from');
  const to = lowering.hold(lowering.scalar(statement.upper), 'to');
  const index = builder.newLocal('int', statement.variable.name);
  withLabels(lowering, statement.body, (iteration) => {
    lowering.bind(variable, { value: scalarValue({ kind: 'int' }, 'data', get(index)), storage: null });
    const body = builder.capture(() => withRange(lowering, index, from, to, iteration));
    builder.emit({ kind: 'for', index, from, to: behind(to), body });
  });
}

/** Elements of an array or vector one by one; a matrix column by column. */
function lowerForEach(lowering: Lowering, statement: ForEachStatement<Typed>): void {
  const { builder } = lowering;
  const variable = lowering.declared(statement.variable);
  const source = inMemory(lowering, lowering.expression(statement.container));
  const root = rootOf(statement.container);
  const changes = root !== null && assigns(statement.body, root);
  const bind = (element: Value): void => {
    lowering.bind(variable, { value: element, storage: null });
  };
  withLabels(lowering, statement.body, (iteration) => {
    if (source.kind === 'container' && source.type.kind === 'matrix') {
      builder.each(source.sizes[1], (j) =>
        builder.each(source.sizes[0], (i) => {
          bind(scalarValue(variable.type, source.level, builder.bind(source.at(i, j), variable.name)));
          iteration();
        }),
      );
      return;
    }
    builder.each(lengthOf(source), (i) => {
      const element = elementAt(lowering, source, i, variable.type);
      bind(changes ? snapshot(lowering, element) : bindScalars(lowering, element, variable.name));
      iteration();
    });
  });
}

/** The variable that an expression denotes, entirely or in part. */
function rootOf(e: Expression<Typed>): Variable | null {
  switch (e.kind) {
    case 'variable':
      return e.symbol?.kind === 'variable' ? e.symbol : null;
    case 'parenthesis':
      return rootOf(e.inner);
    case 'indexed':
      return rootOf(e.container);
    case 'slot':
      return rootOf(e.tuple);
    default:
      return null;
  }
}

/** Whether statements assign to a variable. */
function assigns(statement: Statement<Typed>, variable: Variable): boolean {
  const isTarget = (target: AssignmentTarget<Typed>): boolean => {
    if (target.kind === 'tuplePattern') return target.targets.some(isTarget);
    if (target.kind === 'indexed') return isTarget(target.container);
    return target.kind === 'slot' ? isTarget(target.tuple) : target.symbol === variable;
  };
  if (statement.kind === 'assignment') return isTarget(statement.target);
  return innerStatements(statement).some((inner) => assigns(inner, variable));
}

function inMemory(lowering: Lowering, value: Value): Value {
  if (value.kind === 'container') return lowering.builder.materialize(value);
  if (value.kind === 'scalar') return value;
  return composite(
    value.type,
    value.parts.map((part) => inMemory(lowering, part)),
  );
}

function bindScalars(lowering: Lowering, value: Value, name: string): Value {
  if (value.kind === 'scalar') return { ...value, value: lowering.builder.bind(value.value, name) };
  if (value.kind === 'container') return value;
  return composite(
    value.type,
    value.parts.map((part) => bindScalars(lowering, part, name)),
  );
}

function printParts(lowering: Lowering, statement: OutputStatement<Typed>): readonly PrintPart[] {
  return statement.items.flatMap((item): readonly PrintPart[] => {
    if (item.kind === 'text') return [{ kind: 'text', text: item.text }];
    return valueParts(lowering, lowering.expression(item.value));
  });
}

function valueParts(lowering: Lowering, value: Value): readonly PrintPart[] {
  switch (value.kind) {
    case 'scalar':
      return [{ kind: 'scalar', value: value.value }];
    case 'container':
      return [{ kind: 'container', ref: lowering.builder.materialize(value).ref, element: printedElement(value.type) }];
    case 'composite': {
      if (rankOf(value.type) > 0) return printedTogether(lowering, value, 0, []);
      const slots = value.parts.map((element) => valueParts(lowering, element));
      const text = (words: string): PrintPart => ({ kind: 'text', text: words });
      return [text('('), ...slots.flatMap((slot, i) => (i === 0 ? slot : [text(','), ...slot])), text(')')];
    }
  }
}

/** The containers of an array of tuples, or of complex numbers; the first `before` axes belong to tuples around it. */
function printedTogether(
  lowering: Lowering,
  value: Value,
  before: number,
  within: readonly TupleStep[],
): readonly PrintPart[] {
  if (value.kind === 'scalar') throw new Error('A part of an array of tuples is a container');
  if (value.kind === 'container') {
    const { ref, type } = lowering.builder.materialize(value);
    return [{ kind: 'container', ref, element: printedElement(type), within }];
  }
  const rank = rankOf(value.type);
  return value.parts.flatMap((part, slot) => {
    const step = { axes: rank - before, slot, slots: value.parts.length };
    return printedTogether(lowering, part, rank, [...within, step]);
  });
}

function printedElement(type: Type): 'scalar' | 'vector' | 'row_vector' | 'matrix' {
  const { element } = unwindArray(type);
  switch (element.kind) {
    case 'vector':
    case 'row_vector':
    case 'matrix':
      return element.kind;
    default:
      return 'scalar';
  }
}
