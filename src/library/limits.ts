import type { MemoryLimits } from '../run/model-host.js';

/** What a model may take: WebAssembly addresses 4 GiB, and half of it is what every engine gives. */
export const LIMITS: MemoryLimits = { maximumMemory: 2 ** 31 };
