/** Each feature of the language server, over its standard streams. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type {
  CodeAction,
  CompletionItem,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  InlayHint,
  Location,
  MarkupContent,
  Range,
  SelectionRange,
  SemanticTokens,
  SignatureHelp,
  SymbolInformation,
  TextEdit,
} from 'vscode-languageserver/node';
import { EditorClient } from './client.js';

interface MarkedHover {
  readonly contents: MarkupContent;
  readonly range: Range;
}

interface Renamed {
  readonly documentChanges: readonly {
    readonly textDocument: { readonly uri: string; readonly version: number };
    readonly edits: readonly TextEdit[];
  }[];
}

type FixingAction = CodeAction & { readonly edit: Renamed };

const PROGRAM = `functions {
  // half of a normal
  real half_lpdf(real y, real mu) {
    return normal_lpdf(y | mu, 0.5);
  }
}
data {
  int<lower=0> N; // 🙂 observations
  vector[N] y;
}
parameters {
  real mu;
}
model {
  /* 🙂 */ mu ~ half(1);
  y ~ normal(mu, 1);
}
`;
const FILE = 'model.stan';
const RICH = {
  textDocument: {
    hover: { contentFormat: ['markdown' as const] },
    completion: { completionItem: { snippetSupport: true } },
  },
  workspace: { workspaceEdit: { documentChanges: true } },
};

describe('the language server', () => {
  let client: EditorClient;
  before(async () => {
    client = await EditorClient.start({}, { capabilities: RICH });
    await client.write(FILE, PROGRAM);
  });
  after(() => client.end());

  const at = (part: string, nth = 0, by = 0) => {
    const { line, character } = client.position(FILE, part, nth);
    return { position: { line, character: character + by } };
  };
  const range = (part: string, nth: number, length: number) => {
    const { position } = at(part, nth);
    return { start: position, end: { line: position.line, character: position.character + length } };
  };

  it('negotiates UTF-16', () => {
    assert.equal(client.initialized.capabilities.positionEncoding, 'utf-16');
  });

  it('publishes no diagnostics for a correct program', async () => {
    assert.deepEqual(await client.diagnostics(FILE), []);
  });

  it('shows the signature and the documentation of a library function', async () => {
    const { contents, range: shown } = await client.request<MarkedHover>('hover', FILE, at('normal_lpdf'));
    assert.equal(contents.kind, 'markdown');
    assert.match(contents.value, /^```stan\nnormal_lpdf\(reals, reals, reals\)/);
    assert.match(contents.value, /normal/i);
    assert.deepEqual(shown, range('normal_lpdf', 0, 11));
  });

  it('shows the declaration of a name of the program with its comment', async () => {
    const { contents } = await client.request<MarkedHover>('hover', FILE, at('half(1)'));
    assert.match(contents.value, /real half_lpdf\(real y, real mu\)[\s\S]*half of a normal/);
    const size = await client.request<MarkedHover>('hover', FILE, at('N] y'));
    assert.match(size.contents.value, /int<lower=0> N[\s\S]*declared in data[\s\S]*🙂 observations/);
  });

  it('counts positions after characters outside the Basic Multilingual Plane in UTF-16 code units', async () => {
    const { range: shown } = await client.request<MarkedHover>('hover', FILE, at('mu ~'));
    assert.deepEqual(shown, range('mu ~', 0, 2));
    assert.equal(shown.start.character, '  /* 🙂 */ '.length);
  });

  it('completes distributions after a tilde, and names with their snippets', async () => {
    const found = await client.request<CompletionItem[]>('completion', FILE, at('half(1)', 0, 2));
    assert.ok(found.some(({ label, insertText }) => label === 'half' && insertText === 'half($0)'));
    assert.ok(found.some(({ label, documentation }) => label === 'normal' && documentation !== undefined));
    const names = (await client.request<CompletionItem[]>('completion', FILE, at('y ~', 0, 0))).map(
      ({ label }) => label,
    );
    for (const name of ['mu', 'exp', 'vector', 'for']) assert.ok(names.includes(name), name);
  });

  it('completes nothing in comments', async () => {
    assert.deepEqual(await client.request<CompletionItem[]>('completion', FILE, at('observations', 0, 3)), []);
  });

  it('completes the names of blocks over several words', async () => {
    const text = 'data { }\ntransformed pa';
    await client.write('blocks.stan', text);
    const found = await client.request<CompletionItem[]>('completion', 'blocks.stan', {
      position: { line: 1, character: 14 },
    });
    const block = found.find(({ label }) => label === 'transformed parameters');
    assert.deepEqual(block?.textEdit, {
      range: { start: { line: 1, character: 0 }, end: { line: 1, character: 14 } },
      newText: 'transformed parameters {\n  $0\n}',
    });
  });

  it('shows the signature of a call and its current argument', async () => {
    const {
      signatures,
      activeSignature = 0,
      activeParameter,
    } = await client.request<SignatureHelp>('signatureHelp', FILE, at('1);', 1));
    const { label, parameters } = signatures[activeSignature];
    assert.equal(activeParameter, 1);
    const second = label.indexOf('reals', label.indexOf('reals') + 1);
    assert.deepEqual(parameters?.[1], { label: [second, second + 'reals'.length] });
  });

  it('goes to a declaration', async () => {
    const [found, ...others] = await client.request<Location[]>('definition', FILE, at('half(1)'));
    assert.deepEqual(others, []);
    assert.deepEqual(found, { uri: client.uri(FILE), range: range('half_lpdf', 0, 9) });
  });

  it('finds references, with and without the declaration', async () => {
    const find = async (includeDeclaration: boolean) =>
      (await client.request<Location[]>('references', FILE, { ...at('mu, 1'), context: { includeDeclaration } })).map(
        (each) => each.range.start.line,
      );
    assert.deepEqual((await find(true)).sort(), [11, 14, 15]);
    assert.deepEqual((await find(false)).sort(), [14, 15]);
    const marked = await client.request<DocumentHighlight[]>('documentHighlight', FILE, at('mu, 1'));
    assert.equal(marked.length, 3);
  });

  it('renames a name, and rejects one that is taken', async () => {
    const prepared = await client.request<unknown>('prepareRename', FILE, at('mu ~'));
    assert.deepEqual(prepared, { range: range('mu ~', 0, 2), placeholder: 'mu' });
    assert.equal(await client.request<unknown>('prepareRename', FILE, at('normal_lpdf')), null);
    const { documentChanges } = await client.request<Renamed>('rename', FILE, { ...at('mu ~'), newName: 'location' });
    const [{ textDocument, edits }] = documentChanges;
    assert.deepEqual(textDocument, { uri: client.uri(FILE), version: 1 });
    assert.deepEqual(
      edits.map(({ newText }) => newText),
      ['location', 'location', 'location'],
    );
    await assert.rejects(client.request<Renamed>('rename', FILE, { ...at('mu ~'), newName: 'y' }), /y/);
    await assert.rejects(
      client.request<Renamed>('rename', FILE, { ...at('normal_lpdf'), newName: 'z' }),
      /not declared/,
    );
  });

  it('lists blocks with their declarations', async () => {
    const found = await client.request<DocumentSymbol[]>('documentSymbol', FILE);
    assert.deepEqual(
      found.map(({ name, children }) => [name, children?.map((child) => child.name)]),
      [
        ['functions', ['half_lpdf']],
        ['data', ['N', 'y']],
        ['parameters', ['mu']],
        ['model', []],
      ],
    );
  });

  it('folds blocks, with the line of the closing brace left visible', async () => {
    const found = await client.request<FoldingRange[]>('foldingRange', FILE);
    assert.deepEqual(
      found.map(({ startLine, endLine }) => [startLine, endLine]),
      [
        [0, 4],
        [2, 3],
        [6, 8],
        [10, 11],
        [13, 15],
      ],
    );
  });

  it('classifies tokens by what their names refer to', async () => {
    const { tokenTypes, tokenModifiers } = client.initialized.capabilities.semanticTokensProvider?.legend ?? {
      tokenTypes: [],
      tokenModifiers: [],
    };
    const decoded = (data: number[]) => {
      const lines = PROGRAM.split('\n');
      let [line, character] = [0, 0];
      return Array.from({ length: data.length / 5 }, (_, k) => {
        const [down, right, length, type, marks] = data.slice(5 * k, 5 * k + 5);
        character = down > 0 ? right : character + right;
        line += down;
        const modifiers = tokenModifiers.filter((_, bit) => marks & (1 << bit));
        return [lines[line].slice(character, character + length), tokenTypes[type], ...modifiers].join(' ');
      });
    };
    const all = decoded((await client.request<SemanticTokens>('semanticTokens/full', FILE)).data);
    for (const expected of [
      'functions namespace',
      '// 🙂 observations comment',
      'N variable declaration readonly',
      'mu variable declaration',
      'mu parameter declaration',
      'normal_lpdf function defaultLibrary',
      'half function',
      'normal function defaultLibrary',
    ]) {
      assert.ok(all.includes(expected), expected);
    }
    const part = await client.request<SemanticTokens>('semanticTokens/range', FILE, {
      range: { start: { line: 11, character: 0 }, end: { line: 11, character: 20 } },
    });
    assert.equal(part.data.length, 2 * 5);
  });

  it('hints at parameter names and types of loop variables', async () => {
    const text = PROGRAM.replace('y ~ normal(mu, 1);', 'for (z in y) z ~ half(mu + 1);');
    await client.write('hints.stan', text);
    const line = text.split('\n').findIndex((each) => each.includes('for (z'));
    const between = (from: number, to: number) => ({
      range: { start: { line: from, character: 0 }, end: { line: to, character: 0 } },
    });
    const found = await client.request<InlayHint[]>('inlayHint', 'hints.stan', between(line, line + 1));
    assert.deepEqual(
      found.map(({ label, position }) => [label, position]),
      [
        [': real', { line, character: '  for (z'.length }],
        ['mu:', { line, character: '  for (z in y) z ~ half('.length }],
      ],
    );
    assert.deepEqual(await client.request<InlayHint[]>('inlayHint', 'hints.stan', between(0, 3)), []);
  });

  it('formats a range as it formats the text, without changes of other lines', async () => {
    const text = 'data {\n  int N;\n}\nmodel {\nprint(N  );\nprint(1  );\nprint(2  );\n}\n';
    await client.write('range.stan', text);
    const edits = await client.request<TextEdit[]>('rangeFormatting', 'range.stan', {
      range: { start: { line: 5, character: 3 }, end: { line: 6, character: 0 } },
      options: { tabSize: 2, insertSpaces: true },
    });
    assert.deepEqual(edits, [
      { range: { start: { line: 5, character: 0 }, end: { line: 6, character: 0 } }, newText: '  print(1);\n' },
    ]);
  });

  it('formats as stanc does, by an edit of the lines that differ', async () => {
    const text = 'data {\n  int N;\n}\nmodel {\nprint(N  );\n}\n';
    await client.write('wide.stan', text);
    const [edit, ...others] = await client.request<TextEdit[]>('formatting', 'wide.stan', {
      options: { tabSize: 2, insertSpaces: true },
    });
    assert.deepEqual(others, []);
    assert.deepEqual(edit, {
      range: { start: { line: 4, character: 0 }, end: { line: 5, character: 0 } },
      newText: '  print(N);\n',
    });
    await client.write('wide.stan', text.replaceAll('\n', '\r\n'));
    const [windows] = await client.request<TextEdit[]>('formatting', 'wide.stan', {
      options: { tabSize: 2, insertSpaces: true },
    });
    assert.deepEqual(windows, { ...edit, newText: '  print(N);\r\n' });
    await client.write('wide.stan', 'data {');
    assert.equal(
      await client.request<TextEdit[]>('formatting', 'wide.stan', { options: { tabSize: 2, insertSpaces: true } }),
      null,
    );
  });

  it('offers the fixes of an error', async () => {
    await client.write('old.stan', 'model {\n  real x;\n  x <- 1;\n}\n');
    const [found] = await client.diagnostics('old.stan', ({ length }) => length > 0);
    assert.deepEqual([found.code, found.severity, found.source, found.range.start.line], ['syntax', 1, 'leapfrog', 2]);
    const actions = await client.request<FixingAction[]>('codeAction', 'old.stan', {
      range: found.range,
      context: { diagnostics: [found] },
    });
    const [{ title, kind, edit }] = actions;
    assert.deepEqual([title, kind], ['Assign with =', 'quickfix']);
    assert.deepEqual(edit.documentChanges[0].edits[0].newText, '=');
    const others = { range: found.range, context: { diagnostics: [], only: ['refactor'] } };
    assert.deepEqual(await client.request<CodeAction[]>('codeAction', 'old.stan', others), []);
  });

  it('counts a byte order mark as the first character of the first line', async () => {
    await client.write('mark.stan', '\uFEFFdata { int N; }\nmodel { print(N); }\n');
    const [found] = await client.request<Location[]>('definition', 'mark.stan', {
      position: { line: 1, character: 14 },
    });
    assert.deepEqual(found.range.start, { line: 0, character: 12 });
    assert.deepEqual(await client.diagnostics('mark.stan'), []);
  });

  it('grows a selection from a name to its block', async () => {
    const positions = [at('N] y').position];
    const [selected] = await client.request<SelectionRange[]>('selectionRange', FILE, { positions });
    assert.deepEqual(selected.range, range('N] y', 0, 1));
    assert.deepEqual(selected.parent?.range, range('vector[N] y;', 0, 12));
    assert.deepEqual(selected.parent?.parent?.range.start, at('data {').position);
  });

  it('finds functions and variables of the workspace by a part of their name', async () => {
    const query = 'HALF';
    const found = await client.connection.sendRequest<SymbolInformation[]>('workspace/symbol', { query });
    assert.deepEqual(
      found.filter(({ containerName }) => containerName === FILE).map(({ location, name }) => [name, location.range]),
      [['half_lpdf', range('half_lpdf', 0, 9)]],
    );
  });

  it('exits with 0 after shutdown', async () => {
    const other = await EditorClient.start({});
    assert.equal(await other.end(), 0);
  });
});
