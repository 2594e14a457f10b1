/** Draws many dots on a canvas, because tens of thousands of SVG elements are slow. */
import type { Mark, Plot } from '#engine/plots/scene.js';
import { colorOf } from '#engine/plots/svg.js';
import { PAGE } from './palette.js';

type Dots = Extract<Mark, { readonly kind: 'dots' | 'crosses' }>;

/** Maximum number of dots that are SVG elements. */
const MOST_ELEMENTS = 20_000;

/** The dots and crosses of a plot that has too many for SVG; empty for other plots. */
export function manyDots({ marks }: Plot): readonly Dots[] {
  const dots = marks.filter((mark) => mark.kind === 'dots' || mark.kind === 'crosses');
  const count = dots.reduce((sum, { points }) => sum + points.length / 2, 0);
  return count > MOST_ELEMENTS ? dots : [];
}

/** The plot without those dots. */
export function withoutDots(plot: Plot): Plot {
  return { ...plot, marks: plot.marks.filter(({ kind }) => kind !== 'dots' && kind !== 'crosses') };
}

const CROSS_WIDTH = 1.5;

/** Draws dots and crosses in the current theme's colors. */
export function drawDots(canvas: HTMLCanvasElement, dots: readonly Dots[], { width, height }: Plot): void {
  const scale = devicePixelRatio;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.scale(scale, scale);
  const probe = document.createElement('span');
  canvas.after(probe);
  for (const mark of dots) {
    const { points, ink, radius } = mark;
    // Colors are CSS variables, which an element can resolve and a canvas cannot.
    probe.style.color = colorOf(ink, PAGE);
    const { color } = getComputedStyle(probe);
    context.fillStyle = color;
    context.strokeStyle = color;
    context.globalAlpha = mark.kind === 'dots' ? (mark.opacity ?? 1) : 1;
    context.lineWidth = CROSS_WIDTH;
    for (let k = 0; k < points.length; k += 2) {
      const [x, y] = [points[k] ?? 0, points[k + 1] ?? 0];
      if (mark.kind === 'dots') context.fillRect(x - radius, y - radius, 2 * radius, 2 * radius);
      else {
        // One path per mark: a path with many lines that cross each other is slow.
        context.beginPath();
        context.moveTo(x - radius, y - radius);
        context.lineTo(x + radius, y + radius);
        context.moveTo(x - radius, y + radius);
        context.lineTo(x + radius, y - radius);
        context.stroke();
      }
    }
  }
  probe.remove();
}
