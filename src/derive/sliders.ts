/**
 * Numbers of a program that can be moved: literals in lines with a comment `// @slider`, and scalars of the data. The literals become data of a
 * derived program, so that it is compiled once for all their values.
 */
import { tokenize } from '../syntax/lexer.js';
import type { ProperToken } from '../syntax/token.js';
import { type Edit, edited, type ProgramText } from './program-text.js';

/** The range in a comment `// @slider FROM TO`. */
export interface SliderRange {
  readonly from: number;
  readonly to: number;
}

/** A literal in a marked line outside the data block. */
export interface ConstantSlider {
  /** The name of its data variable in the derived program. */
  readonly name: string;
  readonly value: number;
  readonly isInteger: boolean;
  /** UTF-16 code units from the start of the text, with the sign. */
  readonly from: number;
  readonly to: number;
  /** From 1. */
  readonly line: number;
  readonly range?: SliderRange;
}

export interface Sliders {
  readonly constants: readonly ConstantSlider[];
  /** The marked data variables, with their ranges. */
  readonly data: ReadonlyMap<string, SliderRange | undefined>;
  /** Variables in sizes of the data block, which cannot change alone. */
  readonly sizes: ReadonlySet<string>;
  /** The position of further declarations of data, and whether it is in a data block. */
  readonly declarations: { readonly at: number; readonly isInBlock: boolean };
}

const MARK = /@slider\b(?:\s+(?<from>[-+]?[\d.]\S*)\s+(?<to>[-+]?[\d.]\S*))?/;

const BLOCKS: readonly ProperToken['kind'][] = [
  'functions',
  'data',
  'transformed data',
  'parameters',
  'transformed parameters',
  'model',
  'generated quantities',
];

/** The sliders of a program, which may have errors. Included files have none. */
export function slidersOf({ includes, name, text }: ProgramText): Sliders {
  const { remarks, tokens: all } = tokenize({ name, text }, new Map(Object.entries(includes)));
  const tokens = all.filter((token) => token.kind !== 'fault');
  const isOwn = ({ span: { begin } }: Pick<ProperToken, 'span'>) =>
    begin.file.name === name && begin.file.includedFrom === undefined;
  const marks = new Map<number, SliderRange | undefined>();
  for (const remark of remarks) {
    const mark = remark.kind === 'lineComment' && isOwn(remark) ? MARK.exec(remark.lines[0]) : null;
    if (mark !== null) marks.set(remark.span.begin.line, rangeOf(mark.groups));
  }
  const constants: ConstantSlider[] = [];
  const data = new Map<string, SliderRange | undefined>();
  const sizes = new Set<string>();
  const titles: ProperToken[] = [];
  let braces = 0;
  let brackets = 0;
  for (const [index, token] of tokens.entries()) {
    const { kind, span, text: word } = token;
    if (kind === '{') braces++;
    else if (kind === '}') braces--;
    else if (kind === '[') brackets++;
    else if (kind === ']') brackets--;
    else if (braces === 0 && BLOCKS.includes(kind)) titles.push(token);
    const block = titles.at(-1)?.kind;
    if (block === 'data' && brackets > 0 && kind === 'identifier') sizes.add(word);
    if (!isOwn(token) || !marks.has(span.begin.line)) continue;
    const range = marks.get(span.begin.line);
    const before = tokens[index - 1];
    if (block === 'data') {
      if (kind === ';' && before.kind === 'identifier') data.set(before.text, range);
    } else if (block !== 'functions' && brackets === 0 && (kind === 'integer' || kind === 'decimal')) {
      const isNegative = before?.kind === '-' && !isOperand(tokens[index - 2]);
      constants.push({
        name: freeName(text, constants.length + 1),
        value: (isNegative ? -1 : 1) * Number(word.replaceAll('_', '')),
        isInteger: kind === 'integer',
        from: (isNegative ? before : token).span.begin.offset,
        to: span.end.offset,
        line: span.begin.line,
        ...(range && { range }),
      });
    }
  }
  return { constants, data, sizes, declarations: declarationsOf(tokens, titles.filter(isOwn)) };
}

function declarationsOf(tokens: readonly ProperToken[], titles: readonly ProperToken[]): Sliders['declarations'] {
  const data = titles.find(({ kind }) => kind === 'data');
  const next = data && tokens[tokens.indexOf(data) + 1];
  if (next?.kind === '{') return { at: next.span.end.offset, isInBlock: true };
  const first = titles.find(({ kind }) => kind !== 'functions');
  return { at: first?.span.begin.offset ?? 0, isInBlock: false };
}

function rangeOf(groups: Readonly<Record<string, string | undefined>> = {}): SliderRange | undefined {
  const [from, to] = [Number(groups.from), Number(groups.to)];
  return from < to ? { from, to } : undefined;
}

/** Whether a minus after the token subtracts. */
function isOperand(token: ProperToken | undefined): boolean {
  return token !== undefined && /^(?:identifier|integer|decimal|dotNumber|imaginary|[)\]'])$/.test(token.kind);
}

/** A name that the program does not contain. */
function freeName(text: string, number: number): string {
  let name = `slider_${number}`;
  while (text.includes(name)) name = `s${name}`;
  return name;
}

/** The program with data in place of its constants: of type `int` for integer literals, if requested. */
export function withConstantsAsData(
  program: ProgramText,
  { constants, declarations: { at, isInBlock } }: Sliders,
  { areIntegers = false } = {},
): ProgramText {
  const declared = constants
    .map(({ isInteger, name }) => `${areIntegers && isInteger ? 'int' : 'real'} ${name};`)
    .join(' ');
  return edited(program, [
    ...constants.map(({ from, name, to }) => editOf(program, from, to, name)),
    editOf(program, at, at, isInBlock ? ` ${declared}` : `data { ${declared} }\n`),
  ]);
}

/** The program with other values of its constants, by their names. */
export function withConstantValues(
  program: ProgramText,
  { constants }: Sliders,
  values: ReadonlyMap<string, number>,
): ProgramText {
  return edited(
    program,
    constants.flatMap(({ from, name, to }) => {
      const value = values.get(name);
      return value === undefined ? [] : [editOf(program, from, to, String(value))];
    }),
  );
}

function editOf({ name: file }: ProgramText, from: number, to: number, text: string): Edit {
  return { at: { file, from, to }, text };
}
