import { useEffect, useRef, useSyncExternalStore } from 'react';
import type { Plot } from '#engine/plots/scene.js';
import { svgText } from '#engine/plots/svg.js';
import { drawDots, manyDots, withoutDots } from '../../plots/many-dots.js';
import { PAGE } from '../../plots/palette.js';
import { useStore } from '../../state/store.js';

/** The marks of a plot in the page's colors; very many dots are drawn on a canvas. */
export function Picture({ plot }: { readonly plot: Plot }) {
  const host = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  // biome-ignore lint/correctness/useExhaustiveDependencies: dots have the theme's colors
  useEffect(() => {
    const dots = manyDots(plot);
    const shown = dots.length > 0 ? withoutDots(plot) : plot;
    const parsed = new DOMParser().parseFromString(svgText(shown, PAGE), 'image/svg+xml');
    // The figure's caption is the title: a second one would appear as a tooltip.
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

/** The current theme, dark or light, whether chosen or inherited from the system. */
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
