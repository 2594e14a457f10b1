import type { RunRequest } from './request.js';

/** Arguments of a run without saved warmup draws, so that all draws are from the posterior. */
export function withoutWarmup(settings: RunRequest['arguments']): RunRequest['arguments'] {
  return 'save_warmup' in settings ? { ...settings, save_warmup: false } : settings;
}
