import type { CompilationOptions, ProgramSource } from '../run/engine.js';
import type { CompiledModel } from '../run/model-host.js';
import { CompileError } from './errors.js';
import type { Threads } from './threads.js';

/** Has a thread compile a program. Rejects with `CompileError` for what is not right Stan. */
export async function compileOn(
  threads: Threads,
  source: ProgramSource,
  options: CompilationOptions,
  signal: AbortSignal | undefined,
): Promise<{ readonly model: CompiledModel; readonly warnings: string }> {
  const order = { kind: 'compile', source, ...options } as const;
  const { compilation } = await threads.perform(order, 'compiled', { signal });
  if (!compilation.compiled) throw new CompileError(compilation.text, compilation.diagnostics);
  const { artifact, warnings, wasm } = compilation;
  const module = await WebAssembly.compile(new Uint8Array(wasm));
  return { model: { id: source.name ?? 'string', artifact, module }, warnings };
}
