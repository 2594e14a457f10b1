import type { MemoryLimits } from '../run/model-host.js';

/** Memory limit of a model: WebAssembly addresses 4 GiB, and every engine supports half of it. */
export const LIMITS: MemoryLimits = { maximumMemory: 2 ** 31 };
