/** Completion: the words that may be written at an offset. */

import type { DeclaredName, ProgramNames } from '../derive/symbols.js';
import type { FunctionTable } from '../functions/table.js';
import { blockNames } from '../syntax/ast.js';
import { reservedWord } from '../syntax/reserved-words.js';
import { keywords } from '../syntax/token.js';
import { highlight, type Styled } from './highlight.js';
import { allHelp, type FunctionHelp } from './library-help.js';

export interface Completion {
  readonly label: string;
  readonly kind: 'variable' | 'function' | 'distribution' | 'type' | 'keyword' | 'block';
  /** A type or a signature. */
  readonly detail?: string;
  /** A sentence. */
  readonly documentation?: string;
}

const TYPES = keywords.filter((word) => reservedWord(word) === 'type');
/** Keywords that begin a statement or occur in expressions; names of blocks are separate. */
const WORDS = [
  'for',
  'in',
  'while',
  'if',
  'else',
  'return',
  'break',
  'continue',
  'target',
  'print',
  'reject',
  'profile',
];
const DENSITY = /_lp[dm]f$/;

/** Completions from a library, computed once. */
export class Completions {
  readonly #functions: readonly Completion[];
  readonly #distributions: readonly Completion[];

  constructor(table: FunctionTable) {
    const help = allHelp(table);
    this.#functions = help.map((each) => completionOf(each, each.name, 'function'));
    this.#distributions = help
      .filter(({ name }) => DENSITY.test(name))
      .map((each) => {
        const signatures = each.signatures.map(withoutVariate);
        return completionOf({ ...each, signatures }, each.name.replace(DENSITY, ''), 'distribution');
      });
  }

  /**
   * Completions at an offset: distributions after `~`, names of blocks outside of blocks, otherwise everything that can begin an expression or a
   * statement. `names` are those of the latest version of the program that could be parsed. An included file may be inside a block.
   */
  at(text: string, offset: number, names: ProgramNames | undefined, isIncluded = false): readonly Completion[] {
    const before = tokensBefore(text, offset);
    if (!isIncluded && depthOf(before) === 0) return blockNames.map((label) => ({ label, kind: 'block' }));
    const declared = (names?.declared ?? []).map(completionOfName);
    if (before.at(-1)?.text === '~') {
      const own = declared.filter(({ label, kind }) => kind === 'function' && DENSITY.test(label));
      return [
        ...own.map((each): Completion => ({ ...each, label: each.label.replace(DENSITY, ''), kind: 'distribution' })),
        ...this.#distributions,
      ];
    }
    const types = TYPES.map((label): Completion => ({ label, kind: 'type' }));
    const words = WORDS.map((label): Completion => ({ label, kind: 'keyword' }));
    return unique([...declared, ...this.#functions, ...types, ...words]);
  }
}

function completionOf({ signatures, computes }: FunctionHelp, label: string, kind: Completion['kind']): Completion {
  return { label, kind, detail: signatures[0] ?? '', documentation: computes };
}

/** The signature of a distribution after `~`: that of its density without the first argument. */
export function withoutVariate(signature: string): string {
  let depth = 0;
  for (let at = 0; at < signature.length; at++) {
    const mark = signature[at];
    if (mark === '(' || mark === '[') depth++;
    if (mark === ')' || mark === ']') depth--;
    if (mark === ',' && depth === 1) return `(${signature.slice(at + 1, endOfArguments(signature)).trim()}`;
    if (mark === ')' && depth === 0) break;
  }
  return '()';
}

function endOfArguments(signature: string): number {
  const arrow = signature.indexOf(' => ');
  return arrow < 0 ? signature.length : arrow;
}

function completionOfName({ name, kind, type, comment }: DeclaredName): Completion {
  const what = kind === 'function' ? 'function' : 'variable';
  return { label: name, kind: what, detail: type, ...(comment !== undefined && { documentation: comment }) };
}

interface Before {
  readonly style: Styled['style'];
  readonly text: string;
}

/** The tokens before the word that is being written. */
function tokensBefore(text: string, offset: number): readonly Before[] {
  const word = /[A-Za-z0-9_]*$/.exec(text.slice(0, offset))?.[0].length ?? 0;
  const before = text.slice(0, offset - word);
  return highlight(before)
    .filter(({ style }) => style !== 'comment' && style !== 'include')
    .map(({ from, to, style }) => ({ style, text: before.slice(from, to) }));
}

function depthOf(tokens: readonly Before[]): number {
  let depth = 0;
  for (const { style, text } of tokens) {
    if (style === 'bracket') depth += text === '{' ? 1 : text === '}' ? -1 : 0;
  }
  return depth;
}

function unique(completions: readonly Completion[]): readonly Completion[] {
  const seen = new Set<string>();
  return completions.filter(({ label }) => !seen.has(label) && seen.add(label));
}
