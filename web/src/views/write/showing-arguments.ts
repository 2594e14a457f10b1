/** Fields of arguments: what people call them, and how others lead to one. */
import { update } from '../../state/store.js';

/** Labels of arguments that people know by shorter ones. */
const LABELS: Readonly<Record<string, string>> = {
  num_chains: 'chains',
  num_warmup: 'warmup',
  num_samples: 'samples',
  random_seed: 'seed',
};

export function labelOf(name: string): string {
  return LABELS[name] ?? name;
}

/** Moves the focus to the field of an argument, with its present value selected. */
export function showArgument(name: string): void {
  update({ areSettingsOpen: true, side: 'left' });
  // The field may be shown by that very change.
  setTimeout(() => {
    const field = document.querySelector<HTMLInputElement | HTMLSelectElement>(`[data-argument="${name}"]`);
    field?.scrollIntoView({ block: 'nearest' });
    field?.focus();
    if (field instanceof HTMLInputElement) field.select();
  });
}
