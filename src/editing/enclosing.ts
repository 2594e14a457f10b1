/** The expressions, statements and blocks around an offset, for selections that grow step by step. */

import { type Stretch, stretchOf } from '../derive/symbols.js';
import type { Program } from '../syntax/ast.js';
import { blocksOf, visitProgram } from '../syntax/walk.js';

/** The ranges of one file that contain an offset, each within the next one. */
export function enclosing(program: Program, file: string, offset: number): readonly Stretch[] {
  const found = new Map<string, Stretch>();
  const take = ({ span }: { readonly span: Parameters<typeof stretchOf>[0] }) => {
    const at = stretchOf(span);
    if (at.file === file && at.from <= offset && offset <= at.to) found.set(`${at.from} ${at.to}`, at);
  };
  for (const [, block] of blocksOf(program)) take(block);
  visitProgram(program, { expression: take, statement: take });
  const sorted = [...found.values()].sort((a, b) => a.to - a.from - (b.to - b.from) || b.from - a.from);
  const chain: Stretch[] = [];
  for (const at of sorted) {
    const inner = chain[chain.length - 1];
    // Two ranges that only touch at the offset are not within each other.
    if (inner === undefined || (at.from <= inner.from && inner.to <= at.to)) chain.push(at);
  }
  return chain;
}
