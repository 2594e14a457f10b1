/** Saves plots as files, always in the colors for paper. */
import interUrl from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';
import type { SizedPlot } from '#engine/plots/picture-sizes.js';
import { withDotsPerInch } from '#engine/plots/png-density.js';
import type { Plot } from '#engine/plots/scene.js';
import { PAPER, svgText, titled } from '#engine/plots/svg.js';
import { saveBlob, saveText } from '../files/saving.js';

export async function saveSvg(plot: Plot): Promise<void> {
  saveText(await withFont(svgText(titled(plot), PAPER)), `${fileName(plot)}.svg`, 'image/svg+xml');
}

/** An SVG document that contains the font of the page: other programs, and images in pages, use another one. */
async function withFont(svg: string): Promise<string> {
  const font = await (await fetch(interUrl)).blob();
  const address = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(font);
  });
  const face = `@font-face{font-family:"Inter Variable";font-weight:100 900;src:url("${address}")}`;
  return svg.replace('<title>', `<style>${face}</style>\n<title>`);
}

export async function savePng({ density, dotsPerInch, plot }: SizedPlot): Promise<void> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([await withFont(svgText(plot, PAPER))], { type: 'image/svg+xml' }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(density * plot.width);
  canvas.height = Math.round(density * plot.height);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.fillStyle = PAPER.surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) return;
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const png = dotsPerInch === undefined ? bytes : withDotsPerInch(bytes, dotsPerInch);
  saveBlob(new Blob([png], { type: 'image/png' }), `${fileName(plot)}.png`);
}

export function saveCsv(plot: Plot): void {
  const { columns, rows } = plot.table();
  const lines = [columns, ...rows].map((cells) => cells.map(cellText).join(','));
  saveText(`${lines.join('\n')}\n`, `${fileName(plot)}.csv`, 'text/csv');
}

function cellText(cell: number | string): string {
  const text = `${cell}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fileName({ title }: Plot): string {
  return title.replace(/[^\p{L}\p{N}_[\],]+/gu, '-').toLowerCase();
}
