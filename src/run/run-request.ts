import { calibrateShare } from './calibrate-share.js';
import type { ModelHost } from './model-host.js';
import { refitShare } from './refit-share.js';
import { refusalOf } from './refusal.js';
import type { RunOutcome, RunRequest, RunSink } from './request.js';
import { runFunction } from './run-function.js';

/** Runs one chain of a function, of its calibration, or of refits with it. Otherwise like `runFunction`. */
export function runRequest(host: ModelHost, functionName: string, request: RunRequest, sink: RunSink): RunOutcome {
  const { calibration, refits } = request;
  try {
    if (refits !== undefined) return refitShare(host, functionName, { ...request, refits }, sink);
    if (calibration !== undefined) return calibrateShare(host, functionName, { ...request, calibration }, sink);
    return runFunction(host, functionName, request, sink);
  } catch (error) {
    const refusal = refusalOf(host, error);
    if (refusal === undefined) throw error;
    return refusal;
  }
}
