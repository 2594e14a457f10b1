import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { COLUMN, type Medium, PRINT_DOTS_PER_INCH, SLIDE, sizedPlot } from '#engine/plots/picture-sizes.js';
import type { Plot, Point, Size, Spot } from '#engine/plots/scene.js';
import type { Range, Selected } from '#engine/plots/selection.js';
import { faded } from '../../plots/faded.js';
import { saveCsv, savePng, saveSvg } from '../../plots/saving-plots.js';
import { update, useStore } from '../../state/store.js';
import { plotWords, t } from '../../words/messages.js';
import { Menu, MenuItem } from '../Menu.js';
import { Legend } from './Legend.js';
import { Picture } from './Picture.js';
import { PlotNumbers } from './PlotNumbers.js';

export interface FigureProps {
  /** In pixels; may depend on the width. */
  readonly height: number | ((width: number) => number);
  /** Whether it spans all columns of the page. */
  readonly isWide?: boolean;
  readonly plot: (size: Size) => Plot;
  /** Whether its legend is shown, because no other figure shows the same one. */
  readonly hasLegend?: boolean;
  /** Whether the description for screen readers is also shown below it. */
  readonly isDescribed?: boolean;
  /** Figures of one group mark the draw under the pointer together. */
  readonly group?: string;
  /** The selected draws; undefined without a selection. */
  readonly selected?: Selected | undefined;
  /** Called with the ranges over which the user has dragged; empty after a click. */
  readonly onSelect?: (ranges: readonly Range[]) => void;
  /** A value that changes when the plot must be redrawn. */
  readonly version: unknown;
}

/** Pictures that can be saved, and what the menu states about each. */
const MEDIA: readonly {
  readonly medium: Medium;
  readonly title: 'plots.pngForScreen' | 'plots.pngForSlide' | 'plots.pngForPrint';
  readonly detail: (isWide: boolean) => string;
}[] = [
  { medium: 'screen', title: 'plots.pngForScreen', detail: () => t('plots.sizeForScreen') },
  {
    medium: 'slide',
    title: 'plots.pngForSlide',
    detail: () => t('plots.sizeForSlide', { width: SLIDE.width, height: SLIDE.height }),
  },
  {
    medium: 'print',
    title: 'plots.pngForPrint',
    detail: (isWide) =>
      t('plots.sizeForPrint', { width: COLUMN[isWide ? 'double' : 'single'], dots: PRINT_DOTS_PER_INCH }),
  },
];

