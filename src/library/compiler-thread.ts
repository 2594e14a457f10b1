/** The work of a thread that compiles and describes programs, and calls their functions. */

import { FunctionCaller } from '../run/calls/function-call.js';
import type { Compiler } from '../run/in-process.js';
import { leapfrogCompiler } from '../run/leapfrog-compiler.js';
import { leapfrogModels } from '../run/leapfrog-models.js';
import type { ModelHost } from '../run/model-host.js';
import { refusalOf } from '../run/refusal.js';
import { readKernels } from '../wasm/kernels.js';
import { Answering } from './answering.js';
import { LIMITS } from './limits.js';
import type { KernelBytes, Say } from './platform.js';
import type { Called, CompilerJob, Order } from './protocol.js';

/** Handles orders one after another; call it with each incoming order. */
export function compilerThread(say: Say): (order: Order) => void {
  const answering = new Answering<Tools>(say);
  return (order) =>
    answering.answer(() => {
      switch (order.kind) {
        case 'set up compiler':
          return answering.setUp(new Tools(order.kernels));
        case 'compile':
          return { kind: 'compiled', compilation: answering.tool.compiler.compile(order.source, order) };
        case 'describe':
          return {
            kind: 'described',
            description: answering.tool.compiler.describe(order.source, order.pedantic, order.explain),
          };
        case 'call':
          return { kind: 'called', value: answering.tool.call(order) };
        default:
          throw new Error(`a compiler thread received the order ${order.kind}`);
      }
    });
}

class Tools {
  readonly compiler: Compiler;
  private readonly linear: KernelBytes['linear'];
  /** The caller of functions, created for the first call. */
  private calling: { readonly caller: FunctionCaller; readonly host: ModelHost } | undefined;

  constructor({ linear, math }: KernelBytes) {
    this.compiler = leapfrogCompiler(readKernels(math, linear));
    this.linear = linear;
  }

  call({ call }: Extract<CompilerJob, { readonly kind: 'call' }>): Called {
    this.calling ??= this.open();
    const { caller, host } = this.calling;
    try {
      return { kind: 'value', value: caller.call(call, LIMITS) };
    } catch (error) {
      const refusal = refusalOf(host, error);
      if (refusal?.kind !== 'refused') throw error;
      return refusal;
    }
  }

  private open() {
    const host = leapfrogModels(new WebAssembly.Module(this.linear));
    return { host, caller: new FunctionCaller(this.compiler, host) };
  }
}
