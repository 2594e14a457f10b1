/** Colors of plots for readers with color-vision deficiencies. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { STYLE } from '../../src/plots/report/style.js';
import { PAPER } from '../../src/plots/svg.js';
import { ROOT } from '../project/tree.js';

type Triple = readonly [number, number, number];

/** Severity 1.0 of G. Machado and others, "A physiologically-based model for simulation of color vision deficiency" (2009). */
const VISIONS: Readonly<Record<string, readonly [Triple, Triple, Triple]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};
/** Minimum distance in CIELAB (1976). */
const LEAST = 15;

const dot = (a: Triple, b: Triple) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

function linearOf(color: string): Triple {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

/** CIELAB with the white point D65. */
function labOf(rgb: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f(dot([0.4124564, 0.3575761, 0.1804375], rgb) / 0.95047);
  const y = f(dot([0.2126729, 0.7151522, 0.072175], rgb));
  const z = f(dot([0.0193339, 0.119192, 0.9503041], rgb) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function seen(color: string, [r, g, b]: readonly [Triple, Triple, Triple]): Triple {
  const own = linearOf(color);
  const within = (value: number) => Math.min(1, Math.max(0, value));
  return labOf([within(dot(r, own)), within(dot(g, own)), within(dot(b, own))]);
}

/** The colors of chains and of divergences in a style sheet, light and dark. */
function shadesIn(style: string): readonly (readonly string[])[] {
  const names = [...PAPER.chains.map((_, index) => `chain-${index + 1}`), 'text'];
  const shades = names.map((name) => new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\)`).exec(style) ?? []);
  return [1, 2].map((side) => shades.map((found) => found[side] ?? ''));
}

const tokens = readFileSync(join(ROOT, 'web', 'src', 'styles', 'tokens.css'), 'utf8');
const [light = [], dark = []] = shadesIn(tokens);
const PALETTES = { light, dark };

describe('the colors of chains and divergences', () => {
  for (const [palette, colors] of Object.entries(PALETTES))
    for (const [vision, matrix] of Object.entries(VISIONS))
      it(`differ on ${palette} with ${vision} color vision`, () => {
        const all = colors.map((color) => seen(color, matrix));
        for (const [i, a] of all.entries())
          for (const [j, b] of all.slice(0, i).entries()) {
            const distance = Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
            assert.ok(distance >= LEAST, `${colors[i]} and ${colors[j]}: ${distance.toFixed(1)}`);
          }
      });

  it('are the same on the page, in reports and on paper', () => {
    assert.deepEqual(shadesIn(STYLE), [light, dark]);
    assert.deepEqual([...PAPER.chains, PAPER.divergence], light);
  });
});
