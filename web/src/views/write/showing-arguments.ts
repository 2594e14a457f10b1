/** Fields of arguments: their labels, and navigation to them. */

import { update, updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import type { PlainKey } from '../../words/types.js';

/** The name of the initial values for `showArgument`. */
export const INITIAL_VALUES = 'init';

/** Shorter common labels of arguments. */
const LABELS: Readonly<Record<string, PlainKey>> = {
  num_chains: 'write.chains',
  num_warmup: 'write.warmup',
  num_samples: 'write.samples',
  random_seed: 'write.seed',
  iter: 'write.iterations',
  num_draws: 'write.draws',
};

export function labelOf(name: string): string {
  const label = LABELS[name];
  return label === undefined ? name : t(label);
}

/** Moves the focus to the field of an argument or an input, with its current value selected. */
export function showArgument(name: string): void {
  update({ areSettingsOpen: true, side: 'left' });
  // The field may not exist until this change is rendered.
  setTimeout(() => {
    const field = document.querySelector<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>(
      `[data-argument="${name}"]`,
    );
    field?.scrollIntoView({ block: 'nearest' });
    field?.focus();
    if (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) field.select();
  });
}

/** Shows the initial values as text, and moves the focus there. */
export function showInitialValues(): void {
  const { settings } = useStore.getState().project;
  const { init, ...sources } = settings.sources ?? {};
  updateProject({ settings: { ...settings, sources, initialValues: settings.initialValues ?? '{}' } });
  showArgument(INITIAL_VALUES);
}
