import type { Position, Span } from '../source/span.js';
import type {
  Declaration,
  EmptyStatement,
  ForEachStatement,
  ForStatement,
  FunctionDefinition,
  IfStatement,
  OutputStatement,
  Statement,
  Truncation,
} from './ast.js';
import { writeCall, writeExpression, writeExpressions, writeList, writeTarget } from './format-expressions.js';
import { isIncluded, type Output, writeBetween, writeInside } from './format-remarks.js';
import { firstExpressionOf, writeParameter, writeReturnType, writeSizedType } from './format-types.js';

/** An item of a block of a program. */
export type Item = Statement | FunctionDefinition;

/** Functions with longer names, or with more parameters, have each parameter on its own line if they need several lines. */
const LONG_NAME = 26;
const MANY_PARAMETERS = 7;

/** `{`, the statements indented by two, `}`. */
export function writeBlock(output: Output, statements: readonly Item[], whole: Span): void {
  const { layout } = output;
  layout.text('{');
  layout.cut();
  writeIndented(output, () => writeStatements(output, statements, whole));
  layout.cut();
  layout.text('}');
}

function writeIndented({ layout }: Output, write: () => void): void {
  layout.box('never', 0, () => {
    layout.text('  ');
    layout.box('indenting', 0, write);
  });
}

/** Statements on separate lines, with the comments and the blank lines between them. */
function writeStatements(output: Output, statements: readonly Item[], whole: Span): void {
  const { layout, remarks } = output;
  layout.box('always', 0, () => {
    let from: Position | undefined;
    for (const statement of statements) {
      if (from !== undefined) remarks.passOver(from);
      const begin = anchorOf(statement);
      writeBetween(output, from, begin, remarks.takeUpTo(begin));
      if (!isIncluded(begin)) writeStatement(output, statement);
      from = statement.span.end;
    }
    if (from !== undefined) remarks.passOver(from);
    writeBetween(output, from, undefined, remarks.takeUpTo(whole.end));
  });
}

/** The position up to which comments precede a statement: its start, or that of its first part whose location stanc keeps. */
function anchorOf(statement: Item): Position {
  switch (statement.kind) {
    case 'callStatement':
      return statement.function.span.begin;
    case 'function':
      return statement.name.span.begin;
    case 'for':
    case 'forEach':
      return statement.variable.span.begin;
    case 'target':
    case 'jacobian':
      return statement.value.span.begin;
    case 'return':
      return (statement.value ?? statement).span.begin;
    case 'if':
    case 'while':
      return statement.condition.span.begin;
    case 'declaration':
      return (firstExpressionOf(statement.type) ?? statement.variables[0]?.name ?? statement).span.begin;
    default:
      return statement.span.begin;
  }
}

function writeStatement(output: Output, node: Item): void {
  const { layout, remarks } = output;
  if (isIncluded(node.span.begin)) remarks.misplaceInclude();
  switch (node.kind) {
    case 'declaration':
      layout.box('never', 0, () => writeDeclaration(output, node));
      break;
    case 'assignment':
      layout.box('never', 0, () => {
        writeTarget(output, node.target);
        layout.text(` ${node.operator} `);
        writeExpression(output, node.value);
        layout.text(';');
      });
      break;
    case 'callStatement':
      writeCall(output, node.function, () => writeExpressions(output, node.arguments, node.span));
      layout.text(';');
      break;
    case 'target':
    case 'jacobian':
      layout.text(`${node.kind} += `);
      writeExpression(output, node.value);
      layout.text(';');
      break;
    case 'tilde':
      writeExpression(output, node.variate);
      layout.text(' ~ ');
      writeCall(output, node.distribution, () => writeExpressions(output, node.arguments, node.span));
      if (node.truncation !== undefined) writeTruncation(output, node.truncation);
      layout.text(';');
      break;
    case 'break':
    case 'continue':
      layout.text(`${node.kind};`);
      break;
    case 'return': {
      const { value } = node;
      layout.text(value === undefined ? 'return' : 'return ');
      if (value !== undefined) layout.box('never', 0, () => writeExpression(output, value));
      layout.text(';');
      break;
    }
    case 'print':
    case 'reject':
    case 'fatal_error':
      writeOutput(output, node);
      break;
    case 'empty':
      layout.text(';');
      break;
    case 'if':
      layout.box('always', 0, () => writeIf(output, node));
      break;
    case 'while':
      layout.text('while (');
      writeExpression(output, node.condition);
      layout.text(') ');
      if (output.style.withBraces && node.body.kind !== 'block') writeBlock(output, [node.body], node.body.span);
      else writeStatement(output, node.body);
      break;
    case 'for':
      layout.box('always', 0, () => writeFor(output, node));
      break;
    case 'forEach':
      writeForEach(output, node);
      break;
    case 'block':
      writeBlock(output, node.statements, node.span);
      break;
    case 'profile':
      layout.text(`profile("${node.name}") `);
      writeBlock(output, node.statements, node.span);
      break;
    case 'function':
      writeFunction(output, node);
  }
}

