import { setFlagsFromString } from 'node:v8';

/**
 * How many bytes of bytecode a function runs before V8 optimizes it; V8's own value is 67,584. A compilation runs some two thousand
 * functions for a second and visits nodes of many shapes. With V8's value, optimizing these functions, each several times, takes half of
 * a large program's processor time. A loop of a sampler reaches this budget within some milliseconds.
 */
const BUDGET = 8 * 67584;

const FLAGS = [
  `--interrupt-budget=${BUDGET}`,
  // `gc` in new contexts, for src/service/garbage.ts
  '--expose-gc',
];

/**
 * Sets V8's flags that code of ours requires. They apply to the whole process. All are set together, and in bundles before any other code,
 * because V8 accepts stored code only under the flags with which it was made.
 */
export function setV8Flags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
