/** Codes or labels of categories below an axis. */
import type { Scale } from './scale.js';
import type { Mark } from './scene.js';

/** Width in pixels of a code with space on both sides. */
const LABEL_SPACE = 12;
const CHARACTER = 6.2;

/** Number of characters to which labels are shortened if there is not enough room. */
const FEWEST_CHARACTERS = 8;

/** The codes or labels below the axis, shortened; evenly spaced ones if there is not enough room for all. */
export function codeMarks(whole: readonly string[], x: Scale, y: Scale): Mark[] {
  const room = Math.max(FEWEST_CHARACTERS, Math.floor((x(2) - x(1) - LABEL_SPACE) / CHARACTER));
  const texts = whole.map((text) => (text.length > room ? `${text.slice(0, room - 1)}…` : text));
  const widest = LABEL_SPACE + CHARACTER * Math.max(...texts.map(({ length }) => length));
  const step = Math.max(1, Math.ceil(widest / (x(2) - x(1))));
  return texts.flatMap((text, k): Mark[] =>
    k % step === 0
      ? [{ kind: 'text', x: x(k + 1), y: y.range[0] + 16, text, ink: 'muted', anchor: 'middle', size: 11 }]
      : [],
  );
}
