import type { CompilationOptions, ProgramSource } from '../chain/compiler.js';
import type { CompiledModel } from '../chain/model-host.js';
import { CompileError } from './errors.js';
import type { Threads } from './threads.js';

/** A compiled program with the bytes of its module. */
export interface Compiled {
  readonly model: CompiledModel;
  readonly wasm: Uint8Array<ArrayBuffer>;
  readonly warnings: string;
}

/** Compiles a program on a thread. Rejects with `CompileError` if it is not a valid Stan program. */
export async function compileOn(
  threads: Threads,
  source: ProgramSource,
  options: CompilationOptions,
  signal: AbortSignal | undefined,
): Promise<Compiled> {
  const order = { kind: 'compile', source, ...options } as const;
  const { compilation } = await threads.perform(order, 'compiled', { signal });
  if (!compilation.compiled) throw new CompileError(compilation.text, compilation.diagnostics);
  const { artifact, warnings, wasm } = compilation;
  return openCompiled(source, artifact, new Uint8Array(wasm), warnings);
}

/** Compiles the bytes of a module. */
export async function openCompiled(
  source: ProgramSource,
  artifact: string,
  wasm: Uint8Array<ArrayBuffer>,
  warnings: string,
): Promise<Compiled> {
  const module = await WebAssembly.compile(wasm);
  return { model: { id: source.name ?? 'string', artifact, module, wasm }, wasm, warnings };
}
