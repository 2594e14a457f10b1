/** Thread that compiles and describes programs, calls their functions, measures their gradients, and runs chains. */

import type { Compiler } from '../chain/compiler.js';
import { leapfrogModels, type Sharing } from '../chain/leapfrog-models.js';
import type { ModelHost } from '../chain/model-host.js';
import { refusalOf } from '../chain/refusal.js';
import { FunctionCaller } from '../engine/calls/function-call.js';
import { leapfrogCompiler } from '../engine/leapfrog-compiler.js';
import { profileProgram } from '../engine/program-profile.js';
import { logEvidenceOf } from '../studies/evidence.js';
import { crossValidateMatched } from '../studies/moment-match.js';
import { observedIn } from '../studies/observed-outcomes.js';
import { readKernels } from '../wasm/kernels.js';
import { Answering } from './answering.js';
import { LIMITS } from './limits.js';
import type { Say } from './platform.js';
import type { Order, Result } from './protocol.js';
import { performOn } from './runner-thread.js';

interface Tools {
  readonly compiler: Compiler;
  readonly host: ModelHost;
  readonly caller: FunctionCaller;
}

/** Handles messages one after another. Call it with each incoming message. */
export function compilerThread(say: Say, sharing?: Sharing): (order: Order) => void {
  const answering = new Answering<Tools>(say);
  return (order) =>
    answering.answer(() => {
      if (order.kind === 'set up compiler') {
        const { linear, math } = order.kernels;
        const compiler = leapfrogCompiler(readKernels(math, linear));
        const host = leapfrogModels(order.linear, sharing);
        return answering.setUp({ compiler, host, caller: new FunctionCaller(compiler, host) });
      }
      const { host } = answering.tool;
      try {
        return perform(answering.tool, order, say);
      } catch (error) {
        const refusal = refusalOf(host, error);
        if (refusal === undefined) throw error;
        return refusal;
      }
    });
}

function perform({ caller, compiler, host }: Tools, order: Order, say: Say): Result {
  switch (order.kind) {
    case 'compile':
      return { kind: 'compiled', compilation: compiler.compile(order.source, order) };
    case 'describe':
      return { kind: 'described', description: compiler.describe(order.source, order.pedantic, order.explain) };
    case 'call':
      return { kind: 'called', value: caller.call(order.call, LIMITS) };
    case 'profile':
      return { kind: 'profiled', profile: profileProgram(compiler, host, order.request, LIMITS) };
    case 'match moments':
      return { kind: 'matched', loo: crossValidateMatched(compiler, host, order.request, LIMITS) };
    case 'estimate evidence':
      return { kind: 'estimated evidence', evidence: logEvidenceOf(compiler, host, order.request, LIMITS) };
    case 'observe':
      return { kind: 'observed', observed: observedIn(order.request) };
    default: {
      const result = performOn(host, order, say);
      if (result === undefined) throw new Error(`unexpected message to a compiler thread: ${order.kind}`);
      return result;
    }
  }
}
