/** Finds the incomplete call around an offset, and its signatures. */

import type { DeclaredName } from '../derive/symbols.js';
import type { FunctionTable } from '../functions/table.js';
import { withoutVariate } from './completion.js';
import { highlight } from './highlight.js';
import { helpFor } from './library-help.js';

export interface OpenCall {
  readonly name: string;
  /** Start of the name: a UTF-16 offset. */
  readonly from: number;
  /** Index of the current argument, from 0. */
  readonly argument: number;
  readonly isDistribution: boolean;
}

/** A signature of a function. */
interface CallSignature {
  /** The signature as text, such as `real f(vector x)` or `exp(T) => T`. */
  readonly label: string;
  /** The range of each argument in the label. */
  readonly parameters: readonly (readonly [from: number, to: number])[];
  readonly documentation?: string;
}

export interface CallHelp {
  readonly signatures: readonly CallSignature[];
  /** Index of the first signature with enough arguments. */
  readonly active: number;
  readonly argument: number;
}

/** The innermost open call at an offset of a text. The text may have errors. */
export function callAt(text: string, offset: number): OpenCall | undefined {
  const tokens = highlight(text.slice(0, offset)).filter(({ style }) => style !== 'include');
  const last = tokens.at(-1);
  if (last?.style === 'comment' && isOpen(text.slice(last.from, last.to), last.to === offset)) return undefined;
  const isInString = tokens.some(
    ({ from, style }) => style === 'fault' && /^"[^\r\n]*$/.test(text.slice(from, offset)),
  );
  if (isInString) return undefined;
  const code = tokens.filter(({ style }) => style !== 'comment');
  let depth = 0;
  let argument = 0;
  for (let k = code.length - 1; k >= 0; k--) {
    const token = code[k];
    const mark = text.slice(token.from, token.to);
    if (token.style === 'block') return undefined;
    if (mark === ')' || mark === ']' || mark === '}') depth++;
    else if (mark === '(' || mark === '[' || mark === '{') {
      if (depth > 0) {
        depth--;
        continue;
      }
      const name = code[k - 1];
      const isCall = mark === '(' && (name?.style === 'function' || name?.style === 'distribution');
      if (isCall) {
        const isDistribution = name.style === 'distribution';
        return { name: text.slice(name.from, name.to), from: name.from, argument, isDistribution };
      }
      argument = 0;
    } else if (depth === 0) {
      if (mark === ';') return undefined;
      if (mark === ',' || mark === '|') argument++;
    }
  }
  return undefined;
}

/** Whether a comment is not closed within the text. */
function isOpen(comment: string, isLast: boolean): boolean {
  return comment.startsWith('//') ? isLast : !(comment.length >= 4 && comment.endsWith('*/'));
}

/** Signatures of the program's functions with that name, otherwise those of the library. */
export function signaturesOf(
  { name, argument, isDistribution }: OpenCall,
  declared: readonly DeclaredName[],
  table: FunctionTable,
): CallHelp | undefined {
  const names = isDistribution ? [`${name}_lpdf`, `${name}_lpmf`] : [name.replace(/_lu(?=p[dm]f$)/, '_l')];
  const own = declared.filter((each) => each.kind === 'function' && names.includes(each.name));
  const signatures =
    own.length > 0 ? ownSignatures(own, isDistribution) : librarySignatures(table, name, isDistribution);
  if (signatures.length === 0) return undefined;
  const active = signatures.findIndex(({ parameters }) => parameters.length > argument);
  return { signatures, active: Math.max(0, active), argument };
}

function ownSignatures(own: readonly DeclaredName[], isDistribution: boolean): readonly CallSignature[] {
  const byHead = new Map(own.map((each) => [each.type, each]));
  return [...byHead.values()].map(({ type, comment }) => signature(type, isDistribution ? 1 : 0, comment));
}

function librarySignatures(table: FunctionTable, name: string, isDistribution: boolean): readonly CallSignature[] {
  const help = helpFor(table, name);
  if (help === undefined) return [];
  const patterns = isDistribution ? help.signatures.map(withoutVariate) : help.signatures;
  return [...new Set(patterns)].map((pattern) => signature(`${name}${pattern}`, 0, help.computes));
}

function signature(label: string, skipped: number, documentation: string | undefined): CallSignature {
  const parameters = parametersIn(label).slice(skipped);
  return { label, parameters, ...(documentation !== undefined && { documentation }) };
}

/** The ranges between the commas of the first parentheses. */
function parametersIn(label: string): (readonly [number, number])[] {
  const open = label.indexOf('(');
  const found: (readonly [number, number])[] = [];
  let depth = 0;
  let from = open + 1;
  for (let k = open + 1; open >= 0 && k < label.length; k++) {
    const mark = label[k];
    const isEnd = depth === 0 && (mark === ',' || mark === ')');
    if (isEnd) {
      const text = label.slice(from, k);
      const start = from + text.length - text.trimStart().length;
      if (text.trim() !== '') found.push([start, start + text.trim().length]);
      from = k + 1;
      if (mark === ')') break;
    } else if (mark === '(' || mark === '[') depth++;
    else if (mark === ')' || mark === ']') depth--;
  }
  return found;
}
