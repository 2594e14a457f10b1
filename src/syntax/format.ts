import type { Span } from '../source/span.js';
import { type BlockName, blockNames, type Program } from './ast.js';
import { Layout } from './format-layout.js';
import { type FormatStyle, isIncluded, type Output, outermost, Remarks, writeBetween } from './format-remarks.js';
import { type Item, writeBlock } from './format-statements.js';
import type { Includes } from './lexer.js';
import { parse } from './parse.js';

/** stanc's default style. */
const STYLE: FormatStyle = { margin: 78, withoutParentheses: false, withBraces: false, withoutComments: false };

/** Maximum number of passes. stanc's formatter may need several passes until its result is stable. */
const MOST_PASSES = 5;

/**
 * Formats a program like `--auto-format` of stanc 2.40, with its comments and includes. The result is stable: if stanc would move a comment
 * or a line when formatting again, this is already done. Unlike stanc, keeps comments beyond column 68 as they are, and returns a program
 * with an include inside a statement unchanged. `includes` are the texts with which the program was parsed; `given` overrides the style.
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
  /** Whether formatting it again certainly changes nothing. */
  readonly isSettled: boolean;
}

/** One pass; undefined if an include cannot keep its position. */
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
