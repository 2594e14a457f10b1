import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { poster } from './poster.js';
import type { Mark, Plot } from './scene.js';

const plot = (marks: readonly Mark[]): Plot => ({
  title: 'x',
  description: 'x is drawn.',
  width: 100,
  height: 50,
  marks,
  table: () => ({ columns: [], rows: [] }),
});

describe('a poster', () => {
  it('moves every mark of a plot by the same distance', () => {
    const marks: readonly Mark[] = [
      { kind: 'line', points: [0, 0, 10, 20], ink: 'text' },
      { kind: 'boxes', boxes: [0, 0, 10, 20], ink: 'text' },
      { kind: 'segments', ends: [0, 0, 10, 20], ink: 'text' },
      { kind: 'crosses', points: [0, 0], ink: 'text', radius: 3 },
      { kind: 'text', x: 0, y: 0, text: 'a', ink: 'text' },
    ];
    const { marks: drawn } = poster('a', [{ plots: [plot([]), plot(marks)] }], 300);
    const [title, line, boxes, segments, crosses, text] = drawn;
    assert.ok(title?.kind === 'text' && line?.kind === 'line' && boxes?.kind === 'boxes');
    assert.ok(segments?.kind === 'segments' && crosses?.kind === 'crosses' && text?.kind === 'text');
    const [x, y] = Array.from(crosses.points);
    assert.ok(x > 100 && y > 24, 'beside the first plot, below its title');
    assert.deepEqual(Array.from(line.points), [x, y, x + 10, y + 20]);
    assert.deepEqual(Array.from(boxes.boxes), [x, y, 10, 20]);
    assert.deepEqual(Array.from(segments.ends), [x, y, x + 10, y + 20]);
    assert.deepEqual([text.x, text.y], [x, y]);
  });

  it('wraps texts, and is as high as its rows', () => {
    const words = Array.from({ length: 60 }, (_, k) => `word${k}`).join(' ');
    const one = poster('a', [{ texts: [{ text: 'a', ink: 'text', size: 12 }] }], 300);
    const many = poster('a', [{ texts: [{ text: words, ink: 'text', size: 12 }] }], 300);
    const lines = many.marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []));
    assert.equal(lines.join(' '), words);
    assert.ok(lines.length > 5 && lines.every(({ length }) => length <= 300 / (0.56 * 12)));
    assert.equal(many.height - one.height, 18 * (lines.length - 1));
    assert.equal(many.description, words);
  });
});
