/**
 * Runs one script without access to anything outside: no network, storage or other workers. The server also forbids the network to this worker, by its
 * Content-Security-Policy.
 */
import { errorOf, runCell } from './cell.js';
import type { ScriptOrder, ScriptReport } from './script-output.js';

const post = self.postMessage.bind(self);
const report = (message: ScriptReport): void => post(message);

addEventListener('message', ({ data }: MessageEvent<ScriptOrder>) => void run(data), { once: true });
addEventListener('unhandledrejection', ({ reason }) => report({ output: errorOf(reason) }));

async function run(order: ScriptOrder): Promise<void> {
  if (/\bimport\b/.test(order.source)) {
    report({ output: { kind: 'error', message: order.faults.noImport } });
  } else {
    // Plot is loaded before the network is removed.
    const plotting = /\bPlot\b/.test(order.source) ? await import('@observablehq/plot') : undefined;
    isolate();
    await runCell(order, plotting, (output) => report({ output }));
  }
  report({});
}

/** Names of the worker's own scope that scripts may use. */
const ALLOWED =
  /^(?:console|performance|setTimeout|clearTimeout|queueMicrotask|structuredClone|crypto|atob|btoa|TextEncoder|TextDecoder)$/;

/** Removes what a worker's scope has beyond the language, and functions that evaluate texts. */
function isolate(): void {
  const scope: object = globalThis;
  for (
    let owner: object | null = scope;
    owner !== null && owner !== Object.prototype;
    owner = Object.getPrototypeOf(owner)
  ) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (ALLOWED.test(name) || LANGUAGE.has(name)) continue;
      Reflect.deleteProperty(owner, name);
      if (name in scope) Reflect.defineProperty(scope, name, { value: undefined });
    }
  }
  for (const sample of [() => undefined, async () => undefined, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(sample), 'constructor', { value: undefined });
  }
}

/** Globals of the language itself, without `eval` and `Function`. */
const LANGUAGE: ReadonlySet<string> = new Set(
  (
    'globalThis self Infinity NaN undefined isFinite isNaN parseFloat parseInt decodeURI decodeURIComponent encodeURI encodeURIComponent Array ' +
    'ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError Float32Array Float64Array Int8Array Int16Array ' +
    'Int32Array Intl Iterator JSON Map Math Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set String Symbol SyntaxError ' +
    'TypeError URIError Uint8Array Uint8ClampedArray Uint16Array Uint32Array WeakMap WeakRef WeakSet AggregateError constructor'
  ).split(' '),
);
