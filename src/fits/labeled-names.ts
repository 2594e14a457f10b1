import type { LabeledVariable } from '../derive/level-labels.js';

/**
 * The name of an element with labels in place of its indexes: `theta[Gymnasium]` for `theta[3]`. Indexes along dimensions
 * without labels stay numbers. Returns the name itself if the element has no labels.
 */
export function labeledName(name: string, variables: readonly LabeledVariable[]): string {
  const [, variable, list = ''] = /^(\w+)\[([\d,]+)\]$/.exec(name) ?? [];
  const found = variables.find((each) => each.name === variable);
  const indexes = list.split(',');
  if (found === undefined || found.dimensions.length !== indexes.length) return name;
  const texts = indexes.map((index, place) => found.dimensions[place]?.[Number(index) - 1] ?? index);
  return `${variable}[${texts.join(', ')}]`;
}
