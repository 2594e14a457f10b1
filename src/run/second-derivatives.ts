import { findAlgorithm } from '../inference/algorithms/registry.js';
import type { Compiler } from './in-process.js';
import type { RunRequest } from './request.js';

/**
 * The same request with a module that has second derivatives, for functions that use them: its program is compiled again, because stored
 * modules have none. If the source is unknown or no longer compiles, the model is unchanged.
 */
export function withSecondDerivatives(compiler: Compiler, functionName: string, request: RunRequest): RunRequest {
  const { model, source } = request;
  if (source === undefined || !takesHessian(functionName)) return request;
  const compilation = compiler.compile(source, { secondDerivatives: true });
  if (!compilation.compiled) return request;
  const module = new WebAssembly.Module(new Uint8Array(compilation.wasm));
  return { ...request, model: { ...model, artifact: compilation.artifact, module } };
}

/** Whether a function uses second derivatives of models. */
export function takesHessian(functionName: string): boolean {
  return findAlgorithm(functionName)?.takesHessian === true;
}
