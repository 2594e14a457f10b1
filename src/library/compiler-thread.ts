/** What a thread does that compiles and describes programs. */

import type { Compiler } from '../run/in-process.js';
import { leapfrogCompiler } from '../run/leapfrog-compiler.js';
import { readKernels } from '../wasm/kernels.js';
import { Answering } from './answering.js';
import type { Say } from './platform.js';
import type { Order } from './protocol.js';

/** Takes orders one after the other; to be called with each that comes. */
export function compilerThread(say: Say): (order: Order) => void {
  const answering = new Answering<Compiler>(say);
  return (order) =>
    answering.answer(() => {
      switch (order.kind) {
        case 'set up compiler': {
          const { linear, math } = order.kernels;
          return answering.setUp(leapfrogCompiler(readKernels(math, linear)));
        }
        case 'compile':
          return { kind: 'compiled', compilation: answering.tool.compile(order.source, order) };
        case 'describe':
          return { kind: 'described', description: answering.tool.describe(order.source, order.pedantic) };
        default:
          throw new Error(`a compiler thread received the order ${order.kind}`);
      }
    });
}
