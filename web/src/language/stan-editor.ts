/** Stan support for an editor: colors, completion, hover, signatures, navigation. The language service provides all information. */
import { type Completion, type CompletionContext, type CompletionResult, snippet } from '@codemirror/autocomplete';
import { indentService } from '@codemirror/language';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import type { Completion as StanCompletion } from '#engine/editing/completion.js';
import type { Hover, ProgramReport, Remark } from '#engine/editing/language-service.js';
import { analyzeNow, language } from './analysis.js';
import { briefMessage } from './brief-message.js';
import { closingOver } from './closing.js';
import { coloring, styledWords } from './coloring.js';
import { applyFix } from './fixing.js';
import { blockFolding } from './folding-blocks.js';

const INDENT = 2;

/** Indents a line by one level for each bracket that is still open. */
const indentation = indentService.of((context, position) => {
  const line = context.lineAt(position);
  let depth = 0;
  for (const { from, to, style } of styledWords(context.state)) {
    if (from >= line.from) break;
    if (style !== 'bracket' || to - from !== 1) continue;
    const mark = context.state.doc.sliceString(from, to);
    if ('{(['.includes(mark)) depth++;
    if ('})]'.includes(mark)) depth--;
  }
  const closes = /^\s*[})\]]/.test(line.text);
  return INDENT * Math.max(0, depth - (closes ? 1 : 0));
});

const KINDS: Readonly<Record<StanCompletion['kind'], string>> = {
  variable: 'variable',
  function: 'function',
  distribution: 'class',
  type: 'type',
  keyword: 'keyword',
  block: 'namespace',
};

/** Completion in a file, by its name in the analysis. */
export function completeStan(file: string): (context: CompletionContext) => Promise<CompletionResult | null> {
  return (context) => complete(file, context);
}

async function complete(file: string, context: CompletionContext): Promise<CompletionResult | null> {
  const word = context.matchBefore(/[A-Za-z][A-Za-z0-9_]*( [a-z]*)?$/) ?? context.matchBefore(/[A-Za-z]\w*$/);
  const isAfterTilde = context.matchBefore(/~\s*$/) !== null;
  if (word === null && !context.explicit && !isAfterTilde) return null;
  const token = styledWords(context.state).find(({ from, to }) => from < context.pos && context.pos <= to);
  if (token?.style === 'comment' || token?.style === 'string' || token?.style === 'number') return null;
  await analyzeNow();
  const found = await language().complete(file, context.pos);
  if (context.aborted) return null;
  const isBlock = found[0]?.kind === 'block';
  const simple = context.matchBefore(/\w*$/);
  const from = isBlock ? (word?.from ?? context.pos) : (simple?.from ?? context.pos);
  return { from, options: found.map(optionOf), validFor: isBlock ? /^[a-z ]*$/ : /^\w*$/ };
}

function optionOf({ label, kind, detail, documentation }: StanCompletion): Completion {
  const isCalled = kind === 'function' || kind === 'distribution';
  return {
    label,
    type: KINDS[kind],
    ...(detail !== undefined && { detail: shortened(detail) }),
    ...(documentation !== undefined && { info: documentation }),
    ...(kind === 'block' && { apply: snippet(`${label} {\n  \${}\n}`) }),
    ...(isCalled && { apply: snippet(`${label}(\${})`) }),
    boost: kind === 'variable' ? 2 : kind === 'keyword' || kind === 'type' ? 1 : 0,
  };
}

const MOST_CHARACTERS = 60;

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text;
}

/** Information about the word under the pointer. `file` is the file's name in the analysis. */
function hover(file: string): Extension {
  return hoverTooltip(async (_view, position) => {
    const found = await language().hover(file, position);
    if (found === undefined || found.at.file !== file) return null;
    return { pos: found.at.from, end: found.at.to, above: true, create: () => ({ dom: hoverElement(found) }) };
  });
}

const MOST_SIGNATURES = 4;

