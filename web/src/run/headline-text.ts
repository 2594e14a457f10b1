import type { Finding } from '#engine/inference/diagnostics/findings.js';
import { headline } from '#engine/requests/headlines.js';
import type { Run } from '../state/run.js';
import { t } from '../words/messages.js';

/** Whether the draws of a run are reliable, as a heading. */
export function headlineOf({ isPrior = false }: Run, findings: readonly Finding[]): string {
  const { key, values } = headline(findings);
  switch (key) {
    case 'reliable':
      return t(isPrior ? 'runs.priorReliable' : 'runs.headlineReliable');
    case 'unreliable':
      return t(isPrior ? 'runs.priorUnreliable' : 'runs.headlineUnreliable');
    case 'unusable':
      return t('runs.headlineUnusable');
    case 'simulations':
      return t('runs.headlineSimulations', { count: Number(values.count) });
  }
}
