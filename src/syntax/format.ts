import type { Span } from '../source/span.js';
import { type BlockName, blockNames, type Program } from './ast.js';
import { Layout } from './format-layout.js';
import { type FormatStyle, isIncluded, type Output, outermost, Remarks, writeBetween } from './format-remarks.js';
import { type Item, writeBlock } from './format-statements.js';
import type { Includes } from './lexer.js';
import { parse } from './parse.js';

/** stanc's default style. */
const STYLE: FormatStyle = { margin: 78, withoutParentheses: false, withBraces: false, withoutComments: false };

/** The real formatter may need another pass or two until its result stays as it is. */
const MOST_PASSES = 5;

/**
 * The program set as stanc 2.40's `--auto-format` sets it: the same tree, with its comments and with its includes as
 * includes. Formatting the result again changes nothing: where stanc would move a comment or a line once more, that is
 * done. Unlike stanc, it leaves the text of comments beyond column 68 alone, and a program with an include in the midst
 * of a statement keeps its text. `includes` are the texts that the program was parsed with,
 * `given` is what is to be otherwise.
 */
export function format(program: Program, includes: Includes = new Map(), given: Partial<FormatStyle> = {}): string {
  const style = { ...STYLE, ...given };
  const { name, text: original } = outermost(program.span.begin).file;
  let formatted = formatOnce(program, style);
  for (let pass = 1; pass < MOST_PASSES; pass++) {
    if (formatted === undefined) return original;
    const { text, isSettled } = formatted;
    if (isSettled || text === original) break;
    const parsed = parse({ name, text }, includes);
    if ('diagnostics' in parsed) return original;
    formatted = formatOnce(parsed.program, style);
    if (formatted?.text === text) break;
  }
  return formatted?.text ?? original;
}

interface Formatted {
  readonly text: string;
  /** Whether formatting it again surely changes nothing. */
  readonly isSettled: boolean;
}

/** One pass; nothing when an include can't keep its place. */
function formatOnce(program: Program, style: FormatStyle): Formatted | undefined {
  const shown = style.withoutComments
    ? program.remarks.filter(({ kind }) => !kind.endsWith('Comment'))
    : program.remarks;
  const output: Output = { layout: new Layout(style.margin), remarks: new Remarks(shown), style };
  const { layout, remarks } = output;
  layout.open('always');
  for (const [name, { statements, span }] of blocksOf(program)) {
    if (isIncluded(span.begin) && isIncluded(span.end)) continue;
    writeBetween(output, undefined, span.begin, remarks.takeUpTo(span.begin));
    layout.text(`${name} `);
    writeBlock(output, statements, span);
    layout.cut();
  }
  writeBetween(output, undefined, undefined, remarks.takeRest());
  return remarks.hasMisplacedInclude ? undefined : { text: layout.toString(), isSettled: remarks.isSettled };
}

interface AnyBlock {
  readonly statements: readonly Item[];
  readonly span: Span;
}

function blocksOf(program: Program): readonly (readonly [BlockName, AnyBlock])[] {
  const blocks: Readonly<Record<BlockName, AnyBlock | undefined>> = {
    functions: program.functions,
    data: program.data,
    'transformed data': program.transformedData,
    parameters: program.parameters,
    'transformed parameters': program.transformedParameters,
    model: program.model,
    'generated quantities': program.generatedQuantities,
  };
  return blockNames.flatMap((name) => {
    const block = blocks[name];
    return block === undefined ? [] : [[name, block] as const];
  });
}
