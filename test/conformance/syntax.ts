import { readFileSync } from 'node:fs';
import { check } from '../../src/check/check.js';
import { FUNCTIONS } from '../../src/functions/table.js';
import type { Diagnostic } from '../../src/source/diagnostic.js';
import { parse } from '../../src/syntax/parse.js';
import { Comparison, type Outcome, unsupported } from './outcome.js';

interface Case {
  readonly id: string;
  readonly program: string;
  readonly includes?: Readonly<Record<string, string>>;
  readonly verdict: 'accepted' | 'rejected';
  readonly error?: { readonly kind: string; readonly line: number; readonly column: number; readonly message: string };
}

/** Runs every case of a file of syntax cases: the verdict, and kind and place of the error. */
export function* runSyntax(file: string, only: RegExp): Generator<Outcome> {
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line.trim() === '') continue;
    const test: Case = JSON.parse(line);
    if (only.test(test.id)) yield runCase(test);
  }
}

function runCase(test: Case): Outcome {
  const comparison = new Comparison();
  try {
    const found = diagnose(test);
    if (found?.kind === 'unsupported') return unsupported(test.id, found.message);
    comparison.equal('verdict', found === null ? 'accepted' : 'rejected', test.verdict);
    if (found !== null && test.error !== undefined) {
      const { line, column } = found.span.begin;
      comparison.equal('kind', found.kind, test.error.kind);
      comparison.equal('place', { line, column }, { line: test.error.line, column: test.error.column });
    }
    if (comparison.details.length > 0 && found !== null) comparison.fail(found.message.split('\n')[0]);
  } catch (error) {
    comparison.fail(
      `internal error: ${error instanceof Error ? (error.stack ?? '').split('\n').slice(0, 3).join(' | ') : String(error)}`,
    );
  }
  return comparison.outcome(test.id);
}

function diagnose(test: Case): Diagnostic | null {
  const parsed = parse({ name: 'program.stan', text: test.program }, new Map(Object.entries(test.includes ?? {})));
  if ('diagnostics' in parsed) return parsed.diagnostics[0];
  const checked = check(parsed.program, FUNCTIONS);
  return 'diagnostics' in checked ? checked.diagnostics[0] : null;
}
