/** Thread that runs compiled programs. It does not load the compiler. */

import { leapfrogModels, type Sharing } from '../chain/leapfrog-models.js';
import { storedDraws } from '../chain/memory-draws.js';
import type { ModelHost } from '../chain/model-host.js';
import type { RunInput, RunInputs, RunOutcome } from '../chain/request.js';
import { inspectInputs } from '../engine/in-process.js';
import { runRequest } from '../engine/run-request.js';
import { Answering } from './answering.js';
import { BatchSink } from './batches.js';
import type { SentEvent } from './events.js';
import { LIMITS } from './limits.js';
import type { Say } from './platform.js';
import type { Order, PortableInput, PortableInputs, Result, RunnerJob } from './protocol.js';

/** Handles messages one after another. Call it with each incoming message. */
export function runnerThread(say: Say, sharing?: Sharing): (order: Order) => void {
  const answering = new Answering<ModelHost>(say);
  return (order) =>
    answering.answer(() => {
      if (order.kind === 'set up runner') return answering.setUp(leapfrogModels(order.linear, sharing));
      const result = performOn(answering.tool, order, say);
      if (result === undefined) throw new Error(`unexpected message to a runner thread: ${order.kind}`);
      return result;
    });
}

/** Performs a job that needs models but no compiler; undefined for other jobs. */
export function performOn(host: ModelHost, order: Order, say: Say): Result | undefined {
  switch (order.kind) {
    case 'check data': {
      // The time limit of the check begins now.
      say({ kind: 'events', events: [] });
      const request = { ...order, functionName: '', inputs: {}, checksData: true, limits: LIMITS };
      return inspectInputs(host, request);
    }
    case 'check inputs': {
      const request = { ...order, inputs: runInputs(order.inputs), limits: LIMITS };
      return inspectInputs(host, request);
    }
    case 'run':
      return run(host, order, say);
    default:
      return undefined;
  }
}

function run(host: ModelHost, job: Extract<RunnerJob, { readonly kind: 'run' }>, say: Say): RunOutcome {
  const sink = new BatchSink(job, (events) => say({ kind: 'events', events }, handedOver(events)));
  const request = {
    ...job,
    inputs: runInputs(job.inputs),
    limits: LIMITS,
    interrupt: () => {
      sink.tick();
      return false;
    },
    rest: (...state: Parameters<BatchSink['rest']>) => sink.rest(...state),
    report: (progress: Parameters<BatchSink['report']>[0]) => sink.report(progress),
  };
  try {
    const outcome = runRequest(host, job.functionName, request, sink);
    if (outcome.kind === 'finished' && outcome.state?.end !== undefined) sink.checkpoint(outcome.state.end);
    return outcome;
  } finally {
    sink.flush();
  }
}

/** The buffers of rows, which are transferred instead of copied. */
function handedOver(events: readonly SentEvent[]): ArrayBuffer[] {
  return events.flatMap((event) => {
    const isRows = event.kind === 'draws' || event.kind === 'diagnostics';
    return isRows && event.values.buffer instanceof ArrayBuffer ? [event.values.buffer] : [];
  });
}

function runInputs(inputs: PortableInputs): RunInputs {
  return Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, runInput(input)]));
}

function runInput(input: PortableInput): RunInput {
  if (input.kind === 'values') return input;
  return { kind: 'draws', name: input.name, open: () => storedDraws(input.draws) };
}
