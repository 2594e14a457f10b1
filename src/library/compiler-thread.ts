/** Thread that compiles and describes programs, calls their functions, measures their gradients, and runs chains. */

import type { Compiler } from '../chain/compiler.js';
import { leapfrogModels, type Sharing } from '../chain/leapfrog-models.js';
import type { ModelHost } from '../chain/model-host.js';
import { refusalOf } from '../chain/refusal.js';
import { type FunctionCall, FunctionCaller, type FunctionValue } from '../engine/calls/function-call.js';
import { leapfrogCompiler } from '../engine/leapfrog-compiler.js';
import { type ProfileRequest, type ProgramProfile, profileProgram } from '../engine/program-profile.js';
import type { LeaveOneOut } from '../fits/cross-validation.js';
import { type EvidenceRequest, type LogEvidence, logEvidenceOf } from '../studies/evidence.js';
import { crossValidateMatched, type MatchRequest } from '../studies/moment-match.js';
import { observedIn } from '../studies/observed-outcomes.js';
import { readKernels } from '../wasm/kernels.js';
import { Answering } from './answering.js';
import { LIMITS } from './limits.js';
import type { Say } from './platform.js';
import type { Answered, KernelBytes, Order } from './protocol.js';
import { performOn } from './runner-thread.js';

/** Handles messages one after another. Call it with each incoming message. */
export function compilerThread(say: Say, sharing?: Sharing): (order: Order) => void {
  const answering = new Answering<Tools>(say);
  return (order) =>
    answering.answer(() => {
      switch (order.kind) {
        case 'match moments':
          return { kind: 'matched', loo: answering.tool.crossValidate(order.request) };
        case 'estimate evidence':
          return { kind: 'estimated evidence', evidence: answering.tool.logEvidence(order.request) };
        case 'observe':
          return { kind: 'observed', observed: observedIn(order.request) };
        case 'set up compiler':
          return answering.setUp(new Tools(order.kernels, leapfrogModels(order.linear, sharing)));
        case 'compile':
          return { kind: 'compiled', compilation: answering.tool.compiler.compile(order.source, order) };
        case 'describe':
          return {
            kind: 'described',
            description: answering.tool.compiler.describe(order.source, order.pedantic, order.explain),
          };
        case 'call':
          return { kind: 'called', value: answering.tool.call(order.call) };
        case 'profile':
          return { kind: 'profiled', profile: answering.tool.profile(order.request) };
        default: {
          const result = performOn(answering.tool.host, order, say);
          if (result === undefined) throw new Error(`unexpected message to a compiler thread: ${order.kind}`);
          return result;
        }
      }
    });
}

class Tools {
  readonly compiler: Compiler;
  readonly host: ModelHost;
  /** Created on first use. */
  private caller: FunctionCaller | undefined;

  constructor({ linear, math }: KernelBytes, host: ModelHost) {
    this.compiler = leapfrogCompiler(readKernels(math, linear));
    this.host = host;
  }

  call(call: FunctionCall): Answered<FunctionValue> {
    return this.answer(() => {
      this.caller ??= new FunctionCaller(this.compiler, this.host);
      return this.caller.call(call, LIMITS);
    });
  }

  profile(request: ProfileRequest): Answered<ProgramProfile> {
    return this.answer(() => profileProgram(this.compiler, this.host, request, LIMITS));
  }

  crossValidate(request: MatchRequest): Answered<LeaveOneOut> {
    return this.answer(() => crossValidateMatched(this.compiler, this.host, request, LIMITS));
  }

  logEvidence(request: EvidenceRequest): Answered<LogEvidence> {
    return this.answer(() => logEvidenceOf(this.compiler, this.host, request, LIMITS));
  }

  private answer<Value>(work: () => Value): Answered<Value> {
    try {
      return { kind: 'value', value: work() };
    } catch (error) {
      const refusal = refusalOf(this.host, error);
      if (refusal?.kind !== 'refused') throw error;
      return refusal;
    }
  }
}
