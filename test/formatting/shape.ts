import type { Expression, Program } from '../../src/syntax/ast.js';

/** The tree without places and comments; what the formatter drops, a bar without arguments behind it and `T[,]`, left out. */
export function shapeOf(program: Program): string {
  return JSON.stringify(program, (key, value: unknown) => {
    if (['span', 'operatorSpan', 'remarks', 'hasBar'].includes(key)) return undefined;
    return key === 'truncation' && isEmptyTruncation(value) ? undefined : value;
  });
}

function isEmptyTruncation(value: unknown): boolean {
  const bounds: { lower?: Expression; upper?: Expression } = typeof value === 'object' ? { ...value } : {};
  return bounds.lower === undefined && bounds.upper === undefined;
}
