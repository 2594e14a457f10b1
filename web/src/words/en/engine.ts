/** Sentences that the engine states as data. Their English is the engine's own. */

import { COST_SENTENCES } from '#engine/chain/cost-sentences.js';
import { DATA_SENTENCES } from '#engine/derive/data-faults.js';
import { CAUSE_SENTENCES } from '#engine/fits/causes.js';
import { COMPARISON_SENTENCES, RELIABILITY_SENTENCES } from '#engine/fits/comparison-sentences.js';
import { LOO_SENTENCES } from '#engine/fits/loo-sentences.js';
import { OUTLOOK_SENTENCES } from '#engine/fits/outlook-sentences.js';
import { FORMULA_SENTENCES } from '#engine/formula/faults.js';
import { ARGUMENT_SENTENCES } from '#engine/inference/algorithms/arguments.js';
import { FINDING_SENTENCES } from '#engine/inference/diagnostics/finding-sentences.js';
import { CAUTION_SENTENCES } from '#engine/inference/validation/caution-sentences.js';
import { STOP_SENTENCES } from '#engine/requests/stop-sentences.js';
import { CALIBRATION_SENTENCES } from '#engine/studies/calibration-sentences.js';
import { EVIDENCE_CAUTIONS, EVIDENCE_SENTENCES } from '#engine/studies/evidence-sentences.js';
import { REFIT_SENTENCES } from '#engine/studies/refit-sentences.js';

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
