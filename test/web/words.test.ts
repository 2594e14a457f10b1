/** The catalog of the page's texts. The compiler checks keys and arguments; these tests check the contents of the texts. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { IntlMessageFormat } from 'intl-messageformat';
import { algorithms } from '../../src/inference/algorithms/registry.js';
import { argumentsOf } from '../../src/requests/functions.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));

type Catalog = Readonly<Record<string, Readonly<Record<string, string>>>>;

const folder = `${root}web/src/words`;
const tags = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));

/** The only export of a file of a language. Only the page's build compiles these files. */
async function exportOf(tag: string, file: string): Promise<Catalog> {
  const exported: Readonly<Record<string, Catalog>> = await moduleAt(`words/${tag}/${file}.ts`);
  const [catalog = {}] = Object.values(exported);
  return catalog;
}

/** The exports of a module of the page. */
async function moduleAt(path: string) {
  const { outputFiles } = await build({
    entryPoints: [`${root}web/src/${path}`],
    bundle: true,
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}

/** Built-in texts of one type, such as `lessons/coin/lesson.md`. */
function builtIn(kind: 'examples' | 'lessons', file: string): string[] {
  return readdirSync(`${root}web/src/${kind}`, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [`${root}web/src/${kind}/${entry.name}/${file}`] : [],
  );
}

/** The structure of a lesson: the goals of each step, and its code. */
function structureOf(lesson: string): readonly (readonly string[])[] {
  return lesson.split(/^---$/m).map((step) => [...step.matchAll(/^```[\s\S]*?^```/gm)].map(([block]) => block));
}

describe('the words of the page', async () => {
  const all = await Promise.all(
    tags.map(async (tag) => {
      const messages = Object.entries(await exportOf(tag, 'index')).flatMap(([area, names]) =>
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

  for (const tag of tags.filter((each) => each !== 'en')) {
    it(`describe only arguments of the engine in ${tag}`, async () => {
      const { arguments: ofArguments = {}, functions = {} } = await exportOf(tag, 'descriptions');
      const used = new Set<string>();
      for (const algorithm of algorithms) {
        const short = algorithm.functionName.split('::').at(-1) ?? '';
        for (const { name } of argumentsOf(algorithm))
          used.add(Object.hasOwn(ofArguments, `${short}.${name}`) ? `${short}.${name}` : name);
      }
      assert.deepEqual(
        Object.keys(ofArguments).filter((key) => !used.has(key)),
        [],
      );
      for (const [key, text] of Object.entries({ ...functions, ...ofArguments })) assert.match(text, /\.$/, key);
    });

    it(`describe one meaning of an argument by one text in ${tag}`, async () => {
      const { arguments: ofArguments = {} } = await exportOf(tag, 'descriptions');
      const meanings = new Map<string, Set<string>>();
      for (const algorithm of algorithms) {
        const short = algorithm.functionName.split('::').at(-1) ?? '';
        for (const { description, name } of argumentsOf(algorithm)) {
          const text = ofArguments[`${short}.${name}`] ?? ofArguments[name];
          if (text !== undefined) meanings.set(text, (meanings.get(text) ?? new Set()).add(description));
        }
      }
      // Several arguments may have the same description in English, but not the reverse.
      for (const [text, english] of meanings) assert.equal(english.size, 1, text);
    });

    it(`have the programs of lessons in ${tag}, which differ only in comments`, () => {
      const withoutComments = (path: string) => readFileSync(path, 'utf8').replaceAll(/ *\/\/.*/g, '');
      for (const file of builtIn('lessons', 'model.stan')) {
        const path = file.replace(/stan$/, `${tag}.stan`);
        assert.equal(existsSync(path), readFileSync(file, 'utf8').includes('//'), file);
        if (existsSync(path)) assert.equal(withoutComments(path), withoutComments(file), file);
      }
    });

    it(`have the steps, the goals and the code of each lesson in ${tag}`, () => {
      for (const file of builtIn('lessons', 'lesson.md')) {
        const path = file.replace(/md$/, `${tag}.md`);
        if (!existsSync(path)) continue;
        const translated = readFileSync(path, 'utf8');
        assert.deepEqual(structureOf(translated), structureOf(readFileSync(file, 'utf8')), file);
      }
    });
  }

  it('end in German as in English: a sentence, a label, an ellipsis', () => {
    const english = new Map(all.find(({ tag }) => tag === 'en')?.messages.map(({ key, text }) => [key, text]));
    for (const { key, text } of all.find(({ tag }) => tag === 'de')?.messages ?? []) {
      const end = (message = '') => /[.:?…]$/.exec(message)?.[0] ?? '';
      assert.equal(end(text), end(english.get(key)), key);
    }
  });

  it('have decimal numbers of their language', async () => {
    const { loadLanguage, numerals, plotWords, stated, t } = await moduleAt('words/messages.ts');
    const findings = [
      { key: 'divergences', values: { count: 153, draws: 4000, share: '3.83' } },
      { key: 'rhatHigh', values: { limit: 1.01, count: 1, names: 'mu (1.048)', more: 0 } },
    ];
    assert.match(stated(findings), /\(3\.83 %\).*1\.01.*mu \(1\.048\)/);
    assert.deepEqual([numerals.column(0.5), plotWords.short(-0.25)], ['0.500', '−0.25']);
    await loadLanguage('de');
    assert.match(stated(findings), /\(3,83 %\).*1,01.*mu \(1,048\)/);
    assert.match(t('plots.mcseOfElpd', { value: '0.12' }), /0,12/);
    assert.equal(t('explore.drawn', { count: 1000, time: 12.5 }), '1.000 Ziehungen in 12,5 ms.');
    assert.match(plotWords('range', { from: '0.5', to: '1.5' }), /0,5.*1,5/);
    assert.deepEqual([numerals.column(0.5), plotWords.short(-0.25)], ['0,500', '−0,25']);
  });

  it('give compile times in milliseconds, or in seconds from one on', async () => {
    const { compileTimeWords } = await moduleAt('words/compile-time.ts');
    assert.deepEqual([130.4, 999, 12_904].map(compileTimeWords), [
      'compiled in 130 ms',
      'compiled in 999 ms',
      'compiled in 12.9 s',
    ]);
  });

  it('explain each term in three sentences', async () => {
    for (const tag of tags) {
      for (const [term, sentences] of Object.entries(await exportOf(tag, 'terms'))) {
        assert.equal(Object.values(sentences).length, 3, term);
        for (const sentence of Object.values(sentences)) assert.match(sentence ?? '.', /\.$/, `${tag} ${term}`);
      }
    }
  });

  it('are in English where a translation lacks them', async () => {
    const { findText } = await moduleAt('words/lookup.ts');
    const messages = { actions: { run: 'Starten' } };
    assert.deepEqual(findText(messages, 'de', 'actions.run'), { text: 'Starten', language: 'de' });
    assert.deepEqual(findText(messages, 'de', 'actions.cancel'), { text: 'Cancel the run', language: 'en' });
    assert.deepEqual(findText(messages, 'de', 'frame.cancel'), { text: 'Cancel', language: 'en' });
    const { translatedSentences } = await moduleAt('terms/translated-sentences.ts');
    assert.deepEqual(translatedSentences(['One.', 'Two.'], [undefined, 'Zwei.'], 'de'), [
      { text: 'One.', language: 'en' },
      { text: 'Zwei.', language: 'de' },
    ]);
    assert.deepEqual(translatedSentences(['One.'], undefined, 'de'), [{ text: 'One.', language: 'en' }]);
  });
});