function hoverElement(found: Hover): HTMLElement {
  const box = element('div', 'stan-hover');
  if (found.kind === 'declared') {
    const { type, name, kind, block, comment } = found.declared;
    box.append(element('code', '', kind === 'function' ? type : `${type} ${name}`));
    const where = kind === 'variable' ? `declared in ${block}` : kind === 'loop' ? 'loop variable' : kind;
    box.append(element('p', 'muted', where));
    if (comment !== undefined && comment !== '') box.append(element('p', '', comment));
    return box;
  }
  const { name, signatures, computes, domain } = found.help;
  for (const signature of signatures.slice(0, MOST_SIGNATURES)) box.append(element('code', '', `${name}${signature}`));
  box.append(element('p', '', sentence(computes)));
  if (domain !== undefined) box.append(element('p', 'muted', `Domain: ${sentence(domain)}`));
  return box;
}

function element(tag: string, className: string, text = ''): HTMLElement {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  made.textContent = text;
  return made;
}

function sentence(text: string): string {
  const capital = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** Underlines the errors and warnings of a report in a file. */
export function showReport(view: EditorView, file: string, report: ProgramReport): void {
  const { length } = view.state.doc;
  const remarks = length === 0 ? [] : report.remarks;
  const diagnostics = remarks
    .filter(({ at }) => at.file === file)
    .map(({ at, fixes, message, severity }: Remark) => {
      const from = Math.min(at.from, length);
      const actions = fixes.map((fix) => ({ name: fix.title, apply: () => void applyFix(fix) }));
      return { from, to: Math.max(from, Math.min(at.to, length)), message: briefMessage(message), severity, actions };
    });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Marks every occurrence of a name. */
const setMarked = StateEffect.define<readonly { readonly from: number; readonly to: number }[]>();
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMarked)) {
        return Decoration.set(
          effect.value.map(({ from, to }) => Decoration.mark({ class: 'stan-same' }).range(from, to)),
          true,
        );
      }
    }
    return transaction.docChanged || transaction.selection ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Milliseconds that the cursor rests on a name before its other occurrences are marked. */
const REST = 250;

function sameNames(file: string): Extension {
  return ViewPlugin.fromClass(
    class {
      timer: ReturnType<typeof setTimeout> | undefined;
      update({ selectionSet, docChanged, view }: ViewUpdate): void {
        if (!selectionSet && !docChanged) return;
        clearTimeout(this.timer);
        this.timer = setTimeout(async () => {
          const { doc, selection } = view.state;
          const places = selection.main.empty ? await language().references(file, selection.main.head) : [];
          if (view.state.doc !== doc || view.state.selection !== selection) return;
          view.dispatch({ effects: setMarked.of(places.filter((place) => place.file === file)) });
        }, REST);
      }
      destroy(): void {
        clearTimeout(this.timer);
      }
    },
  );
}

const comments = EditorState.languageData.of(() => [
  {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '[', '{', '"'] },
    indentOnInput: /^\s*[})\]]$/,
  },
]);

/** All Stan support for a file, by its name in the analysis. */
export function stanLanguage(file: string): Extension {
  return [coloring, indentation, closingOver, hover(file), sameNames(file), marked, comments, blockFolding];
}

export type JumpTo = (file: string, offset: number) => void;

/** Goes to the declaration of the name at the cursor; false if it has none. */
export async function goToDeclaration(view: EditorView, file: string, jump: JumpTo): Promise<void> {
  const found = await language().definition(file, view.state.selection.main.head);
  if (found !== undefined) jump(found.file, found.from);
}

/** Occurrences of the name at the cursor in this file, to be renamed together. */
export async function placesToRename(view: EditorView, file: string): Promise<readonly { from: number; to: number }[]> {
  await analyzeNow();
  const places = await language().references(file, view.state.selection.main.head);
  return places.every((place) => place.file === file) ? places.map(({ from, to }) => ({ from, to })) : [];
}
