/** Leapfrog's compiler as part of an engine. */

import { analyze } from '../analyze.js';
import type { Compilation, CompilationOptions, Compiler, DiagnosticDetail, ProgramSource } from '../chain/compiler.js';
import { type CompileOptions, type CompileSuccess, compile, isCompiled } from '../compile.js';
import type { DerivedKind } from '../derive/derived-names.js';
import { deriveQuantities } from '../derive/derived-quantities.js';
import { costDetail, explain } from '../explain.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { renderDiagnostic } from '../source/render.js';
import type { KernelLibrary } from '../wasm/kernels.js';

/** Options of Leapfrog's compiler: omit passes, print the IR, and log the time of each pass. */
interface PassOptions extends Pick<CompileOptions, 'without' | 'observe'> {
  readonly timePasses?: boolean;
}

export interface LeapfrogCompiler extends Compiler {
  compile(source: ProgramSource, options?: CompilationOptions & PassOptions): Compilation;
}

/** Leapfrog's compiler, with the kernels that it links. */
export function leapfrogCompiler(library: KernelLibrary): LeapfrogCompiler {
  return {
    compile(given, { derived, timePasses = false, ...options } = {}) {
      const source = derived === undefined ? given : derive(given, derived);
      if ('diagnostics' in source) return source;
      const result = compile(source.program, library, { ...options, ...optionsOf(source) });
      if (!isCompiled(result)) {
        return { compiled: false, text: result.text, diagnostics: result.diagnostics.map(detailOf) };
      }
      const { artifact, wasm } = result;
      const warnings = result.warnings.map(renderDiagnostic).join('\n');
      return {
        compiled: true,
        artifact: JSON.stringify(artifact),
        wasm,
        warnings,
        log: compileLog(result) + (timePasses ? passLog(result) : ''),
      };
    },
    describe(source, pedantic, explains = false) {
      const { errors, warnings, ...rest } = analyze(source.program, {
        ...optionsOf(source),
        pedantic,
        unsupported: true,
      });
      const costs = explains ? explain(source.program, optionsOf(source)) : null;
      return {
        errors: errors.map(detailOf),
        warnings: warnings.map(detailOf),
        ...rest,
        ...(costs !== null && { costs: costs.map(costDetail) }),
      };
    },
  };
}

/** The program derived from the given one, or the reason why it cannot be derived. */
function derive(source: ProgramSource, kind: DerivedKind): ProgramSource | Extract<Compilation, { compiled: false }> {
  const { includes, name = 'string', program } = source;
  const derived = deriveQuantities({ name, text: program, includes }, kind);
  if ('text' in derived) return { ...source, program: derived.text, includes: derived.includes };
  return {
    compiled: false,
    text: derived.map(renderDiagnostic).join('\n'),
    diagnostics: derived.map(detailOf),
  };
}

function optionsOf({ name, includes }: ProgramSource) {
  return { ...(name !== undefined && { name }), includes: new Map(Object.entries(includes)) };
}

function detailOf(diagnostic: Diagnostic): DiagnosticDetail {
  const { kind, severity, code, message, suggestion, hint, span } = diagnostic;
  const { begin, end } = span;
  return {
    kind,
    severity,
    code,
    message,
    ...(suggestion !== undefined && { suggestion }),
    ...(hint === undefined ? {} : { hint }),
    text: renderDiagnostic(diagnostic),
    file: begin.file.name,
    line: begin.line,
    column: begin.column,
    end_line: end.line,
    end_column: end.column,
  };
}

/** The time of each stage, and the size of the module. */
function compileLog({ stages, wasm }: CompileSuccess): string {
  const total = stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const lines = [...stages, { name: 'total', milliseconds: total }].map(
    ({ name, milliseconds }) => `${name.padEnd(14)}${milliseconds.toFixed(1).padStart(8)} ms`,
  );
  return [...lines, `${'module'.padEnd(14)}${String(wasm.length).padStart(8)} bytes`, ''].join('\n');
}

/** The time and the number of runs of each pass, the slowest pass first. */
function passLog({ passes }: CompileSuccess): string {
  return [...passes]
    .sort((a, b) => b.milliseconds - a.milliseconds)
    .map(
      ({ name, runs, milliseconds }) =>
        `${name.padEnd(22)}${milliseconds.toFixed(1).padStart(8)} ms ${String(runs).padStart(4)} ×\n`,
    )
    .join('');
}
