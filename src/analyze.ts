import { check } from './check/check.js';
import { type ProgramInfo, programInfo } from './check/info.js';
import { type PedanticOptions, pedanticWarnings } from './check/pedantic/pedantic.js';
import type { TypedProgram } from './check/typed.js';
import type { FunctionTable } from './functions/table.js';
import { FUNCTIONS } from './functions/table.js';
import { Names } from './ir/builder.js';
import { lower } from './lower/lower.js';
import type { Diagnostic } from './source/diagnostic.js';
import { format } from './syntax/format.js';
import type { FormatStyle } from './syntax/format-remarks.js';
import { type ParseResult, parse } from './syntax/parse.js';

export type { ProgramInfo, VariableInfo } from './check/info.js';

export interface AnalyzeOptions extends CheckOptions {
  /** The program's name in messages; Stan uses `string` if there is no file. */
  readonly name?: string;
  readonly includes?: ReadonlyMap<string, string>;
  /** Differences of the formatted text from stanc's default style. */
  readonly style?: Partial<FormatStyle>;
}

export interface CheckOptions extends PedanticOptions {
  readonly functions?: FunctionTable;
  /** Whether to include the warnings of stanc's `--warn-pedantic`. */
  readonly pedantic?: boolean;
  /** Whether to warn about valid Stan that this compiler does not support. This takes longer than the rest of the analysis. */
  readonly unsupported?: boolean;
  /** Whether functions may be declared and not defined, as with stanc's `--allow-undefined`. */
  readonly allowsUndefined?: boolean;
}

/** The errors and warnings of a program, and its contents. */
export interface Findings {
  readonly errors: readonly Diagnostic[];
  /** The default warnings, then the pedantic ones, then those about unsupported features. */
  readonly warnings: readonly Diagnostic[];
  /** The declarations and calls of a program without errors. */
  readonly info?: ProgramInfo;
}

/** The results of analyzing a program without compiling it. */
export interface Analysis extends Findings {
  /** The formatted text, if the program can be parsed, even if it has semantic errors. */
  readonly formatted?: string;
}

/** The language services on one page: parse, check, describe, format. */
export function analyze(text: string, { name = 'string', includes, style, ...options }: AnalyzeOptions = {}): Analysis {
  const parsed = parse({ name, text }, includes);
  const findings = findingsOf(parsed, options);
  return 'program' in parsed ? { ...findings, formatted: format(parsed.program, includes, style) } : findings;
}

/** Checks and describes a parsed program. Fast enough to run on every keystroke. */
export function findingsOf(parsed: ParseResult, options: CheckOptions = {}): Findings {
  const { allowsUndefined = false, functions = FUNCTIONS, pedantic = false, unsupported = false, ...others } = options;
  if ('diagnostics' in parsed) return { errors: parsed.diagnostics, warnings: [] };
  const checked = check(parsed.program, functions, { allowsUndefined });
  if ('diagnostics' in checked) {
    const { diagnostics } = checked;
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
    return { errors, warnings: [...parsed.warnings, ...warnings] };
  }
  const { program } = checked;
  const warnings = [
    ...parsed.warnings,
    ...checked.warnings,
    ...(pedantic ? pedanticWarnings(program, functions, others) : []),
    ...(unsupported ? unsupportedIn(program, functions) : []),
  ];
  return { errors: [], warnings, info: programInfo(program) };
}

/** Warnings about valid Stan that this compiler does not support; empty for a program with errors. Lowers the program. */
export function unsupportedFeatures(parsed: ParseResult, functions: FunctionTable = FUNCTIONS): readonly Diagnostic[] {
  const checked = 'program' in parsed ? check(parsed.program, functions) : parsed;
  return 'program' in checked ? unsupportedIn(checked.program, functions) : [];
}

function unsupportedIn(program: TypedProgram, functions: FunctionTable): readonly Diagnostic[] {
  const lowered = lower(program, functions, new Names());
  return 'diagnostics' in lowered ? lowered.diagnostics.map((found) => ({ ...found, severity: 'warning' })) : [];
}
