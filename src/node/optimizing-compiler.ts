import { setFlagsFromString } from 'node:v8';

/**
 * How many bytes of bytecode a function runs before V8 optimizes it; V8's own value is 67,584. A compilation runs some two thousand
 * functions for a second and visits nodes of many shapes. With V8's value, optimizing these functions, each several times, takes half of
 * a large program's processor time.
 */
const BUDGET = 8 * 67584;

/** Makes V8 optimize later. Applies to the whole process; a loop of a sampler reaches the budget within some milliseconds. */
export function delayOptimization(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET}`);
}
