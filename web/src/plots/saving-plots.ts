/** Saves plots as files, always in the colors for paper. */
import type { Plot } from '#engine/plots/scene.js';
import { PAPER, svgText, titled } from '#engine/plots/svg.js';
import { saveBlob, saveText } from '../files/saving.js';

export function saveSvg(plot: Plot): void {
  saveText(svgText(titled(plot), PAPER), `${fileName(plot)}.svg`, 'image/svg+xml');
}

/** Pixels per unit of the plot. */
const DENSITY = 2;

export async function savePng(untitled: Plot): Promise<void> {
  const plot = titled(untitled);
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
  saveText(`${lines.join('\n')}\n`, `${fileName(plot)}.csv`, 'text/csv');
}

function cellText(cell: number | string): string {
  const text = `${cell}`;
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function fileName({ title }: Plot): string {
  return title.replace(/[^\p{L}\p{N}_[\],]+/gu, '-').toLowerCase();
}
