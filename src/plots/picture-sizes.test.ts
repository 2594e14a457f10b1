import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sizedPlot } from './picture-sizes.js';
import type { Plot, Size } from './scene.js';

const draw = ({ width, height }: Size): Plot => ({
  width,
  height,
  title: 'Trace of mu',
  description: '',
  legend: [{ ink: 'chain1', text: 'chain 1' }],
  marks: [],
  table: () => ({ columns: [], rows: [] }),
});

function pixels(shown: Size, medium: 'screen' | 'slide' | 'print', isWide = false) {
  const { plot, density, dotsPerInch } = sizedPlot(draw(shown), draw, medium, isWide);
  return [Math.round(plot.width * density), Math.round(plot.height * density), dotsPerInch];
}

describe('a saved picture', () => {
  it('has twice the pixels of the page, below its title and legend, for the screen', () => {
    assert.deepEqual(pixels({ width: 360, height: 220 }, 'screen'), [720, 2 * (220 + 28 + 16), undefined]);
  });

  it('fills a slide, also if the plot has many rows', () => {
    assert.deepEqual(pixels({ width: 360, height: 220 }, 'slide'), [1920, 1080, undefined]);
    const tall = sizedPlot(draw({ width: 360, height: 900 }), draw, 'slide', false);
    assert.deepEqual(pixels({ width: 360, height: 900 }, 'slide'), [1920, 1080, undefined]);
    assert.ok(tall.plot.height >= 900, 'the rows keep their distance');
  });

  it('is as wide as one or two columns of a journal in print, at 300 dots per inch', () => {
    const [width, height, dots] = pixels({ width: 360, height: 220 }, 'print');
    assert.deepEqual([width, dots], [Math.round((85 / 25.4) * 300), 300]);
    assert.equal(height, Math.round(((220 + 28 + 16) / 96) * 300));
    assert.equal(pixels({ width: 760, height: 220 }, 'print', true)[0], Math.round((170 / 25.4) * 300));
  });
});
