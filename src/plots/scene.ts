import type { Range, Selected } from './selection.js';
import type { PlotWords } from './words.js';

/**
 * Plots as data: a function of draws and a size returns marks in pixels, which are written as SVG or drawn on a canvas. Inks are names; a
 * palette assigns colors, so that one plot serves light, dark and paper.
 */

export type Ink =
  | 'text'
  | 'muted'
  | 'grid'
  | 'accent'
  | 'surface'
  | 'divergence'
  | 'bad'
  | 'observed'
  | `chain${number}`;

/** Alternating coordinates: x0, y0, x1, y1, … */
export type Points = ArrayLike<number>;

export type Mark =
  | {
      readonly kind: 'line';
      readonly points: Points;
      readonly ink: Ink;
      readonly width?: number;
      readonly opacity?: number;
      readonly dash?: string;
    }
  | { readonly kind: 'area'; readonly points: Points; readonly ink: Ink; readonly opacity?: number }
  /** x, y, width, height of each. */
  | { readonly kind: 'boxes'; readonly boxes: Points; readonly ink: Ink; readonly opacity?: number }
  /** Both ends of each: x1, y1, x2, y2. */
  | {
      readonly kind: 'segments';
      readonly ends: Points;
      readonly ink: Ink;
      readonly width?: number;
      readonly opacity?: number;
      readonly dash?: string;
    }
  | {
      readonly kind: 'dots';
      readonly points: Points;
      readonly ink: Ink;
      readonly radius: number;
      readonly opacity?: number;
    }
  /** The mark of divergences, which differs from dots also without color. */
  | { readonly kind: 'crosses'; readonly points: Points; readonly ink: Ink; readonly radius: number }
  | {
      readonly kind: 'text';
      readonly x: number;
      readonly y: number;
      readonly text: string;
      readonly ink: Ink;
      readonly anchor?: 'start' | 'middle' | 'end';
      readonly size?: number;
      /** Rotation in degrees about the text's own position. */
      readonly turn?: number;
    };

export interface Size {
  readonly width: number;
  readonly height: number;
  /** The language of the plot's texts; English by default. */
  readonly words?: PlotWords;
}

/** A draw by its chain, counted from 0 in the plot's own order, and its index in that chain, from 0. */
export interface DrawPlace {
  readonly chain: number;
  readonly index: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The item under the pointer. */
export interface Spot extends Point {
  readonly text: string;
  readonly draw?: DrawPlace;
}

/** The numbers that a plot shows. */
interface PlotTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (number | string)[])[];
}

/** The meaning of an ink. */
export interface LegendEntry {
  readonly ink: Ink;
  readonly text: string;
  readonly dash?: string;
}

export interface Plot extends Size {
  readonly title: string;
  /** Shown beside the title; empty if there is only one item. */
  readonly legend?: readonly LegendEntry[];
  /** Pixels above the origin; none by default. */
  readonly top?: number;
  /** A sentence that describes the plot, for screen readers. */
  readonly description: string;
  readonly marks: readonly Mark[];
  readonly table: () => PlotTable;
  /** The nearest item to a position in pixels. */
  readonly spotAt?: (x: number, y: number) => Spot | undefined;
  /** The position of a draw. */
  readonly placeOf?: (draw: DrawPlace) => Point | undefined;
  /** The ranges that a rectangle between two corners selects. */
  readonly rangesIn?: (corner: Point, opposite: Point) => readonly Range[];
  /** Marks of selected draws, drawn over the plot's own. */
  readonly marksOf?: (selected: Selected) => readonly Mark[];
}

/** One quantity's draws, an array per chain, as plots receive them. */
export interface Quantity {
  readonly name: string;
  readonly chains: readonly Float64Array[];
  /** Names of chains; their numbers from 1 by default. */
  readonly chainNames?: readonly string[];
  /** Whether the transition of each draw of each chain diverged. */
  readonly divergent?: readonly ArrayLike<number>[];
  /** The same quantity in another fit, for comparison. */
  readonly reference?: { readonly name: string; readonly draws: Float64Array };
}

export function chainInk(index: number): Ink {
  return `chain${index + 1}`;
}

export function chainName({ chainNames }: Pick<Quantity, 'chainNames'>, index: number): string {
  return chainNames?.[index] ?? `${index + 1}`;
}

/** The marks of divergences in plots of draws; empty without divergences. */
export function divergenceLegend(
  { divergent = [] }: Pick<Quantity, 'divergent'>,
  words: PlotWords,
): readonly LegendEntry[] {
  const isAny = divergent.some((flags) => Array.prototype.some.call(flags, (flag) => flag !== 0));
  return isAny ? [{ ink: 'divergence', text: words('divergent') }] : [];
}

/** The dashes of another fit. */
export const REFERENCE = { ink: 'muted', dash: '6 3' } as const;

/** The line of another fit; empty if it is absent. */
export function referenceLegend({ reference }: Pick<Quantity, 'reference'>): readonly LegendEntry[] {
  return reference === undefined ? [] : [{ ...REFERENCE, text: reference.name }];
}

/** The inks of the chains; empty for a single chain. */
export function chainLegend(
  quantity: Pick<Quantity, 'chainNames'> & { readonly chains: readonly unknown[] },
  words: PlotWords,
): readonly LegendEntry[] {
  const { chains } = quantity;
  if (chains.length < 2) return [];
  return chains.map((_, index) => ({
    ink: chainInk(index),
    text: words('chainOf', { name: chainName(quantity, index) }),
  }));
}
