import type { LegendEntry } from '#engine/plots/scene.js';
import { colorOf } from '#engine/plots/svg.js';
import { PAGE } from '../../plots/palette.js';
import { t } from '../../words/messages.js';

/** The legend above plots that share their colors. */
export function Legend({ entries }: { readonly entries: readonly LegendEntry[] }) {
  if (entries.length === 0) return null;
  return (
    <ul className="legend muted" aria-label={t('plots.colors')}>
      {entries.map(({ ink, text }) => (
        <li key={text}>
          <span className="swatch" style={{ background: colorOf(ink, PAGE) }} />
          {text}
        </li>
      ))}
    </ul>
  );
}
