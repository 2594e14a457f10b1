/** The catalogue of the page's words. The compiler checks keys and arguments; this checks what is in the texts. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { IntlMessageFormat } from 'intl-messageformat';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Catalogue = Readonly<Record<string, Readonly<Record<string, string>>>>;

const folder = `${root}web/src/words`;
const tags = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** The messages of a language by area. Only the page's build compiles their files. */
async function catalogueOf(tag: string): Promise<Catalogue> {
  const { outputFiles } = await build({
    entryPoints: [`${folder}/${tag}/index.ts`],
    bundle: true,
    format: 'esm',
    write: false,
  });
  const exported: Readonly<Record<string, Catalogue>> = await import(
    `data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`
  );
  const [catalogue = {}] = Object.values(exported);
  return catalogue;
}

describe('the words of the page', async () => {
  const all = await Promise.all(
    tags.map(async (tag) => {
      const messages = Object.entries(await catalogueOf(tag)).flatMap(([area, names]) =>
        Object.entries(names).map(([name, text]) => ({ key: `${area}.${name}`, text })),
      );
      return { tag, messages };
    }),
  );

  it('are in English and German at least', () => {
    assert.ok(tags.includes('en') && tags.includes('de'));
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
