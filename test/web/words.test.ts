/** The catalogue of the page's words. The compiler checks keys and arguments; this checks what is in the texts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { IntlMessageFormat } from 'intl-messageformat';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The messages of the source files, which only the page's build compiles. */
async function catalogues(): Promise<Readonly<Record<string, Catalogue>>> {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { english as en } from './en/index.ts'; export { german as de } from './de/index.ts';`,
      resolveDir: `${root}web/src/words`,
    },
    bundle: true,
    format: 'esm',
    write: false,
  });
  return await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}

describe('the words of the page', async () => {
  const all = Object.entries(await catalogues()).map(([tag, areas]) => {
    const messages = Object.entries(areas).flatMap(([area, names]) =>
      Object.entries(names).map(([name, text]) => ({ key: `${area}.${name}`, text })),
    );
    return { tag, messages };
  });

  it('are in two languages', () => {
    assert.deepEqual(all.map(({ tag }) => tag).toSorted(), ['de', 'en']);
    for (const { messages } of all) assert.ok(messages.length > 300);
  });

  for (const { tag, messages } of all) {
    it(`have the syntax of ICU messages, without stray spaces, in ${tag}`, () => {
      for (const { key, text } of messages) {
        assert.doesNotThrow(() => new IntlMessageFormat(text, tag), key);
        assert.ok(text.trim() !== '', key);
        assert.doesNotMatch(text, / {2}/, key);
      }
    });
  }

  it('end in German as in English: a sentence, a label, an ellipsis', () => {
    const german = new Map(all.find(({ tag }) => tag === 'de')?.messages.map(({ key, text }) => [key, text]));
    for (const { key, text } of all.find(({ tag }) => tag === 'en')?.messages ?? []) {
      const end = (message = '') => /[.:?…]$/.exec(message)?.[0] ?? '';
      assert.equal(end(german.get(key)), end(text), key);
    }
  });
});
