/** Quantities without a finite or a varying value, for which a plot would show empty axes. */
import type { Mark, Plot, Quantity, Size } from './scene.js';
import { wordsOf } from './words.js';

/** The plot of a quantity, or a sentence in its place if no draws are finite, or if all are equal. */
export function plotOrReason(plot: (quantity: Quantity, size: Size) => Plot) {
  return (quantity: Quantity, size: Size): Plot => {
    const words = wordsOf(size);
    const made = plot(quantity, size);
    const { least, greatest, notFinite, count } = valuesOf(quantity);
    if (count === 0) return made;
    if (notFinite === count) return inPlaceOf(made, words('noFiniteValue'));
    if (notFinite === 0)
      return least < greatest ? made : inPlaceOf(made, words('constantValue', { value: words.short(least) }));
    const text = words('notFiniteShare', { percent: words.short((100 * notFinite) / count, 3) });
    const note: Mark = { kind: 'text', x: size.width - 18, y: 14, text, ink: 'text', anchor: 'end', size: 11 };
    return { ...made, description: `${made.description} ${text}.`, marks: [...made.marks, note] };
  };
}

/** Whether some draws are finite, and differ. */
export function isPlottable(quantity: Quantity): boolean {
  const { least, greatest } = valuesOf(quantity);
  return least < greatest;
}

function inPlaceOf({ height, table, title, width }: Plot, text: string): Plot {
  const mark: Mark = { kind: 'text', x: width / 2, y: height / 2, text, ink: 'muted', anchor: 'middle', size: 13 };
  return { width, height, title, table, description: `${title}: ${text}.`, marks: [mark] };
}

/** The range of the finite draws, the number of others, and the number of all. */
function valuesOf({ chains }: Quantity) {
  let [least, greatest, notFinite, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const chain of chains) {
    count += chain.length;
    for (const value of chain) {
      if (!Number.isFinite(value)) notFinite++;
      else {
        if (value < least) least = value;
        if (value > greatest) greatest = value;
      }
    }
  }
  return { least, greatest, notFinite, count };
}
