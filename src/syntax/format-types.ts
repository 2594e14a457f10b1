import type { Position } from '../source/span.js';
import type { Constraint, Expression, Parameter, ReturnType, SizedType, UnsizedType } from './ast.js';
import { writeExpression, writeExpressions } from './format-expressions.js';
import type { Output } from './format-remarks.js';

/**
 * The type of a declared variable. If a tuple or bounds need several lines, stanc's next pass takes the line of the name, or of the size,
 * for the declaration's and inserts a blank line before it.
 */
export function writeSizedType(output: Output, type: SizedType): void {
  const { layout } = output;
  if (type.kind !== 'array') {
    writeElementType(output, type);
    return;
  }
  const [first] = type.sizes;
  const last = type.sizes.at(-1);
  layout.text('array[');
  layout.box('indenting', 0, () => {
    if (first === undefined || last === undefined) return;
    writeExpressions(output, type.sizes, { begin: first.span.begin, end: last.span.end });
  });
  layout.text(']');
  layout.space();
  writeElementType(output, type.element);
}

function writeElementType(output: Output, type: SizedType): void {
  const { layout, remarks } = output;
  switch (type.kind) {
    case 'array':
      writeSizedType(output, type);
      break;
    case 'tuple':
      remarks.unsettle();
      layout.text('tuple(');
      layout.box('indenting', 0, () => {
        writeCommaSeparated(output, type.elements, (element) => writeSizedType(output, element));
        layout.text(type.elements.length === 1 ? ',' : '');
      });
      layout.text(')');
      break;
    case 'int':
    case 'real':
    case 'complex':
      layout.text(type.kind);
      writeBounds(output, type.constraint);
      break;
    default:
      writeContainerType(output, type);
  }
}

function writeContainerType(output: Output, type: Exclude<SizedType, { readonly kind: ScalarOrNested }>): void {
  const { layout, remarks } = output;
  const { constraint } = type;
  const sizes = 'size' in type ? [type.size] : type.rows === type.columns ? [type.rows] : [type.rows, type.columns];
  layout.text(isNamed(constraint) ? constraint.kind : type.kind);
  if (constraint.kind === 'none') {
    layout.box('indenting', 1, () => {
      layout.text('[');
      writeCommaSeparated(output, sizes, (size) => writeExpression(output, size));
      layout.text(']');
    });
    return;
  }
  if (!isShort(type.span.begin, sizes[0].span.begin)) remarks.unsettle();
  writeBounds(output, constraint);
  layout.text('[');
  for (const [index, size] of sizes.entries()) {
    if (index > 0) layout.text(', ');
    writeExpression(output, size);
  }
  layout.text(']');
}

type ScalarOrNested = 'array' | 'tuple' | 'int' | 'real' | 'complex';

/** Whether the text between two positions certainly fits on a line, with all blanks that the formatter may insert. */
function isShort(begin: Position, end: Position): boolean {
  return begin.line === end.line && end.offset - begin.offset <= 30;
}

/** Whether the constraint is the name of the type. */
function isNamed(constraint: Constraint): boolean {
  return constraint.kind !== 'none' && boundsOf(constraint).length === 0;
}

/** `<lower=a, upper=b>`, always in this order. */
function writeBounds(output: Output, constraint: Constraint): void {
  const bounds = boundsOf(constraint);
  if (bounds.length === 0) return;
  output.layout.text('<');
  output.layout.box('indenting', 0, () => {
    writeCommaSeparated(output, bounds, ([name, value]) => {
      output.layout.text(`${name}=`);
      writeExpression(output, value);
    });
  });
  output.layout.text('>');
}

function boundsOf(constraint: Constraint): readonly (readonly [string, Expression])[] {
  const bounds: [string, Expression][] = [];
  if ('lower' in constraint) bounds.push(['lower', constraint.lower]);
  if ('upper' in constraint) bounds.push(['upper', constraint.upper]);
  if ('offset' in constraint) bounds.push(['offset', constraint.offset]);
  if ('multiplier' in constraint) bounds.push(['multiplier', constraint.multiplier]);
  return bounds;
}

/** The position of a declaration's first expression or, without one, of its first name: comments before it precede the declaration. */
export function firstExpressionOf(type: SizedType): Expression | undefined {
  switch (type.kind) {
    case 'array':
      return type.sizes[0];
    case 'tuple':
      return undefined;
    case 'int':
    case 'real':
    case 'complex':
      return boundsOf(type.constraint)[0]?.[1];
    default:
      return 'size' in type ? type.size : type.rows;
  }
}

export function writeReturnType(output: Output, type: ReturnType): void {
  if (type.kind === 'void') output.layout.text('void');
  else writeUnsizedType(output, type);
}

export function writeParameter(output: Output, { dataOnly, type, name }: Parameter): void {
  output.layout.text(dataOnly ? 'data ' : '');
  writeUnsizedType(output, type);
  output.layout.text(` ${name.name}`);
}

function writeUnsizedType(output: Output, type: UnsizedType): void {
  const { layout, remarks } = output;
  switch (type.kind) {
    case 'array':
      layout.text(`array[${','.repeat(type.dimensions - 1)}] `);
      writeUnsizedType(output, type.element);
      break;
    case 'tuple':
      remarks.unsettle();
      layout.text('tuple(');
      layout.box('indenting', 0, () => {
        writeCommaSeparated(output, type.elements, (element) => writeUnsizedType(output, element));
        layout.text(type.elements.length === 1 ? ',' : '');
      });
      layout.text(')');
      break;
    default:
      layout.text(type.kind);
  }
}

/** A comma-separated list, broken after commas, regardless of comments. */
function writeCommaSeparated<T>({ layout }: Output, items: readonly T[], write: (item: T) => void): void {
  for (const [index, item] of items.entries()) {
    if (index > 0) {
      layout.text(',');
      layout.space();
    }
    write(item);
  }
}
