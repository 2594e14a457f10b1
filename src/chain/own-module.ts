import { findAlgorithm } from '../inference/algorithms/registry.js';
import type { CompilationOptions, Compiler, ProgramSource } from './compiler.js';
import type { CompiledModel } from './model-host.js';
import type { RunRequest } from './request.js';

/** A module that was compiled for a run. */
interface OwnModule {
  /** Program and options as text. */
  readonly key: string;
  /** Absent if the program does not compile. */
  readonly model?: Pick<CompiledModel, 'artifact' | 'module' | 'wasm'>;
}

/** The last module of each compiler: the next run is often another chain of the same fit. */
const last = new WeakMap<Compiler, OwnModule>();

/**
 * The request with the module that the function needs. The program is compiled again, because stored modules have no second derivatives, no
 * learned coordinates, no integrated parameters and no slices. If the source is unknown or no longer compiles, the model is unchanged.
 */
export function withOwnModule(compiler: Compiler, functionName: string, request: RunRequest): RunRequest {
  const { derived, model, source } = request;
  const options = moduleOptions(functionName, request.arguments);
  if (source === undefined || options === undefined) return request;
  if (typeof request.data !== 'string') throw new Error('data were bound to another module');
  const own = compiled(compiler, source, { ...options, ...(derived && { derived }) });
  return own === undefined ? request : { ...request, model: { ...model, ...own } };
}

function compiled(compiler: Compiler, source: ProgramSource, options: CompilationOptions): OwnModule['model'] {
  const key = JSON.stringify([source, options]);
  const known = last.get(compiler);
  if (known?.key === key) return known.model;
  const compilation = compiler.compile(source, options);
  if (!compilation.compiled) {
    last.set(compiler, { key });
    return undefined;
  }
  const wasm = new Uint8Array(compilation.wasm);
  const model = { artifact: compilation.artifact, module: new WebAssembly.Module(wasm), wasm };
  last.set(compiler, { key, model });
  return model;
}

/** The compile options for a function with these arguments, which need not include defaults; undefined if the stored module suffices. */
export function moduleOptions(
  functionName: string,
  given: Readonly<Record<string, unknown>>,
): CompilationOptions | undefined {
  const algorithm = findAlgorithm(functionName);
  const settingOf = (name: string): unknown =>
    given[name] ?? algorithm?.arguments.find((argument) => argument.name === name)?.default;
  const integrates = algorithm?.samplesCoefficients === true ? 'integratesEffects' : 'integrates';
  const options = {
    ...(algorithm?.takesHessian === true && { secondDerivatives: true }),
    ...(settingOf('reparameterize') === 'auto' && { reparameterizes: true }),
    ...(settingOf('integrate') === 'auto' && { [integrates]: true }),
    ...(given.threads_per_chain !== undefined && { slices: true }),
  };
  return Object.keys(options).length === 0 ? undefined : options;
}
