import { join } from 'node:path';
import { type Analysis, analyze } from '../../src/analyze.js';
import type { Diagnostic } from '../../src/source/diagnostic.js';
import { renderDiagnostic } from '../../src/source/render.js';
import { ROOT } from '../project/tree.js';
import { readCases } from '../reference/stan.js';
import { Comparison, type Outcome, unsupported } from './outcome.js';

interface Case {
  readonly id: string;
  readonly program: string;
  readonly includes?: Readonly<Record<string, string>>;
  readonly verdict: 'accepted' | 'rejected';
  readonly error?: ReferenceError;
  /** The default warnings, as stanc prints them. */
  readonly warnings?: readonly string[];
  /** The warnings of `--warn-pedantic`, without the default ones. */
  readonly pedantic?: readonly string[];
  readonly info?: object;
  readonly formatted?: string;
}

interface ReferenceError {
  readonly kind: string;
  readonly line: number;
  readonly column: number;
  readonly end_line?: number;
  readonly end_column?: number;
  readonly file?: string;
  /** The entire text: headline, excerpt and message. */
  readonly message: string;
}

/** The error of a stanc that is newer than the one that recorded the case. */
interface Newer {
  readonly id: string;
  readonly source: 'stanc 2.40';
  readonly error: ReferenceError;
}

/** Runs every case of a file of syntax cases. Each field of the result is compared and counted separately. */
export function* runSyntax(file: string, only: RegExp): Generator<Outcome> {
  const newer = new Map(readCases<Newer>(NEWER).map(({ id, error }) => [id, error]));
  for (const test of readCases<Case>(file)) {
    if (only.test(test.id)) yield runCase({ ...test, error: newer.get(test.id) ?? test.error });
  }
}

const NEWER = join(ROOT, 'test/conformance/stanc-2.40.jsonl');

function runCase(test: Case): Outcome {
  const comparison = new Comparison();
  try {
    const found = analyzeCase(test, false);
    const [error] = found.errors;
    if (error?.kind === 'unsupported') return unsupported(test.id, error.message);
    comparison.field('verdict', error === undefined ? 'accepted' : 'rejected', test.verdict);
    if (error === undefined) compareAccepted(comparison, found, test);
    else if (test.error === undefined) comparison.fail(renderDiagnostic(error));
    else compareErrors(comparison, error, test.error);
  } catch (error) {
    comparison.fail(
      `internal error: ${error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' | ') : String(error)}`,
    );
  }
  return comparison.outcome(test.id);
}

function compareAccepted(comparison: Comparison, found: Analysis, test: Case): void {
  if (test.warnings !== undefined) {
    comparison.field('warnings', textsOf(found.warnings), test.warnings.map(plain));
  }
  if (test.pedantic !== undefined) {
    const pedantic = textsOf(analyzeCase(test, true).warnings).slice(found.warnings.length);
    comparison.field('pedantic', pedantic, test.pedantic.map(plain));
  }
  if (test.info !== undefined) comparison.field('info', found.info, test.info);
  if (test.formatted !== undefined) comparison.field('formatted', found.formatted, test.formatted);
}

function analyzeCase({ program, includes = {} }: Case, pedantic: boolean): Analysis {
  return analyze(program, { name: 'program.stan', includes: new Map(Object.entries(includes)), pedantic });
}

function textsOf(diagnostics: readonly Diagnostic[]): readonly string[] {
  return diagnostics.map((diagnostic) => plain(renderDiagnostic(diagnostic)));
}

function compareErrors(comparison: Comparison, found: Diagnostic, expected: ReferenceError): void {
  const { begin, end } = found.span;
  const text = plain(renderDiagnostic(found));
  const expectedText = plain(expected.message);
  comparison.field('kind', found.kind, expected.kind);
  comparison.field(
    'place',
    { line: begin.line, column: begin.column, ...(expected.file !== undefined && { file: begin.file.name }) },
    { line: expected.line, column: expected.column, ...(expected.file !== undefined && { file: expected.file }) },
  );
  if (expected.end_line !== undefined) {
    const expectedEnd = { line: expected.end_line, column: expected.end_column };
    comparison.field('end', { line: end.line, column: end.column }, expectedEnd);
  }
  comparison.field('headline', firstLine(text), firstLine(expectedText));
  comparison.field('message', firstLine(afterExcerpt(text)), firstLine(afterExcerpt(expectedText)));
  comparison.field('text', text, expectedText);
}

/** In the reference, included files have paths in the working folder; here they have only names. */
function plain(text: string): string {
  return text.replaceAll("'./", "'");
}

function firstLine(text: string): string {
  return text.split('\n')[0];
}

/** The message below the excerpt of the program. */
function afterExcerpt(text: string): string {
  return text.slice(text.lastIndexOf('   -----')).split('\n').slice(1).join('\n').trim();
}
