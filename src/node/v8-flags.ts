import { setFlagsFromString } from 'node:v8';

/** V8's default number of bytes of bytecode that a function runs before V8 optimizes it. */
const DEFAULT_BUDGET = 67584;

/**
 * Leapfrog's value. A compilation runs about two thousand functions for a second and visits nodes of many shapes. With
 * the default, V8 optimizes each of these functions several times, which takes half of the processor time of a large
 * program. A loop of a sampler reaches this budget within milliseconds.
 */
const BUDGET = 8 * DEFAULT_BUDGET;

/** V8 12, of Node 22, multiplies a function's length by 3,000 instead, has no such flag, and prints an error for it. */
const hasBudget = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * Sets the V8 flags that Leapfrog's code requires. They apply to the whole process.
 *
 * V8 accepts stored code only under the flags with which it was created. This includes the stored code of Node's
 * modules, without which a thread takes twice as long to start. The flags are therefore set only after code has been
 * loaded, and are reset before a thread is started. The thread then sets them again.
 */
export function setV8Flags(): void {
  setBudget(BUDGET);
}

export function resetV8Flags(): void {
  setBudget(DEFAULT_BUDGET);
}

function setBudget(bytes: number): void {
  if (hasBudget) setFlagsFromString(`--interrupt-budget=${bytes}`);
}
