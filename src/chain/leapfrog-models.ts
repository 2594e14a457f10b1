/** Leapfrog's models as part of an engine. They run compiled programs without a compiler. */

import { alternativeOf, instantiateChosen } from '../model/alternative.js';
import { MemoryShortage, ModelError, OutOfMemory, Rejection } from '../model/errors.js';
import type { FailureDetail } from '../model/failure-detail.js';
import { instantiateBound } from '../model/model.js';
import { instantiateInPlace, sharedModule } from '../model/model-in-region.js';
import type { Artifact } from '../wasm/artifact.js';
import { type Blame, declaredOutputs, type ModelHost, type SliceThreads } from './model-host.js';

/** The resources that a host needs to share work and data with other threads, on platforms with threads. */
export interface Sharing {
  readonly sliceThreads: SliceThreads;
  /** The bytes of the kernel module. */
  readonly loadLinear: () => Uint8Array;
}

/** The cause of a failed evaluation. Its detail is computed on demand, because samplers reject many points. */
class ModelBlame implements Blame {
  readonly kind: Blame['kind'];
  readonly message: string;
  private readonly error: Rejection | ModelError;

  constructor(error: Rejection | ModelError) {
    this.kind = error instanceof Rejection ? 'rejection' : 'error';
    this.message = error.message;
    this.error = error;
  }

  get detail(): FailureDetail {
    return this.error.detail;
  }
}

/** `linear` is the module of linear-algebra kernels. */
export function leapfrogModels(linear: WebAssembly.Module, sharing?: Sharing): ModelHost {
  let sharedLinear: WebAssembly.Module | undefined;
  return {
    ...(sharing !== undefined && { sliceThreads: sharing.sliceThreads }),
    outputs: declaredOutputs,
    instantiate({ artifact: text, module }, data, options) {
      const artifact: Artifact = JSON.parse(text);
      return instantiateChosen({ artifact, module, linear }, data, options);
    },
    instantiateBound({ artifact: text, module: given, wasm: bytes }, data, options) {
      const whole: Artifact = JSON.parse(text);
      const { declinedFactor } = data;
      const other =
        declinedFactor === undefined ? undefined : alternativeOf({ artifact: whole, module: given }, declinedFactor);
      const { artifact, module, wasm } = other ?? { artifact: whole, module: given, wasm: bytes };
      if (sharing !== undefined && wasm !== undefined) {
        const inPlace = () => {
          sharedLinear ??= sharedModule(sharing.loadLinear());
          return { module: sharedModule(wasm), linear: sharedLinear };
        };
        const model = instantiateInPlace({ artifact, module, linear }, inPlace, data, options);
        if (model !== undefined) return model;
      }
      return instantiateBound(artifact, module, linear, data, options);
    },
    blame(error) {
      if (error instanceof Rejection || error instanceof ModelError) return new ModelBlame(error);
      return undefined;
    },
    isOverLimit: (error) => error instanceof OutOfMemory,
    isShortage: (error) => error instanceof MemoryShortage,
  };
}
