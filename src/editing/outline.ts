/** The outline of one file: its blocks with their declarations, and the ranges that an editor can fold. */

import { type DeclaredName, type ProgramNames, type Stretch, stretchOf } from '../derive/symbols.js';
import type { Program } from '../syntax/ast.js';
import { blocksOf } from '../syntax/walk.js';
import { highlight } from './highlight.js';

export interface OutlineItem {
  readonly name: string;
  readonly kind: 'block' | 'function' | 'variable';
  /** The type of a variable, or the signature of a function. */
  readonly detail?: string;
  /** The range of the whole item; `at` is its name. */
  readonly whole: Stretch;
  readonly at: Stretch;
  readonly children: readonly OutlineItem[];
}

/**
 * Blocks, functions and global variables of one file of a program. An included file may contain declarations without
 * their block.
 */
export function outlineOf(program: Program, names: ProgramNames, file: string): readonly OutlineItem[] {
  const items: OutlineItem[] = [];
  for (const [title, block] of blocksOf(program)) {
    const children: OutlineItem[] = [];
    for (const node of block.statements) {
      const whole = stretchOf(node.span);
      if (whole.file !== file || (node.kind !== 'declaration' && node.kind !== 'function')) continue;
      const written = node.kind === 'declaration' ? node.variables.map(({ name }) => name) : [node.name];
      for (const { span } of written) {
        const at = stretchOf(span);
        const declared = names.declared.find((each) => isSame(each.declaredAt, at));
        if (declared !== undefined) children.push(itemOf(declared, whole));
      }
    }
    const whole = stretchOf(block.span);
    if (whole.file !== file) {
      items.push(...children);
      continue;
    }
    const { text } = block.span.begin.file;
    const head = text.slice(whole.from, text.indexOf('{', whole.from)).trimEnd();
    items.push({ name: title, kind: 'block', whole, at: { ...whole, to: whole.from + head.length }, children });
  }
  const seen = new Set<number>();
  return items.filter(({ at }) => !seen.has(at.from) && seen.add(at.from));
}

function itemOf({ name, kind, type, declaredAt }: DeclaredName, whole: Stretch): OutlineItem {
  return {
    name,
    kind: kind === 'function' ? 'function' : 'variable',
    detail: type,
    whole,
    at: declaredAt,
    children: [],
  };
}

function isSame(one: Stretch, other: Stretch): boolean {
  return one.file === other.file && one.from === other.from;
}

/** From the opening brace or the start of a comment to its end: UTF-16 offsets, the end exclusive. */
export interface Fold {
  readonly from: number;
  readonly to: number;
  readonly kind: 'braces' | 'comment';
}

/** Ranges between braces, block comments, and line comments on successive lines. The text may have errors. */
export function foldsOf(text: string): readonly Fold[] {
  const folds: Fold[] = [];
  const open: number[] = [];
  let comments: Fold | undefined;
  for (const { from, to, style } of highlight(text)) {
    if (style === 'comment') {
      const follows = comments !== undefined && /^\s*$/.test(text.slice(comments.to, from));
      if (comments !== undefined && !follows) folds.push(comments);
      comments = { from: follows && comments !== undefined ? comments.from : from, to, kind: 'comment' };
      continue;
    }
    if (comments !== undefined) folds.push(comments);
    comments = undefined;
    const mark = style === 'bracket' ? text.slice(from, to) : '';
    if (mark === '{') open.push(from);
    const start = mark === '}' ? open.pop() : undefined;
    if (start !== undefined) folds.push({ from: start, to, kind: 'braces' });
  }
  if (comments !== undefined) folds.push(comments);
  return folds.filter(({ from, to }) => text.slice(from, to).includes('\n')).sort((a, b) => a.from - b.from);
}
