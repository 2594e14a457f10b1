import type { Palette } from '#engine/plots/svg.js';

/** Colors from the page's theme, light or dark. */
export const PAGE: Palette = {
  text: 'var(--text)',
  muted: 'var(--muted)',
  grid: 'var(--plot-grid)',
  accent: 'var(--accent)',
  surface: 'var(--surface)',
  divergence: 'var(--text)',
  bad: 'var(--wrong)',
  observed: 'var(--text)',
  chains: [1, 2, 3, 4, 5, 6, 7, 8].map((index) => `var(--chain-${index})`),
};
