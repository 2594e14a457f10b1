import type { Mark, Plot } from '#engine/plots/scene.js';

const SHARE = 0.35;

/** The plot as a background for selected draws: paler draws, with the same axes. */
export function faded(plot: Plot): Plot {
  return { ...plot, marks: plot.marks.map(fadedMark) };
}

function fadedMark(mark: Mark): Mark {
  return mark.kind === 'line' || mark.kind === 'area' || mark.kind === 'dots'
    ? { ...mark, opacity: SHARE * (mark.opacity ?? 1) }
    : mark;
}
