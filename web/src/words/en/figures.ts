/** Titles, descriptions, axes, legends and columns of plots. Their English is the engine's own. */
export { PLOT_WORDS as figures } from '#engine/plots/words.js';
