/** Generated quantities that checks of the model need and the program lacks. */
import type { Missing } from '#engine/analysis/generated-quantities.js';
import { LOG_LIKELIHOOD } from '#engine/run/cross-validation.js';
import { SIMULATION_ENDINGS } from '#engine/run/predictions.js';
import { analyzeNow, language } from './analysis.js';
import { applyEdits } from './editors.js';

const NAMES = { simulated: SIMULATION_ENDINGS, logLikelihood: LOG_LIKELIHOOD };

/** What the program could be given, as it was last read; undefined of one with errors. */
export async function missingQuantities(): Promise<Missing | undefined> {
  return language().missingQuantities(NAMES);
}

/** Adds them to the program as it is now. */
export async function addMissingQuantities(): Promise<void> {
  await analyzeNow();
  applyEdits((await missingQuantities())?.edits ?? []);
}
