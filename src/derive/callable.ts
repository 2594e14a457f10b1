/**
 * The functions that a program declares, and derived programs that call them: arguments are data, and the result is a
 * generated quantity.
 */
import { check } from '../check/check.js';
import { FUNCTIONS } from '../functions/table.js';
import { isConditionalName } from '../language/suffixes.js';
import { showType, type Type, unwindArray } from '../language/types.js';
import type { Position } from '../source/span.js';
import { parse } from '../syntax/parse.js';
import type { ProgramText } from './program-text.js';

/** A function that a program declares: one of the overloads of its name. */
export interface CallableFunction {
  readonly name: string;
  /** Parameters, with their names if it is a definition. */
  readonly parameters: readonly { readonly name: string; readonly type: Type }[];
  readonly result: Type;
}

/** A program that calls a function. */
export interface CallingProgram {
  readonly source: ProgramText;
  /** The data variables of the arguments and of their sizes, in the order of `countSizes`. */
  readonly arguments: readonly { readonly name: string; readonly sizes: readonly string[] }[];
  /** The variable with the result; absent if the function returns nothing. */
  readonly result?: {
    readonly name: string;
    /** The data variables with the sizes of the result. */
    readonly sizes: readonly string[];
    /**
     * If the result has sizes, a data variable. If its value is 1, the program computes `foundSizes` instead of the
     * result.
     */
    readonly probe?: string;
    readonly foundSizes?: string;
  };
  /** The last line of the functions in the program's main file, after which the calling program continues. */
  readonly lastLine: number;
}

/** The functions of a program, in order of definition. Empty if the program does not compile. */
export function callableFunctions(program: ProgramText): readonly CallableFunction[] {
  const parsed = parse({ name: program.name, text: program.text }, new Map(Object.entries(program.includes)));
  if ('diagnostics' in parsed) return [];
  const checked = check(parsed.program, FUNCTIONS);
  if ('diagnostics' in checked) return [];
  return checked.program.functions.map(({ function: { name, parameters, result }, definition }) => ({
    name,
    parameters: parameters.map(({ type }, index) => ({ name: definition.parameters[index].name.name, type })),
    result,
  }));
}

/** `real f(vector x, int n)` */
export function showSignature({ name, parameters, result }: CallableFunction): string {
  return `${showType(result)} ${name}(${parameters.map((each) => `${showType(each.type)} ${each.name}`).join(', ')})`;
}

/**
 * Number of sizes of a value: those of array dimensions first, then rows and columns. For a tuple, the total over its
 * slots.
 */
export function countSizes(type: Type): number {
  switch (type.kind) {
    case 'array':
      return 1 + countSizes(type.element);
    case 'tuple':
      return type.elements.reduce((sum, element) => sum + countSizes(element), 0);
    case 'vector':
    case 'row_vector':
    case 'complex_vector':
    case 'complex_row_vector':
      return 1;
    case 'matrix':
    case 'complex_matrix':
      return 2;
    default:
      return 0;
  }
}

/**
 * The program that calls a function of `program`. It contains the functions of `program` on their original lines.
 * Generated quantities require known sizes, so a result with sizes requires two evaluations, of `foundSizes` and of the
 * result.
 */
export function callingProgram(program: ProgramText, called: CallableFunction): CallingProgram {
  const prefix = freshPrefix(program);
  const { parameters, result } = called;
  const args = parameters.map(({ type }, index) => sizedVariable(`${prefix}_${index + 1}`, type));
  const names = args.map(({ name }) => name);
  const call = `${called.name}(${isConditionalName(called.name) ? `${names[0]} | ${names.slice(1).join(', ')}` : names.join(', ')})`;
  const data = args.flatMap(({ declaration, sizes }) => [...sizes.map((size) => `int ${size};`), declaration]);
  const common = {
    arguments: args.map(({ name, sizes }) => ({ name, sizes })),
    lastLine: 0,
  };
  const written = (
    helper: string,
    more: readonly string[],
    statements: readonly string[],
  ): Pick<CallingProgram, 'source' | 'lastLine'> =>
    withBlocks(
      program,
      helper,
      `data { ${[...data, ...more].join(' ')} } generated quantities { ${statements.join(' ')} }`,
    );
  if (result.kind === 'void') return { ...common, ...written('', [], [`${call};`]) };
  const value = sizedVariable(`${prefix}_result`, result);
  const { name, sizes } = value;
  if (sizes.length === 0) {
    return { ...common, ...written('', [], [value.declaration, `${name} = ${call};`]), result: { name, sizes } };
  }
  const probe = `${prefix}_probe`;
  const foundSizes = `${prefix}_found`;
  const count = `${prefix}_count`;
  const helper =
    countsOf(result, count).join(' ') +
    `array[] int ${prefix}_sizes(${showType(result)} x) { return ${sizesOf(result, 'x', count)}; }`;
  return {
    ...common,
    ...written(
      helper,
      [`int ${probe};`, ...sizes.map((size) => `int ${size};`)],
      [
        `array[${sizes.length}] int ${foundSizes} = rep_array(0, ${sizes.length});`,
        value.declaration,
        `if (${probe}) ${foundSizes} = ${prefix}_sizes(${call}); else ${name} = ${call};`,
      ],
    ),
    result: { name, sizes, probe, foundSizes },
  };
}

