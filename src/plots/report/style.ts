import { PAPER, type Palette } from '../svg.js';

/** Colors of inks, which follow the reader's theme. */
export const PAGE: Palette = {
  text: 'var(--text)',
  muted: 'var(--muted)',
  grid: 'var(--grid)',
  accent: 'var(--accent)',
  surface: 'var(--surface)',
  divergence: 'var(--text)',
  bad: 'var(--wrong)',
  observed: 'var(--text)',
  chains: PAPER.chains.map((_, index) => `var(--chain-${index + 1})`),
};

/** Colors of chains on a dark background: lighter than those for paper, in the same order. */
const DARK_CHAINS = ['#56b4e9', '#f0803c', '#2db890', '#d98abb', '#f0e442', '#7a6cff', '#3478c6', '#c4553f'];

const chains = PAPER.chains.map((color, index) => `--chain-${index + 1}: light-dark(${color}, ${DARK_CHAINS[index]});`);

export const STYLE = `
:root {
  color-scheme: light dark;
  --surface: light-dark(${PAPER.surface}, #15181b);
  --text: light-dark(${PAPER.text}, #e6e8ea);
  --muted: light-dark(${PAPER.muted}, #9fa9b2);
  --grid: light-dark(${PAPER.grid}, #252a30);
  --border: light-dark(#dfe3e5, #2d333a);
  --accent: light-dark(${PAPER.accent}, #4fc3a1);
  --wrong: light-dark(${PAPER.bad}, #ff8a80);
  ${chains.join('\n  ')}
}
body { margin: 0; background: var(--surface); color: var(--text); font: 15px/1.5 Inter, system-ui, sans-serif; }
main { max-width: 72rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.5rem; margin: 0 0 0.25rem; }
h2 { font-size: 1.1rem; margin: 2.25rem 0 0.5rem; }
.about { color: var(--muted); margin: 0; overflow-wrap: anywhere; }
.verdict h2 { font-size: 1.3rem; }
.checks ul { list-style: none; padding: 0; max-width: 48rem; }
.checks li { padding: 0.5rem 0; border-top: 1px solid var(--border); }
.good, .good b { color: var(--accent); }
.bad, .bad b { color: var(--wrong); }
.checks li { color: inherit; }
.scrolls { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--border); }
thead th { color: var(--muted); font-weight: 500; }
th:first-child { text-align: left; padding-left: 0; }
tbody th { font: 500 0.9rem ui-monospace, Consolas, monospace; }
details { margin-top: 0.75rem; }
summary { cursor: pointer; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(20rem, 100%), 1fr)); gap: 1.25rem; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; margin: 0 0 0.5rem; font-size: 0.8125rem; color: var(--muted); }
.figures.wide { grid-template-columns: 1fr; }
figure { margin: 0; min-width: 0; }
figcaption { color: var(--muted); }
figure svg { width: 100%; height: auto; }
.wide figure { overflow-x: auto; }
.wide svg { min-width: 42rem; }
@media print { details > * { display: block; } figure { break-inside: avoid; } }
`;
