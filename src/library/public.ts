/** The exports of the package in addition to `compile`, `analyze` and `close`, in Node and in a page. */

export type { CostDetail } from '../explain.js';
export type { Finding } from '../inference/diagnostics/findings.js';
export type { Shortfall } from '../inference/diagnostics/precision.js';
export type { RunningEstimate } from '../inference/diagnostics/running-estimates.js';
export type { Compared } from '../inference/validation/comparison.js';
export type { CalibratedQuantity, Calibration } from '../run/calibration.js';
export type { FunctionValue } from '../run/calls/function-call.js';
export type { JsonValue } from '../run/calls/result-value.js';
export type { Comparison } from '../run/comparison.js';
export type { Description, DiagnosticDetail, ProgramSource } from '../run/compiler.js';
export type { LeaveOneOut, Observation } from '../run/cross-validation.js';
export type { LogEvidence } from '../run/evidence.js';
export type { EvidenceCompared, EvidenceComparison } from '../run/evidence-comparison.js';
export type * from '../run/fit-requests.js';
export type { FunctionDescription } from '../run/function-description.js';
export { functions } from '../run/functions.js';
export { isAboutUnusedValues } from '../run/inputs.js';
export type { MethodName } from '../run/methods.js';
export { type Outlook, outlookText } from '../run/outlook.js';
export type { Prediction } from '../run/predictions.js';
export type { LeftOutTransforms } from '../run/predictive-places.js';
export type { ProgramProfile, StatementTime } from '../run/program-profile.js';
export type { Refit, Refits, RefittedObservation } from '../run/refit-results.js';
export type { RunProgress } from '../run/request.js';
export type { NamedSummary } from '../run/statistics.js';
export type { CurrentShortfall, Stopped, Until } from '../run/until.js';
export type { StanValue, Variables } from '../run/variables.js';
export { type CalibrationFields, calibrationIn, calibrationProgress } from './calibrate.js';
export { compare } from './compare.js';
export { compareEvidence } from './compare-evidence.js';
export { CompileError, LoadError, RequestError, RunError } from './errors.js';
export type { RunEvent } from './events.js';
export { type Asked, Fit, type FitChain, type FitContents, type LooOptions, type SummaryOptions } from './fit.js';
export type { AnalyzeOptions, SourceOptions } from './library.js';
export {
  type CheckOptions,
  type EvidenceOptions,
  Model,
  type ModelContents,
  type ModelLooOptions,
  type PosteriorOptions,
  type ProfileFields,
  type RunOptions,
} from './model.js';
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