const INCLUDE = /^#include\s+(?:"[^"]*"|<[^>]*>|\S+)/;

/** A prefix that no name in the program has. */
function freshPrefix({ includes, text }: ProgramText): string {
  const texts = [text, ...Object.values(includes)];
  let prefix = 'called';
  while (texts.some((each) => each.includes(`${prefix}_`))) prefix += 'x';
  return prefix;
}

interface SizedVariable {
  readonly name: string;
  readonly declaration: string;
  readonly sizes: readonly string[];
}

function sizedVariable(name: string, type: Type): SizedVariable {
  const sizes = Array.from({ length: countSizes(type) }, (_, index) => `${name}_size_${index + 1}`);
  return { name, declaration: `${sizedType(type, [...sizes])} ${name};`, sizes };
}

/** A sized type as text. Removes the sizes that it uses from the start of the list. */
function sizedType(type: Type, sizes: string[]): string {
  switch (type.kind) {
    case 'array': {
      const dimensions: string[] = [];
      let element: Type = type;
      for (; element.kind === 'array'; element = element.element) dimensions.push(...sizes.splice(0, 1));
      return `array[${dimensions.join(', ')}] ${sizedType(element, sizes)}`;
    }
    case 'tuple': {
      const elements = type.elements.map((element) => sizedType(element, sizes));
      return `tuple(${elements.join(', ')}${elements.length === 1 ? ',' : ''})`;
    }
    default: {
      const own = sizes.splice(0, countSizes(type));
      return own.length === 0 ? type.kind : `${type.kind}[${own.join(', ')}]`;
    }
  }
}

/** An expression for an array of ints with the sizes of another expression. The sizes of elements of an empty array are 0. */
function sizesOf(type: Type, of: string, count: string): string {
  switch (type.kind) {
    case 'array': {
      const inner = countSizes(type.element);
      const size = containsTuple(type) ? `${count}(${of})` : `size(${of})`;
      if (inner === 0) return `{${size}}`;
      const nested = sizesOf(type.element, `${of}[1]`, count);
      return `(${size} == 0 ? rep_array(0, ${1 + inner}) : append_array({${size}}, ${nested}))`;
    }
    case 'tuple':
      return type.elements
        .flatMap((element, index) => (countSizes(element) === 0 ? [] : [sizesOf(element, `${of}.${index + 1}`, count)]))
        .reduce((first, second) => `append_array(${first}, ${second})`);
    case 'matrix':
    case 'complex_matrix':
      return `{rows(${of}), cols(${of})}`;
    default:
      return `{size(${of})}`;
  }
}

/** Overloaded functions that count the elements of arrays of tuples inside a type, because Stan's `size` does not accept these. */
function countsOf(type: Type, count: string, known: Set<string> = new Set()): readonly string[] {
  if (type.kind === 'tuple') return type.elements.flatMap((element) => countsOf(element, count, known));
  if (type.kind !== 'array' || !containsTuple(type)) return [];
  const shown = showType(type);
  const inner = countsOf(type.element, count, known);
  if (known.has(shown)) return inner;
  known.add(shown);
  return [...inner, `int ${count}(${shown} x) { int n = 0; for (each in x) n += 1; return n; } `];
}

function containsTuple(type: Type): boolean {
  return unwindArray(type).element.kind === 'tuple';
}

/**
 * The program up to the end of its functions, with an additional helper function, followed by other blocks on a
 * separate line.
 */
function withBlocks(program: ProgramText, helper: string, blocks: string): Pick<CallingProgram, 'source' | 'lastLine'> {
  const includes = new Map(Object.entries(program.includes));
  const parsed = parse({ name: program.name, text: program.text }, includes);
  const block = 'program' in parsed ? parsed.program.functions : undefined;
  if (block === undefined) throw new Error('the program has no functions');
  const { end } = block.span;
  const closed = `${end.file.text.slice(0, end.offset - 1)}${helper}}`;
  const { position, text } = cutBelow(end, closed, includes);
  const source = { name: program.name, text: `${text}\n${blocks}\n`, includes: Object.fromEntries(includes) };
  return { source, lastLine: position.line };
}

/** The program's main file up to a position; `text` is the source of the file that contains the position. Truncates included files. */
function cutBelow(
  position: Position,
  text: string,
  includes: Map<string, string>,
): { readonly position: Position; readonly text: string } {
  const { includedFrom, name } = position.file;
  if (includedFrom === undefined) return { position, text };
  includes.set(name, text);
  const outer = includedFrom.file.text;
  const [directive = ''] = INCLUDE.exec(outer.slice(includedFrom.offset)) ?? [];
  return cutBelow(includedFrom, outer.slice(0, includedFrom.offset + directive.length), includes);
}
