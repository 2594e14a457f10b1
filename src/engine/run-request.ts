import type { ModelHost } from '../chain/model-host.js';
import { refusalOf } from '../chain/refusal.js';
import type { RunOutcome, RunRequest, RunSink } from '../chain/request.js';
import { runFunction } from '../chain/run-function.js';
import { calibrateShare } from '../studies/calibrate-share.js';
import { refitShare } from '../studies/refit-share.js';

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
