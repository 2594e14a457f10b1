import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Plot, Size, Spot } from '#engine/plots/scene.js';
import { svgText } from '#engine/plots/svg.js';
import { drawDots, manyDots, withoutDots } from '../../plots/many-dots.js';
import { PAGE } from '../../plots/palette.js';
import { saveCsv, savePng, saveSvg } from '../../plots/saving-plots.js';
import { update, useStore } from '../../state/store.js';
import { Menu, MenuItem } from '../Menu.js';

export interface FigureProps {
  readonly height: number;
  /** Whether it takes all columns. */
  readonly isWide?: boolean;
  readonly plot: (size: Size) => Plot;
  /** Figures of one group mark the draw under the pointer together. */
  readonly group?: string;
  /** Changes when the plot is to be made again. */
  readonly version: unknown;
}

/** A plot in the page as wide as there is room, with its title, what lies under the pointer, and ways to save it. */
export function Figure({ height, isWide = false, plot, group, version }: FigureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [spot, setSpot] = useState<Spot>();
  const hovered = useStore(({ hovered }) =>
    group !== undefined && hovered?.group === group ? hovered.draw : undefined,
  );
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the plot shows is told by the version
  const made = useMemo(() => (width < 40 ? undefined : plot({ width, height })), [width, height, version]);
  const linked = spot === undefined && hovered !== undefined ? made?.placeOf?.(hovered) : undefined;
  return (
    <figure className={isWide ? 'figure wide' : 'figure'}>
      <figcaption>
        <span>{made?.title}</span>
        {made !== undefined && (
          <Menu label={<span className="visually-hidden">Save {made.title}</span>} align="end">
            <MenuItem title="Save as SVG" onSelect={() => saveSvg(made)} />
            <MenuItem title="Save as PNG" onSelect={() => savePng(made)} />
            <MenuItem title="Save its numbers as CSV" onSelect={() => saveCsv(made)} />
          </Menu>
        )}
      </figcaption>
      <div
        className="plot"
        ref={frame}
        style={{ height }}
        onPointerMove={({ currentTarget, clientX, clientY }) => {
          const { left, top } = currentTarget.getBoundingClientRect();
          const found = made?.spotAt?.(clientX - left, clientY - top);
          setSpot(found);
          if (group !== undefined) update({ hovered: found?.draw && { group, draw: found.draw } });
        }}
        onPointerLeave={() => {
          setSpot(undefined);
          if (group !== undefined) update({ hovered: undefined });
        }}
      >
        {made !== undefined && <Picture plot={made} />}
        {linked !== undefined && <span className="spot linked" style={{ left: linked.x, top: linked.y }} />}
        {spot !== undefined && (
          <>
            <span className="spot" style={{ left: spot.x, top: spot.y }} />
            <span
              className={spot.x > width / 2 ? 'spot-text left' : 'spot-text'}
              style={{ left: spot.x, top: Math.max(12, spot.y) }}
            >
              {spot.text}
            </span>
          </>
        )}
      </div>
    </figure>
  );
}

function Picture({ plot }: { readonly plot: Plot }) {
  const host = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: dots have the theme's colours
  useEffect(() => {
    const dots = manyDots(plot);
    const shown = dots.length > 0 ? withoutDots(plot) : plot;
    const parsed = new DOMParser().parseFromString(svgText(shown, PAGE), 'image/svg+xml');
    // The figure's caption is the title: a second one would show as a tooltip.
    parsed.querySelector('title')?.remove();
    const picture = document.importNode(parsed.documentElement, true);
    if (dots.length === 0) host.current?.replaceChildren(picture);
    else {
      const canvas = document.createElement('canvas');
      canvas.className = 'dots';
      host.current?.replaceChildren(picture, canvas);
      drawDots(canvas, dots, plot);
    }
  }, [plot, theme]);
  return <div ref={host} />;
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark or light, however that came about. */
function useTheme(): string {
  const theme = useStore(({ theme }) => theme);
  const isDark = useSyncExternalStore(
    (changed) => {
      DARK.addEventListener('change', changed);
      return () => DARK.removeEventListener('change', changed);
    },
    () => DARK.matches,
  );
  return theme === 'system' ? (isDark ? 'dark' : 'light') : theme;
}
