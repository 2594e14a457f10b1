import { type Span, spanText } from '../source/span.js';
import type { AssignmentTarget, Expression, Identifier, Index } from './ast.js';
import { type Output, writeInside } from './format-remarks.js';

/** Minimum length of a callee for which the arguments of a call are indented by a fixed amount instead of aligned with the bracket. */
const LONG_CALLEE = 17;

export function writeExpression(output: Output, given: Expression): void {
  const { layout, remarks, style } = output;
  const node = style.withoutParentheses ? bare(given) : given;
  switch (node.kind) {
    case 'variable':
      layout.text(node.name);
      break;
    case 'int':
    case 'real':
    case 'imaginary':
      layout.text(spanText(node.span));
      break;
    case 'targetValue':
      layout.text('target()');
      break;
    case 'conditional':
      layout.box('indenting', 0, () => {
        writeOperand(output, node.condition);
        writeOperator(output, '?', node.consequence);
        writeOperator(output, ':', node.alternative);
      });
      break;
    case 'binary':
      layout.box('indenting', 0, () => {
        writeOperand(output, node.left);
        writeOperator(output, node.operator, node.right);
      });
      break;
    case 'prefix':
      writeInside(output, remarks.takeUpTo(node.operand.span.begin));
      layout.text(node.operator);
      writeOperand(output, node.operand);
      break;
    case 'transpose':
      writeOperand(output, node.operand);
      layout.text("'");
      break;
    case 'call':
      writeCall(output, node.function, () => {
        if (node.isConditional) writeConditional(output, node.arguments, node.span);
        else writeExpressions(output, node.arguments, node.span);
      });
      break;
    case 'indexed':
      writeOperand(output, node.container);
      writeIndices(output, node.indices);
      break;
    case 'slot':
      writeOperand(output, node.tuple);
      layout.text(isNumber(node.tuple) ? ` .${node.slot}` : `.${node.slot}`);
      break;
    case 'arrayLiteral':
    case 'rowVectorLiteral': {
      const [left, right] = node.kind === 'arrayLiteral' ? '{}' : '[]';
      layout.text(left);
      layout.box('indenting', 0, () => {
        writeExpressions(output, node.elements, node.span);
        layout.text(right);
      });
      break;
    }
    case 'tupleLiteral':
      layout.text('(');
      layout.box('together', 0, () => {
        writeExpressions(output, node.elements, node.span);
        layout.text(node.elements.length === 1 ? ',' : '');
      });
      layout.text(')');
      break;
    case 'parenthesis':
      layout.text('(');
      writeExpression(output, node.inner);
      layout.text(')');
  }
}

/** The expression inside of all parentheses. */
function bare(node: Expression): Expression {
  return node.kind === 'parenthesis' ? bare(node.inner) : node;
}

const OPERATIONS: ReadonlySet<string> = new Set(['conditional', 'binary', 'prefix', 'transpose']);

/** Writes an operand. Keeps parentheses around an operation. */
function writeOperand(output: Output, node: Expression): void {
  const { layout, style } = output;
  const isGrouped = style.withoutParentheses && node.kind === 'parenthesis' && OPERATIONS.has(bare(node).kind);
  if (isGrouped) layout.text('(');
  writeExpression(output, node);
  if (isGrouped) layout.text(')');
}

/** An operator after its left operand, and the right operand. */
function writeOperator(output: Output, operator: string, right: Expression): void {
  const { layout, remarks } = output;
  layout.space();
  writeInside(output, remarks.takeUpToSeparator(right.span.begin));
  layout.text(`${operator} `);
  writeInside(output, remarks.takeUpTo(right.span.begin));
  writeOperand(output, right);
}

/** A call up to its closing bracket, in a separate box. */
export function writeCall({ layout }: Output, { name }: Identifier, writeArguments: () => void): void {
  const isLong = name.length >= LONG_CALLEE;
  if (isLong) layout.open('indenting', 2);
  layout.text(name);
  if (!isLong) layout.open('indenting', 1);
  layout.text('(');
  layout.cut();
  writeArguments();
  layout.text(')');
  layout.close();
}

/** `outcome | given, given` */
function writeConditional(output: Output, args: readonly Expression[], whole: Span): void {
  const { layout, remarks } = output;
  const [outcome, ...given] = args;
  if (outcome === undefined) return;
  writeExpression(output, outcome);
  if (given.length === 0) {
    writeInside(output, remarks.takeUpTo(whole.end), { before: 'space' });
    return;
  }
  const { begin } = given[0].span;
  writeInside(output, remarks.takeUpToSeparator(begin), { before: 'space' });
  layout.text(' |');
  layout.space();
  writeInside(output, remarks.takeUpTo(begin));
  writeExpressions(output, given, whole);
}

export function writeExpressions(output: Output, elements: readonly Expression[], whole: Span): void {
  const items = elements.map((element) => ({ span: element.span, write: () => writeExpression(output, element) }));
  writeList(output, items, whole);
}

interface Item {
  readonly span: Span;
  readonly write: () => void;
}

/** Items with commas and comments between them; `whole` is the span around the list. */
export function writeList(output: Output, items: readonly Item[], whole: Span): void {
  const { layout, remarks } = output;
  remarks.passOver(whole.begin);
  for (const [index, { span, write }] of items.entries()) {
    if (index === 0) writeInside(output, remarks.takeUpTo(span.begin));
    else {
      writeInside(output, remarks.takeUpToSeparator(span.begin), { before: 'space' });
      layout.text(',');
      writeInside(output, remarks.takeUpTo(span.begin), { before: 'blank', otherwise: 'space' });
    }
    write();
  }
  writeInside(output, remarks.takeUpTo(whole.end), { before: 'blank' });
}

function writeIndices(output: Output, indices: readonly Index[]): void {
  output.layout.text('[');
  for (const [place, index] of indices.entries()) {
    if (place > 0) output.layout.text(', ');
    writeIndex(output, index);
  }
  output.layout.text(']');
}

function writeIndex(output: Output, index: Index): void {
  if (index.kind === 'single') {
    writeExpression(output, index.index);
    return;
  }
  if (index.kind === 'from' || index.kind === 'between') writeExpression(output, index.lower);
  output.layout.text(' : ');
  if (index.kind === 'to' || index.kind === 'between') writeExpression(output, index.upper);
}

/** Whether the expression is a number, so that a following point and digits would be read as a part of it. */
function isNumber({ kind }: Expression): boolean {
  return kind === 'int' || kind === 'real';
}

export function writeTarget(output: Output, target: AssignmentTarget): void {
  if (target.kind !== 'tuplePattern') {
    writeExpression(output, target);
    return;
  }
  const { layout } = output;
  const items = target.targets.map((part) => ({ span: part.span, write: () => writeTarget(output, part) }));
  layout.text('(');
  layout.box('indenting', 0, () => {
    writeList(output, items, target.span);
    layout.text(items.length === 1 ? ',' : '');
  });
  layout.text(')');
}