function writeDeclaration(output: Output, { type, variables, span }: Declaration): void {
  const { layout } = output;
  writeSizedType(output, type);
  layout.text(' ');
  const items = variables.map(({ name, initialValue }) => ({
    span: name.span,
    write: () => {
      layout.text(name.name);
      if (initialValue === undefined) return;
      layout.text(' = ');
      writeExpression(output, initialValue);
    },
  }));
  writeList(output, items, span);
  layout.text(';');
}

function writeTruncation(output: Output, { lower, upper }: Truncation): void {
  const { layout } = output;
  if (lower === undefined && upper === undefined) return;
  layout.text(' T[');
  if (lower === undefined) layout.text(' ');
  else writeExpression(output, lower);
  layout.text(', ');
  if (upper !== undefined) writeExpression(output, upper);
  layout.text(']');
}

function writeOutput(output: Output, { kind, items }: OutputStatement): void {
  const { layout } = output;
  layout.text(`${kind}(`);
  layout.box('each', 0, () => {
    for (const [index, item] of items.entries()) {
      if (index > 0) {
        layout.text(',');
        layout.space();
      }
      if (item.kind === 'text') layout.text(`"${item.text}"`);
      else writeExpression(output, item.value);
    }
  });
  layout.text(');');
}

/** A block after its head, or another statement on its own line; `from`: the end of the head. */
function writeBody(output: Output, body: Statement, from: Position): void {
  if (body.kind === 'block') {
    writeStatement(output, body);
    return;
  }
  if (output.style.withBraces) {
    writeBlock(output, [body], body.span);
    return;
  }
  const { begin } = body.span;
  writeBetween(output, from, begin, output.remarks.takeUpTo(begin));
  writeIndented(output, () => writeStatement(output, body));
}

function writeIf(output: Output, { condition, consequence, alternative }: IfStatement): void {
  const { layout, remarks, style } = output;
  layout.text('if (');
  writeExpression(output, condition);
  layout.text(') ');
  writeBody(output, consequence, condition.span.end);
  if (alternative === undefined) return;
  const { begin } = alternative.span;
  const { end } = consequence.span;
  const isSingle = consequence.kind !== 'block' && !style.withBraces;
  writeBetween(output, end, end, remarks.takeUpToSeparator(begin), isSingle);
  layout.text('else ');
  writeInside(output, remarks.takeUpTo(begin));
  if (alternative.kind === 'if') writeIf(output, alternative);
  else writeBody(output, alternative, { ...end, line: end.line + 1 });
}

function writeFor(output: Output, { variable, lower, upper, body }: ForStatement): void {
  const { layout } = output;
  layout.text(`for (${variable.name} in `);
  writeExpression(output, lower);
  layout.text(' : ');
  writeExpression(output, upper);
  layout.text(') ');
  writeBody(output, body, upper.span.end);
}

function writeForEach(output: Output, { variable, container, body }: ForEachStatement): void {
  const { layout } = output;
  layout.text(`for (${variable.name} in `);
  writeExpression(output, container);
  layout.text(') ');
  writeBody(output, body, container.span.end);
}

function writeFunction(output: Output, definition: FunctionDefinition): void {
  const { layout } = output;
  const { name, parameters, returnType, body = forwardEnd(definition) } = definition;
  const whole = { begin: definition.span.begin, end: body.span.begin };
  const items = parameters.map((parameter) => ({
    span: parameter.name.span,
    write: () => writeParameter(output, parameter),
  }));
  layout.box('indenting', 0, () => {
    writeReturnType(output, returnType);
    layout.space();
  });
  if (name.name.length > LONG_NAME) {
    layout.box('indenting', 0, () => {
      layout.box('together', 2, () => {
        layout.text(`${name.name}(`);
        layout.cut();
        writeList(output, items, whole);
      });
      layout.cut();
      layout.text(')');
    });
  } else {
    layout.text(`${name.name}(`);
    layout.box(parameters.length > MANY_PARAMETERS ? 'together' : 'indenting', 0, () => {
      writeList(output, items, whole);
      layout.text(')');
    });
  }
  if (body.kind === 'empty') {
    layout.text(';');
    return;
  }
  layout.text(' ');
  writeStatement(output, body);
}

/** The `;` of a forward declaration. */
function forwardEnd({ span: { end } }: FunctionDefinition): EmptyStatement {
  return { kind: 'empty', span: { begin: { ...end, offset: end.offset - 1, column: end.column - 1 }, end } };
}
