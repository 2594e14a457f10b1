/** Leapfrog's models as part of an engine, which can run compiled programs without a compiler. */
import { MemoryShortage, ModelError, OutOfMemory, Rejection } from '../model/errors.js';
import { instantiate, instantiateBound } from '../model/model.js';
import type { Artifact } from '../wasm/artifact.js';
import { declaredOutputs, type ModelHost } from './model-host.js';
import type { SliceThreads } from './slice-helper.js';

/** `linear` is the module of linear-algebra kernels, `sliceThreads` evaluate slices. */
export function leapfrogModels(linear: WebAssembly.Module, sliceThreads?: SliceThreads): ModelHost {
  return {
    ...(sliceThreads !== undefined && { sliceThreads }),
    outputs: declaredOutputs,
    instantiate({ artifact: text, module }, data, options) {
      const artifact: Artifact = JSON.parse(text);
      return instantiate(artifact, module, linear, data, options);
    },
    instantiateBound({ artifact: text, module }, data, options) {
      const artifact: Artifact = JSON.parse(text);
      return instantiateBound(artifact, module, linear, data, options);
    },
    blame(error) {
      if (error instanceof Rejection) return { kind: 'rejection', message: error.message };
      if (error instanceof ModelError) return { kind: 'error', message: error.message };
      return undefined;
    },
    isOverLimit: (error) => error instanceof OutOfMemory,
    isShortage: (error) => error instanceof MemoryShortage,
  };
}
