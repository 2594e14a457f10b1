/** Several plots below each other as one plot, with texts: a picture of a whole run. */
import type { Ink, Mark, Plot, Points } from './scene.js';
import { titled } from './svg.js';

interface PosterText {
  readonly text: string;
  readonly ink: Ink;
  readonly size: number;
}

/** Texts, or plots beside each other. */
export type PosterRow = { readonly texts: readonly PosterText[] } | { readonly plots: readonly Plot[] };

const MARGIN = 24;
/** Pixels between plots and between rows. */
export const POSTER_GAP = 16;
/** Width of a character and height of a line in units of the size of the text. */
const CHARACTER = 0.56;
const LINE = 1.5;

/** Rows of a given width; longer texts are wrapped, and plots have their titles and legends. */
export function poster(title: string, rows: readonly PosterRow[], width: number): Plot {
  const marks: Mark[] = [];
  let y = MARGIN;
  for (const row of rows) {
    if ('texts' in row) {
      for (const { ink, size, text } of row.texts)
        for (const line of wrapped(text, width / (CHARACTER * size))) {
          y += LINE * size;
          marks.push({ kind: 'text', x: MARGIN, y, text: line, ink, size });
        }
      y += POSTER_GAP;
    } else {
      let x = MARGIN;
      const drawn = row.plots.map(titled);
      for (const plot of drawn) {
        marks.push(...plot.marks.map((mark) => moved(mark, x, y + (plot.top ?? 0))));
        x += plot.width + POSTER_GAP;
      }
      y += Math.max(0, ...drawn.map(({ height }) => height)) + POSTER_GAP;
    }
  }
  const described = rows.flatMap((row) =>
    'texts' in row ? row.texts.map(({ text }) => text) : row.plots.map(({ description }) => description),
  );
  return {
    title,
    description: described.join(' '),
    width: width + 2 * MARGIN,
    height: y - POSTER_GAP + MARGIN,
    marks,
    table: () => ({ columns: [], rows: [] }),
  };
}

/** Lines of at most `most` characters, if no word is longer. */
function wrapped(text: string, most: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function moved(mark: Mark, x: number, y: number): Mark {
  switch (mark.kind) {
    case 'text':
      return { ...mark, x: mark.x + x, y: mark.y + y };
    case 'boxes':
      return { ...mark, boxes: shifted(mark.boxes, [x, y, 0, 0]) };
    case 'segments':
      return { ...mark, ends: shifted(mark.ends, [x, y]) };
    default:
      return { ...mark, points: shifted(mark.points, [x, y]) };
  }
}

function shifted(numbers: Points, by: readonly number[]): Points {
  return Float64Array.from(numbers, (value, index) => value + by[index % by.length]);
}
