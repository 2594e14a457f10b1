import { useEffect, useMemo, useRef, useState } from 'react';
import type { Plot, Size, Spot } from '#engine/plots/scene.js';
import { svgText } from '#engine/plots/svg.js';
import { PAGE } from '../../plots/palette.js';
import { saveCsv, savePng, saveSvg } from '../../plots/saving-plots.js';
import { Menu, MenuItem } from '../Menu.js';

export interface FigureProps {
  readonly height: number;
  /** Whether it takes all columns. */
  readonly isWide?: boolean;
  readonly plot: (size: Size) => Plot;
  /** Changes when the plot is to be made again. */
  readonly version: unknown;
}

/** A plot in the page as wide as there is room, with its title, what lies under the pointer, and ways to save it. */
export function Figure({ height, isWide = false, plot, version }: FigureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [spot, setSpot] = useState<Spot>();
  useEffect(() => {
    if (frame.current === null) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry?.contentRect.width ?? 0)));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what the plot shows is told by the version
  const made = useMemo(() => (width < 40 ? undefined : plot({ width, height })), [width, height, version]);
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
          setSpot(made?.spotAt?.(clientX - left, clientY - top));
        }}
        onPointerLeave={() => setSpot(undefined)}
      >
        {made !== undefined && <Picture plot={made} />}
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
  useEffect(() => {
    const parsed = new DOMParser().parseFromString(svgText(plot, PAGE), 'image/svg+xml');
    // The figure's caption is the title: a second one would show as a tooltip.
    parsed.querySelector('title')?.remove();
    host.current?.replaceChildren(document.importNode(parsed.documentElement, true));
  }, [plot]);
  return <div ref={host} />;
}
