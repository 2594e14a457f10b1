/** Suggests missing generated quantities for checking the model. */

import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import type { Missing } from '#engine/derive/generated-quantities.js';
import { SIMULATION_ENDINGS } from '#engine/fits/predictions.js';
import { analyzeNow, language } from './analysis.js';
import { applyEdits } from './editors.js';

const NAMES = { simulated: SIMULATION_ENDINGS, logLikelihood: LOG_LIKELIHOOD };

/** Suggestions for the program as last parsed; undefined if it has errors. */
export async function missingQuantities(): Promise<Missing | undefined> {
  return language().missingQuantities(NAMES);
}

/** Adds the suggestions to the current program. */
export async function addMissingQuantities(): Promise<void> {
  await analyzeNow();
  applyEdits((await missingQuantities())?.edits ?? []);
}
