/** Our own engine as the service sees it. Loaded by worker threads alone. */
import { type CompileSuccess, compile, isCompiled } from '../../compile.js';
import { ModelError, Rejection } from '../../model/errors.js';
import { instantiate } from '../../model/model.js';
import { loadKernels } from '../../node/kernels.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { renderDiagnostic } from '../../source/render.js';
import type { Artifact } from '../../wasm/artifact.js';
import type { Engine } from './engine.js';

const kernels = loadKernels();
const linear = new WebAssembly.Module(kernels.linear);

export const engine: Engine = {
  compile(program) {
    const result = compile(program, kernels.library);
    if (!isCompiled(result)) {
      return { compiled: false, text: result.text, diagnostics: result.diagnostics.map(diagnosticDetail) };
    }
    const { artifact, wasm } = result;
    const warnings = result.warnings.map(renderDiagnostic).join('\n');
    return { compiled: true, artifact: JSON.stringify(artifact), wasm, warnings, log: compileLog(result) };
  },
  instantiate(text, module, data, options) {
    const artifact: Artifact = JSON.parse(text);
    return instantiate(artifact, module, linear, data, options);
  },
  blame(error) {
    if (error instanceof Rejection) return { kind: 'rejection', message: error.message };
    if (error instanceof ModelError) return { kind: 'error', message: error.message };
    return undefined;
  },
};

/** A diagnostic as an entry of an error's details. Lines count from 1, columns from 0 in bytes. */
function diagnosticDetail({ kind, severity, message, hint, span }: Diagnostic): object {
  const { begin, end } = span;
  return {
    field: '/program_code',
    message,
    ...(hint === undefined ? {} : { hint }),
    kind,
    severity,
    file: begin.file.name,
    line: begin.line,
    column: begin.column,
    end_line: end.line,
    end_column: end.column,
  };
}

/** Each stage with its time, and the size of what was made. */
function compileLog({ stages, wasm }: CompileSuccess): string {
  const total = stages.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const lines = [...stages, { name: 'total', milliseconds: total }].map(
    ({ name, milliseconds }) => `${name.padEnd(14)}${milliseconds.toFixed(1).padStart(8)} ms`,
  );
  return [...lines, `${'module'.padEnd(14)}${String(wasm.length).padStart(8)} bytes`, ''].join('\n');
}
