import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { format } from '../syntax/format.js';
import { parse } from '../syntax/parse.js';
import { formattingEdits, type LineEdit } from './formatting-edits.js';

const formatted = (text: string) => {
  const parsed = parse({ name: 'm', text });
  assert.ok('program' in parsed);
  return format(parsed.program);
};
const applied = (text: string, edits: readonly LineEdit[]) =>
  edits.reduceRight((left, { from, to, text: made }) => left.slice(0, from) + made + left.slice(to), text);

const UGLY = `data { int N;
vector[N]   y; }
parameters {
  real mu; real<lower=0> sigma;

}
model {
      mu ~ normal(0,1);
  for (n in 1:N) { y[n] ~ normal(mu,
      sigma); }
}
`;

describe('edits that format a text', () => {
  it('give the formatted text together', () => {
    assert.equal(applied(UGLY, formattingEdits(UGLY, formatted(UGLY))), formatted(UGLY));
  });

  it('leave a valid program with the same tokens, each alone', () => {
    const edits = formattingEdits(UGLY, formatted(UGLY));
    assert.ok(edits.length >= 3, `${edits.length} edits`);
    for (const edit of edits) {
      const text = applied(UGLY, [edit]);
      assert.equal(text.replace(/\s/g, ''), UGLY.replace(/\s/g, ''));
      assert.equal(formatted(text), formatted(UGLY));
    }
  });

  it('change only the lines that differ', () => {
    const text = 'model {\nprint(1  );\n  print(2);\nprint(3);\n}\n';
    assert.deepEqual(formattingEdits(text, formatted(text)), [
      { from: 8, to: 20, text: '  print(1);\n' },
      { from: 32, to: 42, text: '  print(3);\n' },
    ]);
  });

  it('are none for a formatted text, also with the line ends of Windows', () => {
    assert.deepEqual(formattingEdits('model {\r\n\r\n}\r\n', 'model {\n\n}\n'), []);
    assert.deepEqual(formattingEdits('model {\n}\n', 'model {\n}\n'), []);
  });

  it('contain characters that move in one edit', () => {
    const text = 'a\n{ b // c\n}\nd\n e\n';
    const made = 'a\n{\n  b } // c\nd\ne\n';
    const edits = formattingEdits(text, made);
    assert.equal(applied(text, edits), made);
    assert.deepEqual(
      edits.map(({ from, to }) => text.slice(from, to)),
      ['{ b // c\n}\n', ' e\n'],
    );
  });

  it('add and remove lines at the start and at the end', () => {
    for (const [text, made] of [
      ['\n\nmodel { }', 'model {\n\n}\n'],
      ['model {\n}', 'model {\n}\n'],
      ['', '\n'],
      ['model {\n}\n\n\n', 'model {\n}\n'],
    ])
      assert.equal(applied(text, formattingEdits(text, made)), made);
  });
});
