import type { MemoryLimits } from '../chain/model-host.js';

/** Memory limit of a model. WebAssembly can address 4 GiB; every engine supports half of that. */
export const LIMITS: MemoryLimits = { maximumMemory: 2 ** 31 };