/** A plot with the width of its container, its title, a tooltip, its numbers as a table, and buttons to save it. */
export function Figure({
  height: given,
  isWide = false,
  isDescribed = false,
  hasLegend = false,
  plot,
  group,
  version,
  selected,
  onSelect,
}: FigureProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [isTable, setTable] = useState(false);
  const [width, setWidth] = useState(0);
  const [spot, setSpot] = useState<Spot>();
  const isInWindow = useStore(({ overlay }) => overlay !== undefined);
  const hovered = useStore(({ hovered }) =>
    group !== undefined && hovered?.group === group ? hovered.draw : undefined,
  );
  useEffect(() => {
    if (frame.current === null) return;
    // A hidden plot keeps its width.
    const observer = new ResizeObserver(([entry]) =>
      setWidth((width) => Math.floor(entry?.contentRect.width ?? 0) || width),
    );
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  const height = typeof given === 'number' ? given : given(width);
  const draw = (size: Size) => plot({ ...size, words: plotWords });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version determines what the plot shows
  const made = useMemo(() => (width < 40 ? undefined : draw({ width, height })), [width, height, version]);
  const [shown, overlay] = useMemo(() => {
    if (made === undefined || selected === undefined || made.marksOf === undefined) return [made, undefined];
    return [faded(made), { ...made, marks: made.marksOf(selected) }];
  }, [made, selected]);
  const brush = useBrush(made, onSelect);
  const linked = spot === undefined && hovered !== undefined ? made?.placeOf?.(hovered) : undefined;
  return (
    <figure className={isWide ? 'figure wide' : 'figure'}>
      <figcaption>
        <span className="figure-title">{made?.title}</span>
        {spot !== undefined && <span className="spot-text">{spot.text}</span>}
        {made !== undefined && (
          <Menu label={<span className="visually-hidden">{t('plots.save', { title: made.title })}</span>} align="end">
            {!isInWindow && (
              <MenuItem
                title={t('plots.enlarge')}
                onSelect={() => update({ overlay: 'enlarged', enlarged: { plot } })}
              />
            )}
            <MenuItem title={t(isTable ? 'plots.showPlot' : 'plots.showNumbers')} onSelect={() => setTable(!isTable)} />
            <MenuItem title={t('plots.saveSvg')} onSelect={() => void saveSvg(made)} />
            {MEDIA.map(({ medium, title, detail }) => (
              <MenuItem
                key={medium}
                title={t(title)}
                detail={detail(isWide)}
                onSelect={() => void savePng(sizedPlot(made, draw, medium, isWide))}
              />
            ))}
            <MenuItem title={t('plots.saveCsv')} onSelect={() => saveCsv(made)} />
          </Menu>
        )}
      </figcaption>
      {hasLegend && made?.legend !== undefined && <Legend entries={made.legend} />}
      {isTable && made !== undefined && (
        <div className="plot-numbers" style={{ height }}>
          <PlotNumbers plot={made} />
        </div>
      )}
      <div
        hidden={isTable}
        className={onSelect !== undefined && made?.rangesIn !== undefined ? 'plot brushable' : 'plot'}
        ref={frame}
        style={{ height }}
        onPointerDown={brush.onDown}
        onPointerUp={brush.onUp}
        onPointerCancel={brush.onCancel}
        onPointerMove={(event) => {
          if (brush.onMove(event)) return;
          const { x, y } = placeIn(event);
          const found = made?.spotAt?.(x, y);
          setSpot(found);
          if (group !== undefined) update({ hovered: found?.draw && { group, draw: found.draw } });
        }}
        onPointerLeave={() => {
          setSpot(undefined);
          if (group !== undefined) update({ hovered: undefined });
        }}
      >
        {shown !== undefined && <Picture plot={shown} />}
        {overlay !== undefined && (
          <div className="picked" aria-hidden="true">
            <Picture plot={overlay} />
          </div>
        )}
        {brush.box !== undefined && <span className="brush" style={brush.box} />}
        {linked !== undefined && <span className="spot linked" style={{ left: linked.x, top: linked.y }} />}
        {spot !== undefined && <span className="spot" style={{ left: spot.x, top: spot.y }} />}
      </div>
      {isDescribed && (
        <p className="description" aria-hidden="true">
          {made?.description}
        </p>
      )}
    </figure>
  );
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Maximum movement of the pointer, in pixels, during a click. */
const STILL = 4;

/** Dragging over a plot selects a range. Touch scrolls the page instead. */
function useBrush(plot: Plot | undefined, onSelect: FigureProps['onSelect']) {
  const [corners, setCorners] = useState<readonly [Point, Point]>();
  const ranges = corners && plot?.rangesIn?.(...corners);
  const isDragged = corners !== undefined && Math.max(...distances(corners)) > STILL;
  return {
    box:
      plot !== undefined && corners !== undefined && isDragged ? boxOf(plot, corners, ranges?.length === 1) : undefined,
    onDown: (event: PointerEvent<HTMLElement>) => {
      if (onSelect === undefined || plot?.rangesIn === undefined) return;
      if (event.button !== 0 || event.pointerType === 'touch') return;
      event.preventDefault();
      event.currentTarget.setPointerCapture(event.pointerId);
      const place = placeIn(event);
      setCorners([place, place]);
    },
    /** Whether the pointer is being dragged. */
    onMove: (event: PointerEvent<HTMLElement>) => {
      if (corners === undefined) return false;
      setCorners([corners[0], placeIn(event)]);
      return isDragged;
    },
    onUp: () => {
      if (corners === undefined) return;
      setCorners(undefined);
      onSelect?.(isDragged ? (ranges ?? []) : []);
    },
    onCancel: () => setCorners(undefined),
  };
}

function placeIn({ currentTarget, clientX, clientY }: PointerEvent<HTMLElement>): Point {
  const { left, top } = currentTarget.getBoundingClientRect();
  return { x: clientX - left, y: clientY - top };
}

function distances([corner, opposite]: readonly [Point, Point]): readonly [number, number] {
  return [Math.abs(opposite.x - corner.x), Math.abs(opposite.y - corner.y)];
}

/** The dragged rectangle; it spans the whole height if the vertical axis has no meaning. */
function boxOf({ height }: Size, corners: readonly [Point, Point], isWhole: boolean): Box {
  const [corner, opposite] = corners;
  const [width, up] = distances(corners);
  const left = Math.min(corner.x, opposite.x);
  return isWhole ? { left, top: 0, width, height } : { left, top: Math.min(corner.y, opposite.y), width, height: up };
}
