import type { Expression, Program } from '../../src/syntax/ast.js';

/** The tree without locations and comments, and without what the formatter removes: a bar without arguments after it, and `T[,]`. */
export function shapeOf(program: Program): string {
  return JSON.stringify(program, (key, value: unknown) => {
    if (['span', 'operatorSpan', 'remarks', 'hasBar'].includes(key)) return undefined;
    if (key === 'truncation' && isEmptyTruncation(value)) return undefined;
    return isCallOfOne(value) ? { ...value, isConditional: undefined } : value;
  });
}

function isEmptyTruncation(value: unknown): boolean {
  const bounds: { lower?: Expression; upper?: Expression } = typeof value === 'object' ? { ...value } : {};
  return bounds.lower === undefined && bounds.upper === undefined;
}

/** A call with one argument counts as conditional because of its bar, which is removed, or its name, which is kept. */
function isCallOfOne(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('arguments' in value)) return false;
  return value.kind === 'call' && Array.isArray(value.arguments) && value.arguments.length === 1;
}
