/** Sizes of saved pictures. */
import type { Plot, Size } from './scene.js';
import { titled } from './svg.js';

export type Medium = 'screen' | 'slide' | 'print';

/** A plot drawn for a medium. */
export interface SizedPlot {
  readonly plot: Plot;
  /** Pixels per unit of the plot. */
  readonly density: number;
  readonly dotsPerInch?: number;
}

/** A full-screen slide, in pixels. */
export const SLIDE = { width: 1920, height: 1080 };
/** Enlargement of the texts on a slide. */
const SLIDE_DENSITY = 3;

/** Widths of one and of two columns of a journal, in millimeters. */
export const COLUMN = { single: 85, double: 170 };
export const PRINT_DOTS_PER_INCH = 300;
/** Units of the plot per inch, as in CSS: texts of 11 units are 8 points high. */
const UNITS_PER_INCH = 96;
const MILLIMETERS_PER_INCH = 25.4;

/** Draws a plot, with its title and legend, in the size of a medium. `shown` is the plot as the page shows it. */
export function sizedPlot(shown: Plot, draw: (size: Size) => Plot, medium: Medium, isWide: boolean): SizedPlot {
  const redrawn = (width: number, height: number) => titled(draw({ width, height }));
  switch (medium) {
    case 'screen':
      return { plot: titled(shown), density: 2 };
    case 'slide': {
      const width = SLIDE.width / SLIDE_DENSITY;
      const height = SLIDE.height / SLIDE_DENSITY;
      const { top = 0 } = titled({ ...shown, width });
      // Rows of labels are not squeezed: a higher plot is drawn wider and smaller.
      const growth = Math.max(1, (shown.height + top) / height);
      return { plot: redrawn(growth * width, growth * height - top), density: SLIDE_DENSITY / growth };
    }
    case 'print': {
      const width = (UNITS_PER_INCH * COLUMN[isWide ? 'double' : 'single']) / MILLIMETERS_PER_INCH;
      return {
        plot: redrawn(width, shown.height * Math.max(1, width / shown.width)),
        density: PRINT_DOTS_PER_INCH / UNITS_PER_INCH,
        dotsPerInch: PRINT_DOTS_PER_INCH,
      };
    }
  }
}
