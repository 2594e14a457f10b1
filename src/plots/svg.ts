import type { Ink, LegendEntry, Mark, Plot, Points } from './scene.js';

/** Colors of inks. `chain9` has the color of the first chain again, and so on. */
export type Palette = Readonly<Record<Exclude<Ink, `chain${number}`>, string>> & { readonly chains: readonly string[] };

/**
 * A palette for paper. The first colors of chains are those of M. Okabe and K. Ito, "Color Universal Design" (2008),
 * some of them darker for contrast with white; all differ for color-blind readers.
 */
export const PAPER: Palette = {
  text: '#1b1f24',
  muted: '#57606a',
  grid: '#e7e9ec',
  accent: '#1d6f5c',
  surface: '#ffffff',
  divergence: '#1b1f24',
  bad: '#b3261e',
  observed: '#1b1f24',
  chains: ['#0072b2', '#d55e00', '#00805d', '#b4558d', '#8c1d18', '#3a34c9', '#0b2f5b', '#5c8aff'],
};

export function colorOf(ink: Ink, palette: Palette): string {
  switch (ink) {
    case 'text':
    case 'muted':
    case 'grid':
    case 'accent':
    case 'surface':
    case 'divergence':
    case 'bad':
    case 'observed':
      return palette[ink];
    default:
      return palette.chains[(Number(ink.slice('chain'.length)) - 1) % palette.chains.length];
  }
}

const FONT = 'Inter Variable, Inter, system-ui, sans-serif';

/** The plot with its title and legend above it, as a stand-alone figure. */
export function titled(plot: Plot): Plot {
  const { height, legend = [], marks, title, width } = plot;
  const lines = legendLines(legend, width);
  const top = TITLE_HEIGHT + LEGEND_HEIGHT * lines.length;
  const text: Mark = { kind: 'text', x: 4, y: TITLE_HEIGHT - 10 - top, text: title, ink: 'text', size: 14 };
  const entries = lines.flatMap((line, row) =>
    line.flatMap(({ entry, x }): Mark[] => {
      const y = TITLE_HEIGHT - top + LEGEND_HEIGHT * row + 6;
      const { dash, ink } = entry;
      return [
        { kind: 'segments', ends: [x, y, x + SAMPLE, y], ink, width: 3, ...(dash !== undefined && { dash }) },
        { kind: 'text', x: x + SAMPLE + 5, y: y + 4, text: entry.text, ink: 'muted', size: 11 },
      ];
    }),
  );
  return { ...plot, top, height: height + top, marks: [...marks, text, ...entries] };
}

const TITLE_HEIGHT = 28;
const LEGEND_HEIGHT = 16;
/** Width in pixels of the line that shows an ink in the legend. */
const SAMPLE = 14;
/** Approximate maximum width of a character in pixels. */
const CHARACTER = 6.2;

/** Legend entries with their horizontal positions, filling each line. */
function legendLines(legend: readonly LegendEntry[], width: number) {
  const lines: { readonly entry: LegendEntry; readonly x: number }[][] = [];
  let next = Number.POSITIVE_INFINITY;
  for (const entry of legend) {
    const needed = SAMPLE + 5 + CHARACTER * entry.text.length;
    if (next + needed > width) {
      lines.push([]);
      next = 4;
    }
    lines.at(-1)?.push({ entry, x: next });
    next += needed + 12;
  }
  return lines;
}

/** A plot as an SVG document, with title and description for screen readers. */
export function svgText(plot: Plot, palette: Palette): string {
  const { width, height, title, description, marks, top = 0 } = plot;
  const body = marks.map((mark) => markText(mark, palette)).join('\n');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" ` +
    `viewBox="0 ${top === 0 ? 0 : -top} ${round(width)} ${round(height)}" role="img" aria-label="${escaped(`${title}. ${description}`)}" font-family="${FONT}">\n` +
    `<title>${escaped(title)}</title>\n<desc>${escaped(description)}</desc>\n${body}\n</svg>\n`
  );
}

function markText(mark: Mark, palette: Palette): string {
  const color = colorOf(mark.ink, palette);
  const opacity = 'opacity' in mark && mark.opacity !== undefined ? ` opacity="${mark.opacity}"` : '';
  switch (mark.kind) {
    case 'line':
      return `<path d="${linePath(mark.points)}" fill="none" stroke="${color}" stroke-width="${mark.width ?? 1}" stroke-linejoin="round"${dashed(mark.dash)}${opacity}/>`;
    case 'area':
      return `<path d="${linePath(mark.points)}Z" fill="${color}"${opacity}/>`;
    case 'boxes':
      return `<path d="${pathOf(mark.boxes, 4, (x, y, w, h) => `M${x} ${y}h${w}v${h}h${-w}Z`)}" fill="${color}"${opacity}/>`;
    case 'segments':
      return `<path d="${pathOf(mark.ends, 4, (x1, y1, x2, y2) => `M${x1} ${y1}L${x2} ${y2}`)}" fill="none" stroke="${color}" stroke-width="${mark.width ?? 1}"${dashed(mark.dash)}${opacity}/>`;
    case 'dots':
      // A stroke of length 0 with a round cap is a dot, so all dots are one path.
      return `<path d="${pathOf(mark.points, 2, (x, y) => `M${x} ${y}h0`)}" stroke="${color}" stroke-width="${2 * mark.radius}" stroke-linecap="round"${opacity}/>`;
    case 'crosses': {
      const r = mark.radius;
      const cross = (x: number, y: number) =>
        `M${x - r} ${y - r}l${2 * r} ${2 * r}M${x - r} ${y + r}l${2 * r} ${-2 * r}`;
      return `<path d="${pathOf(mark.points, 2, cross)}" fill="none" stroke="${color}" stroke-width="1.5"/>`;
    }
    case 'text': {
      const turn = mark.turn === undefined ? '' : ` transform="rotate(${mark.turn} ${round(mark.x)} ${round(mark.y)})"`;
      return `<text x="${round(mark.x)}" y="${round(mark.y)}" fill="${color}" font-size="${mark.size ?? 12}" text-anchor="${mark.anchor ?? 'start'}"${turn}>${escaped(mark.text)}</text>`;
    }
  }
}

function linePath(points: Points): string {
  return pathOf(points, 2, (x, y, _1, _2, isBegun) => `${isBegun ? 'L' : 'M'}${x} ${y}`);
}

/**
 * The segments of a path, each with `width` numbers. Segments with non-finite numbers are omitted, and start a new
 * subpath.
 */
function pathOf(
  numbers: Points,
  width: 2 | 4,
  piece: (a: number, b: number, c: number, d: number, isBegun: boolean) => string,
): string {
  const pieces: string[] = [];
  let isBegun = false;
  for (let i = 0; i + width <= numbers.length; i += width) {
    let hasPlace = true;
    for (let k = 0; k < width; k++) hasPlace &&= Number.isFinite(numbers[i + k]);
    if (!hasPlace) {
      isBegun = false;
      continue;
    }
    const [c, d] = width === 4 ? [round(numbers[i + 2]), round(numbers[i + 3])] : [0, 0];
    pieces.push(piece(round(numbers[i]), round(numbers[i + 1]), c, d, isBegun));
    isBegun = true;
  }
  return pieces.join('');
}

function dashed(dash: string | undefined): string {
  return dash === undefined ? '' : ` stroke-dasharray="${dash}"`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Escapes a text for XML and HTML. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
