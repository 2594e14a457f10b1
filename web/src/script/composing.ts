/** Arranges the parts of a plot, which may be titles, legends and a caption around a picture, in one picture. */
import { type PictureElement, PictureText } from './picture-document.js';

const SVG = 'http://www.w3.org/2000/svg';
const FONT = 'Inter, system-ui, sans-serif';
/** Widths of a character as fractions of the font size; labels are placed without measuring them. */
const CHARACTER = 0.6;

interface Placed {
  readonly element: PictureElement;
  readonly height: number;
}

/** The picture as SVG; undefined if the element is not a picture. */
export function composed(root: PictureElement, ink: string, surface: string): string | undefined {
  const width = widthOf(root);
  const parts = root.localName === 'svg' ? [picture(root)] : root.children.flatMap((child) => partsOf(child, width));
  if (!parts.some(({ element }) => element.localName === 'svg')) return undefined;
  const all = make(root, 'svg', {
    xmlns: SVG,
    width,
    height: parts.reduce((sum, { height }) => sum + height, 0),
    fill: 'currentColor',
    'font-family': FONT,
    style: `color: ${ink}; background: ${surface}; --plot-background: ${surface}`,
  });
  let y = 0;
  for (const { element, height } of parts) {
    if (element.localName === 'svg') element.setAttribute('y', y);
    else element.setAttribute('transform', `translate(0, ${y})`);
    all.appendChild(element);
    y += height;
  }
  return all.outerHTML;
}

function widthOf(root: PictureElement): number {
  const pictures = root.localName === 'svg' ? [root] : root.querySelectorAll('svg');
  return Math.max(0, ...pictures.map((each) => Number(each.getAttribute('width')) || 0));
}

function picture(element: PictureElement): Placed {
  return { element, height: Number(element.getAttribute('height')) || 0 };
}

function partsOf(part: PictureElement | PictureText, width: number): readonly Placed[] {
  if (part instanceof PictureText) return [];
  switch (part.localName) {
    case 'svg':
      return [picture(part)];
    case 'h2':
      return [text(part, 16, 600)];
    case 'h3':
      return [text(part, 13, 400)];
    case 'figcaption':
      return [text(part, 12, 400)];
    case 'div':
      return [swatches(part, width)];
    default:
      return [];
  }
}

function text(part: PictureElement, size: number, weight: number): Placed {
  const element = make(part, 'text', { y: size * 1.2, 'font-size': size, 'font-weight': weight });
  element.textContent = part.textContent;
  return { element, height: size * 1.7 };
}

/** A legend of swatches with labels, in as many lines as it requires. */
function swatches(part: PictureElement, width: number): Placed {
  const element = make(part, 'g', { 'font-size': 11 });
  let x = 0;
  let y = 0;
  for (const item of part.querySelectorAll('span')) {
    const label = item.textContent;
    const own = 20 + label.length * 11 * CHARACTER + 12;
    if (x > 0 && x + own > width) {
      x = 0;
      y += 20;
    }
    const symbol = item.querySelector('svg');
    if (symbol !== null) {
      symbol.setAttribute('x', x);
      symbol.setAttribute('y', y);
      element.appendChild(symbol);
    }
    const words = make(part, 'text', { x: x + 20, y: y + 12 });
    words.textContent = label;
    element.appendChild(words);
    x += own;
  }
  return { element, height: y + 24 };
}

function make(
  from: PictureElement,
  name: string,
  attributes: Readonly<Record<string, string | number>>,
): PictureElement {
  const made = from.ownerDocument.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
