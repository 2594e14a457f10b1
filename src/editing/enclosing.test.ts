import assert from 'node:assert/strict';
import { it } from 'node:test';
import { parse } from '../syntax/parse.js';
import { enclosing } from './enclosing.js';

const TEXT = 'parameters {\n  real x;\n}\nmodel {\n  if (x > 0) target += -(x + 1) ^ 2;\n}\n';

it('grows a selection from an expression to its block', () => {
  const parsed = parse({ name: 'm', text: TEXT });
  assert.ok('program' in parsed);
  const { program } = parsed;
  const texts = enclosing(program, 'm', TEXT.indexOf('x + 1')).map(({ from, to }) => TEXT.slice(from, to));
  assert.equal(texts[0], 'x');
  assert.equal(texts[1], 'x + 1');
  assert.ok(texts.includes('(x + 1) ^ 2'));
  assert.ok(texts.includes('target += -(x + 1) ^ 2;'));
  assert.match(texts[texts.length - 1], /^model \{[\s\S]*\}$/);
  for (const [index, text] of texts.slice(1).entries()) assert.ok(text.includes(texts[index]));
  assert.deepEqual(enclosing(program, 'other', 20), []);
});
