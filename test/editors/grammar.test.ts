/** The TextMate grammar of the extension, compared with the lexer of the compiler. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, describe, it } from 'node:test';
import oniguruma from 'vscode-oniguruma';
import textmate from 'vscode-textmate';
import { highlight, type Styled } from '../../src/editing/highlight.js';
import { reservedWord } from '../../src/syntax/reserved-words.js';
import { keywords } from '../../src/syntax/token.js';
import { filesBelow, read } from '../project/tree.js';

const WASM = createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm');
const GRAMMAR = 'editors/vscode/stan.tmLanguage.json';

const SCOPES: Readonly<Record<Styled['style'], RegExp>> = {
  block: /^entity\.name\.section/,
  keyword: /^(keyword\.control|storage\.modifier|support\.function|variable\.language|storage\.type)/,
  type: /^storage\.(type|modifier)/,
  number: /^constant\.numeric/,
  string: /^string\.quoted/,
  comment: /^comment/,
  include: /^(keyword\.control\.directive|string\.other)\.include/,
  function: /^(entity\.name|support)\.function/,
  distribution: /^support\.function\.distribution/,
  name: /^(variable\.other|keyword\.control\.truncation)/,
  operator: /^keyword\.operator/,
  bracket: /^source/,
  fault: /./,
};

describe('the grammar', () => {
  let grammar: textmate.IGrammar | null = null;
  before(async () => {
    await oniguruma.loadWASM(readFileSync(WASM));
    const registry = new textmate.Registry({
      onigLib: Promise.resolve({
        createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
        createOnigString: (text) => new oniguruma.OnigString(text),
      }),
      loadGrammar: async () => textmate.parseRawGrammar(read(GRAMMAR), GRAMMAR),
    });
    grammar = await registry.loadGrammar('source.stan');
  });

  /** The innermost scope at each offset of a text. */
  function scopesOf(text: string): readonly string[] {
    const scopes: string[] = [];
    let stack = textmate.INITIAL;
    for (const line of text.split('\n')) {
      const found = grammar?.tokenizeLine(line, stack);
      assert.ok(found);
      stack = found.ruleStack;
      for (const { startIndex, endIndex, scopes: names } of found.tokens) {
        for (let k = startIndex; k < Math.min(endIndex, line.length); k++) scopes.push(names.at(-1) ?? '');
      }
      scopes.push('');
    }
    return scopes;
  }

  function differences(text: string): readonly string[] {
    const scopes = scopesOf(text);
    return highlight(text).flatMap(({ from, style }) =>
      SCOPES[style].test(scopes[from]) ? [] : [`${text.slice(from, from + 20)}: ${style}, but ${scopes[from]}`],
    );
  }

  it('assigns the right scopes to the tokens of the example programs', () => {
    const files = filesBelow('web/src/examples', '.stan').concat(filesBelow('test/formatting', '.stan'));
    assert.ok(files.length > 5, `${files.length} programs`);
    for (const file of files) assert.deepEqual(differences(read(file)), [], file);
  });

  it('covers every type, every form of a number, and every block', () => {
    const types = keywords.filter((word) => reservedWord(word) === 'type');
    for (const type of types) assert.match(scopesOf(type)[0], /^storage\.type/, type);
    for (const number of ['1', '1_000', '1.', '.5', '1.5e-3', '2E+10', '3i', '1_0.0_1e1_0']) {
      const scopes = scopesOf(number).slice(0, number.length);
      assert.ok(
        scopes.every((scope) => scope === 'constant.numeric.stan'),
        number,
      );
    }
    const text = '/* a\n b */ transformed  data {}\ngenerated quantities { real x = "a // b"; } // ~ c';
    assert.deepEqual(differences(text), []);
  });
});
