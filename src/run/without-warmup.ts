import type { RunRequest } from './request.js';

/** Arguments of a run whose draws are all of the posterior: those of warmup are not. */
export function withoutWarmup(settings: RunRequest['arguments']): RunRequest['arguments'] {
  return 'save_warmup' in settings ? { ...settings, save_warmup: false } : settings;
}
