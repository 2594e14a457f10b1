/** Functions and variables of all programs. */
import { basename } from 'node:path';
import type { SymbolInformation } from 'vscode-languageserver/node';
import type { OutlineItem } from '../editing/outline.js';
import type { AnalysisThread } from './analysis-thread.js';
import { SYMBOL_KINDS } from './convert.js';
import type { Programs } from './programs.js';

const MOST_SYMBOLS = 500;

/** The functions and variables of the files of programs whose name contains a text, in any case. */
export async function workspaceSymbols(
  programs: Programs,
  thread: AnalysisThread,
  query: unknown,
): Promise<SymbolInformation[]> {
  const wanted = typeof query === 'string' ? query.toLowerCase() : '';
  const found = new Map<string, SymbolInformation>();
  for (const root of programs.known) {
    const program = programs.program(root);
    for (const [file, key] of program.keys) {
      const document = programs.document(key);
      if (document === undefined) continue;
      const outline = await thread.ask(program.root, program.source, { kind: 'outline', file });
      for (const { at, kind, name } of namesIn(outline)) {
        if (!name.toLowerCase().includes(wanted) || at.file !== file) continue;
        const location = { uri: document.uri, range: document.range(at) };
        found.set(`${key} ${at.from}`, { name, kind: SYMBOL_KINDS[kind], location, containerName: basename(key) });
        if (found.size === MOST_SYMBOLS) return [...found.values()];
      }
    }
  }
  return [...found.values()];
}

/** The items of an outline without blocks. */
function namesIn(items: readonly OutlineItem[]): readonly OutlineItem[] {
  return items.flatMap((item) => [...(item.kind === 'block' ? [] : [item]), ...namesIn(item.children)]);
}
