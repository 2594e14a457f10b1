import { setFlagsFromString } from 'node:v8';

/** V8's number of bytes of bytecode that a function runs before V8 optimizes it. */
const DEFAULT_BUDGET = 67584;

/**
 * Our number of them. A compilation runs about two thousand functions for a second and visits nodes of many shapes. With the default, optimizing these
 * functions, each several times, takes half of a large program's processor time. A loop of a sampler reaches this budget within milliseconds.
 */
const BUDGET = 8 * DEFAULT_BUDGET;

/** V8 12, of Node 22, multiplies a function's length by 3,000 instead, has no such flag, and prints an error for it. */
const hasBudget = Number.parseInt(process.versions.v8, 10) < 12;

/**
 * Sets the flags of V8 that our code requires. They apply to the whole process.
 *
 * V8 accepts stored code only under the flags with which it was created. This includes the code of Node's own modules, without which a thread takes
 * twice as long to start. The flags are therefore set only after code has been loaded, and reset before a thread is started, which sets them again.
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
