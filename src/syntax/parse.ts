import { type Diagnostic, errorAt, type Message, warningAt } from '../source/diagnostic.js';
import { type SourceFile, startOf } from '../source/span.js';
import type { Block, Declaration, EmptyStatement, FunctionDefinition, Program, Remark } from './ast.js';
import { INVALID_TYPE, parseDeclaration, startsDeclaration } from './declarations.js';
import { findTooDeep } from './depth.js';
import { parseFunction, startsFunction } from './functions.js';
import { type Includes, readTokens, withoutMark } from './lexer.js';
import { parseStatements } from './statements.js';
import type { TokenKind } from './token.js';
import { illFormed, NESTED_TOO_DEEPLY, SyntaxFault, Tokens } from './tokens.js';

/** A program with the parser's warnings, or the error that stopped the parser. */
export type ParseResult =
  | { readonly program: Program; readonly warnings: readonly Diagnostic[] }
  | { readonly diagnostics: readonly Diagnostic[] };

/**
 * Parses a Stan program according to the grammar of Stan 2.40. Stops at the first error, with the location that stanc reports. `includes`
 * contains the texts for `#include`.
 */
export function parse(source: SourceFile, includes: Includes = new Map()): ParseResult {
  return attempt(source, includes, parseProgram);
}

/** Parses a file that contains only function definitions, such as a `.stanfunctions` file. */
export function parseFunctions(source: SourceFile, includes: Includes = new Map()): ParseResult {
  return attempt(source, includes, parseFunctionFile);
}

function attempt(
  given: SourceFile,
  includes: Includes,
  read: (tokens: Tokens) => Omit<Program, 'remarks'>,
): ParseResult {
  const source = { ...given, text: withoutMark(given.text) };
  try {
    const remarks: Remark[] = [];
    const program = { ...read(new Tokens(readTokens(source, includes, remarks))), remarks };
    const tooDeep = findTooDeep(program);
    if (tooDeep !== undefined) {
      return { diagnostics: [errorAt('unsupported', tooDeep, NESTED_TOO_DEEPLY)] };
    }
    return { program, warnings: warnOfEmptiness(program, source) };
  } catch (fault) {
    if (fault instanceof SyntaxFault) return { diagnostics: [fault.diagnostic] };
    throw fault;
  }
}

const EMPTY: Message = {
  code: 'empty-program',
  text: 'Empty model detected; this is a valid Stan model but likely unintended!',
};

function warnOfEmptiness(program: Program, source: SourceFile): readonly Diagnostic[] {
  const { span, remarks: _, ...blocks } = program;
  if (Object.keys(blocks).length > 0) return [];
  const whole = { begin: startOf(source), end: span.end };
  return [warningAt(whole, EMPTY)];
}

const EXPECTED_NEXT: readonly string[] = [
  'Expected "functions {", "data {", "transformed data {", "parameters {",\n"transformed parameters {", "model {", or "generated quantities {".',
  'Expected "data {", "transformed data {", "parameters {",\n"transformed parameters {", "model {", "generated quantities {", or end-of-file.',
  'Expected "transformed data {", "parameters {",\n"transformed parameters {", "model {", "generated quantities {", or end-of-file.',
  'Expected "parameters {", "transformed parameters {",\n"model {", "generated quantities {", or end-of-file.',
  'Expected "transformed parameters {", "model {" or "generated quantities {" after end of parameters block.',
  'Expected "model {" or "generated quantities {" after end of transformed parameters block.',
  'Expected "generated quantities {" or end of file after end of model block.',
  'Expected end of file after end of generated quantities block.',
];

