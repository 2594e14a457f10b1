/** Sentences that the engine states as data. Their English is the engine's own. */
import { DATA_SENTENCES } from '#engine/derive/data-faults.js';
import { FORMULA_SENTENCES } from '#engine/formula/faults.js';
import { ARGUMENT_SENTENCES } from '#engine/inference/algorithms/arguments.js';
import { FINDING_SENTENCES } from '#engine/inference/diagnostics/finding-sentences.js';
import { CAUTION_SENTENCES } from '#engine/inference/validation/caution-sentences.js';
import { CALIBRATION_SENTENCES } from '#engine/run/calibration-sentences.js';
import { CAUSE_SENTENCES } from '#engine/run/causes.js';
import { COMPARISON_SENTENCES, RELIABILITY_SENTENCES } from '#engine/run/comparison-sentences.js';
import { COST_SENTENCES } from '#engine/run/cost-sentences.js';
import { EVIDENCE_CAUTIONS, EVIDENCE_SENTENCES } from '#engine/run/evidence-sentences.js';
import { LOO_SENTENCES } from '#engine/run/loo-sentences.js';
import { OUTLOOK_SENTENCES } from '#engine/run/outlook-sentences.js';
import { REFIT_SENTENCES } from '#engine/run/refit-sentences.js';
import { STOP_SENTENCES } from '#engine/run/stop-sentences.js';

export const engine = {
  ...ARGUMENT_SENTENCES,
  ...CALIBRATION_SENTENCES,
  ...CAUSE_SENTENCES,
  ...CAUTION_SENTENCES,
  ...COMPARISON_SENTENCES,
  ...COST_SENTENCES,
  ...DATA_SENTENCES,
  ...EVIDENCE_CAUTIONS,
  ...EVIDENCE_SENTENCES,
  ...FINDING_SENTENCES,
  ...FORMULA_SENTENCES,
  ...LOO_SENTENCES,
  ...OUTLOOK_SENTENCES,
  ...REFIT_SENTENCES,
  ...RELIABILITY_SENTENCES,
  ...STOP_SENTENCES,
} as const;
