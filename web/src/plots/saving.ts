/** Plots as files: on paper's colours, whatever the page's are. */
import type { Plot } from '#engine/plots/scene.js';
import { PAPER, svgText } from '#engine/plots/svg.js';

export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveSvg(plot: Plot): void {
  saveBlob(new Blob([svgText(plot, PAPER)], { type: 'image/svg+xml' }), `${fileName(plot)}.svg`);
}

/** Pixels for each unit of the plot. */
const DENSITY = 2;

export async function savePng(plot: Plot): Promise<void> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svgText(plot, PAPER)], { type: 'image/svg+xml' }));
  image.src = url;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = DENSITY * plot.width;
  canvas.height = DENSITY * plot.height;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.fillStyle = PAPER.surface;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(url);
  canvas.toBlob((blob) => blob && saveBlob(blob, `${fileName(plot)}.png`), 'image/png');
}

export function saveCsv(plot: Plot): void {
  const { columns, rows } = plot.table();
  const lines = [columns, ...rows].map((cells) => cells.map(cellText).join(','));
  saveBlob(new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' }), `${fileName(plot)}.csv`);
}

function cellText(cell: number | string): string {
  const text = `${cell}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fileName({ title }: Plot): string {
  return title.replace(/[^A-Za-z0-9_[\],]+/g, '-').toLowerCase();
}