const MESSAGES = {
  functions: illFormed('block', 'Expected "{" after "functions".'),
  firstFunction: illFormed('block', 'Expected a function forward declaration, definition, or "}" after "functions {".'),
  nextFunction: illFormed('block', 'Expected a "}" or a function definition or declaration.'),
  functionFile: illFormed('program', "Only function definitions/declarations are expected in '.stanfunctions' files."),
  data: illFormed('block', 'Expected "{" followed by a list of top-level variable declarations after "data".'),
  transformedData: illFormed('statement', 'Expected "{" after "transformed data".'),
  parameters: illFormed('block', 'Expected "{" after "parameters".'),
  transformedParameters: illFormed('block', 'Expected "{" after "transformed parameters".'),
  model: illFormed('block', 'Expected "{" after "model".'),
  generatedQuantities: illFormed('block', 'Expected "{" after "generated quantities".'),
  parametersStart: illFormed('block', 'Expected top-level variable declaration or "}".'),
  declarationsOnly: illFormed(
    'statement',
    'Only top-level variable declarations are allowed in the "data" and "parameters" blocks.',
  ),
} as const;

function parseProgram(tokens: Tokens): Omit<Program, 'remarks'> {
  const first = tokens.next;
  let done = 0;
  function block<S>(title: TokenKind, order: number, missing: string, read: () => readonly S[]): Block<S> | undefined {
    if (!tokens.at(title)) return undefined;
    const { span } = tokens.take();
    tokens.expect('{', missing);
    const statements = read();
    done = order;
    return { statements, span: tokens.spanFrom(span) };
  }
  const { transformedData: dataTitle, transformedParameters: parametersTitle } = MESSAGES;
  const functions = block('functions', 1, MESSAGES.functions, () => parseFunctionList(tokens));
  const data = block('data', 2, MESSAGES.data, () => parseDeclarations(tokens));
  const transformedData = block('transformed data', 3, dataTitle, () => parseStatements(tokens, 'global'));
  const parameters = block('parameters', 4, MESSAGES.parameters, () =>
    parseDeclarations(tokens, MESSAGES.parametersStart),
  );
  const transformedParameters = block('transformed parameters', 5, parametersTitle, () =>
    parseStatements(tokens, 'global'),
  );
  const model = block('model', 6, MESSAGES.model, () => parseStatements(tokens, 'local'));
  const generatedQuantities = block('generated quantities', 7, MESSAGES.generatedQuantities, () =>
    parseStatements(tokens, 'global'),
  );
  if (!tokens.at('end')) tokens.fail(illFormed('program', EXPECTED_NEXT[done] ?? ''));
  return {
    ...(functions && { functions }),
    ...(data && { data }),
    ...(transformedData && { transformedData }),
    ...(parameters && { parameters }),
    ...(transformedParameters && { transformedParameters }),
    ...(model && { model }),
    ...(generatedQuantities && { generatedQuantities }),
    span: { begin: first.span.begin, end: tokens.next.span.end },
  };
}

function parseFunctionFile(tokens: Tokens): Omit<Program, 'remarks'> {
  const first = tokens.next;
  const statements: FunctionDefinition[] = [];
  while (startsFunction(tokens.next.kind)) statements.push(parseFunction(tokens));
  if (!tokens.at('end')) tokens.fail(MESSAGES.functionFile);
  const span = { begin: first.span.begin, end: tokens.next.span.end };
  return { functions: { statements, span }, span };
}

function parseFunctionList(tokens: Tokens): readonly FunctionDefinition[] {
  const functions: FunctionDefinition[] = [];
  while (!tokens.takeIf('}')) {
    if (!startsFunction(tokens.next.kind)) {
      tokens.fail(functions.length === 0 ? MESSAGES.firstFunction : MESSAGES.nextFunction);
    }
    functions.push(parseFunction(tokens));
  }
  return functions;
}

function parseDeclarations(tokens: Tokens, missing?: string): readonly (Declaration | EmptyStatement)[] {
  const statements: (Declaration | EmptyStatement)[] = [];
  while (!tokens.takeIf('}')) {
    if (tokens.at(';')) statements.push({ kind: 'empty', span: tokens.take().span });
    else {
      if (!startsDeclaration(tokens.next.kind)) {
        const first = missing ?? INVALID_TYPE;
        tokens.fail(statements.length === 0 ? first : MESSAGES.declarationsOnly);
      }
      statements.push(parseDeclaration(tokens, 'input'));
    }
  }
  return statements;
}
