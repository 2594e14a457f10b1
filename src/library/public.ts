/** The exports of the package in addition to `compile`, `analyze` and `close`, in Node and in a page. */

export type { Description, DiagnosticDetail, ProgramSource } from '../chain/compiler.js';
export { isAboutUnusedValues } from '../chain/inputs.js';
export type { RunProgress } from '../chain/request.js';
export type { FunctionValue } from '../engine/calls/function-call.js';
export type { JsonValue } from '../engine/calls/result-value.js';
export type { ProgramProfile, StatementTime } from '../engine/program-profile.js';
export type { CostDetail } from '../explain.js';
export type { Comparison } from '../fits/comparison.js';
export type { LeaveOneOut, Observation } from '../fits/cross-validation.js';
export { type Outlook, outlookText } from '../fits/outlook.js';
export type { Prediction } from '../fits/predictions.js';
export type { LeftOutTransforms } from '../fits/predictive-places.js';
export type { NamedSummary } from '../fits/statistics.js';
export type { Finding } from '../inference/diagnostics/findings.js';
export type { Shortfall } from '../inference/diagnostics/precision.js';
export type { RunningEstimate } from '../inference/diagnostics/running-estimates.js';
export type { Compared } from '../inference/validation/comparison.js';
export type * from '../requests/fit-requests.js';
export type { FunctionDescription } from '../requests/function-description.js';
export { functions } from '../requests/functions.js';
export type { MethodName } from '../requests/methods.js';
export type { CurrentShortfall, Stopped, Until } from '../requests/until.js';
export type { StanValue, Variables } from '../requests/variables.js';
export type { CalibratedQuantity, Calibration } from '../studies/calibration.js';
export type { LogEvidence } from '../studies/evidence.js';
export type { EvidenceCompared, EvidenceComparison } from '../studies/evidence-comparison.js';
export type { Refit, Refits, RefittedObservation } from '../studies/refit-results.js';
export { type CalibrationFields, calibrationIn, calibrationProgress } from './calibrate.js';
export { compare } from './compare.js';
export { compareEvidence } from './compare-evidence.js';
export { CompileError, LoadError, RequestError, RunError } from './errors.js';
export type { RunEvent } from './events.js';
export { type Asked, Fit, type FitChain, type FitContents, type LooOptions, type SummaryOptions } from './fit.js';
export type { AnalyzeOptions, SourceOptions } from './library.js';
export { Model } from './model.js';
export type * from './model-options.js';
export {
  type ConstrainOptions,
  type DensityOptions,
  type GradientOptions,
  type HessianOptions,
  type Point,
  Posterior,
} from './posterior.js';
export type { CallOptions, ProgramFunctions } from './program-functions.js';
export { type RefitFields, type RefitSampler, refitsIn } from './refits.js';
export type { Data, RunRequest } from './requests.js';
export { Run } from './run.js';

// The types above refer to these. They are declared by TypeScript's library `dom`, which programs for Node may not
// include.
declare global {
  namespace WebAssembly {
    interface Memory {}
    interface Module {}
  }
}
