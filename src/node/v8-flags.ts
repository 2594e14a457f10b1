import { setFlagsFromString } from 'node:v8';

/**
 * Bytes of bytecode that a function runs before V8 optimizes it; V8's default is 67,584. A compilation runs about two thousand functions for a second
 * and visits nodes of many shapes. With the default, optimizing these functions, each several times, takes half of a large program's processor time.
 * A loop of a sampler reaches this budget within milliseconds.
 */
const BUDGET = 8 * 67584;

/** V8 12, of Node 22, multiplies a function's length by 3,000 instead, has no such flag, and prints an error for it. */
const hasBudget = Number.parseInt(process.versions.v8, 10) < 12;

const FLAGS = [
  ...(hasBudget ? [`--interrupt-budget=${BUDGET}`] : []),
  // `gc` in new contexts, for src/service/garbage.ts
  '--expose-gc',
];

/**
 * Sets the flags of V8 that our code requires. They apply to the whole process. All are set at once, and in bundles before any other code runs,
 * because V8 accepts stored code only under the flags with which it was created.
 */
export function setV8Flags(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
