/** Requests about a text, in the order of the protocol's specification. */
import {
  type ClientCapabilities,
  type CodeAction,
  CodeActionKind,
  type Connection,
  type DocumentLink,
  ErrorCodes,
  type Location,
  LSPErrorCodes,
  MarkupKind,
  type Range,
  ResponseError,
  type SelectionRange,
  type TextDocumentPositionParams,
  type WorkspaceEdit,
} from 'vscode-languageserver/node';
import { highlight } from '../editing/highlight.js';
import { INCLUDE } from '../node/program-files.js';
import type { AnalysisThread } from './analysis-thread.js';
import {
  completionItemOf,
  diagnosticOf,
  documentSymbolOf,
  foldingRangeOf,
  formattingOf,
  helpText,
  inlayHintOf,
  selectionRangeOf,
  semanticTokensOf,
  signatureHelpOf,
} from './convert.js';
import { type Document, keyOf, uriOf } from './document.js';
import {
  allReferences,
  allRenamed,
  documentEdits,
  locationOf,
  namesOf,
  type PlacedEdit,
  placeOf,
  RenamingRefused,
} from './places.js';
import type { Program, Programs } from './programs.js';
import type { Answers, Kind, QuestionOf } from './questions.js';
import type { Reports } from './reports.js';
import { workspaceSymbols } from './workspace-symbols.js';

interface Parts {
  readonly programs: Programs;
  readonly thread: AnalysisThread;
  readonly reports: Reports;
}

/** A position in one version of an open text, and the first program that contains the text. */
interface Subject {
  readonly document: Document;
  readonly program: Program;
  /** The text's name in the program. */
  readonly file: string;
  readonly offset: number;
}

/** Registers the handlers of all requests. */
export function answerRequests(connection: Connection, parts: Parts, client: ClientCapabilities): void {
  const { programs, thread, reports } = parts;
  const { textDocument } = client;
  const withSnippets = textDocument?.completion?.completionItem?.snippetSupport === true;
  const formats = textDocument?.hover?.contentFormat ?? [MarkupKind.PlainText];
  const format = formats.includes(MarkupKind.Markdown) ? MarkupKind.Markdown : MarkupKind.PlainText;
  const withVersions = client.workspace?.workspaceEdit?.documentChanges === true;

  /** The result of a handler of requests about a position. */
  function about<T>(params: TextDocumentPositionParams, handler: (subject: Subject) => Promise<T> | T) {
    checkParams(params, 'position');
    return aboutText(params, handler);
  }
  /** The result of a handler. Throws if parameters are missing, or if the text has changed while the handler ran. */
  async function aboutText<T>(
    params: Partial<TextDocumentPositionParams> & Pick<TextDocumentPositionParams, 'textDocument'>,
    handler: (subject: Subject) => Promise<T> | T,
  ): Promise<T | null> {
    checkParams(params, 'textDocument');
    const { textDocument, position } = params;
    const key = keyOf(textDocument.uri);
    const document = programs.isOpen(key) ? programs.document(key) : undefined;
    const [program] = programs.programsOf(key);
    const [file] = program === undefined ? [] : namesOf(key, program);
    if (document === undefined || program === undefined || file === undefined) return null;
    const offset = position === undefined ? 0 : document.offset(position);
    const result = await handler({ document, program, file, offset });
    if (programs.document(key) !== document) {
      throw new ResponseError(LSPErrorCodes.ContentModified, 'The text has changed.');
    }
    return result;
  }
  function ask<K extends Kind>({ program }: Subject, question: QuestionOf<K>): Promise<Answers[K]> {
    return thread.ask(program.root, program.source, question);
  }
  const placed = (edits: readonly PlacedEdit[]): WorkspaceEdit => {
    const changes = documentEdits(edits, programs);
    if (withVersions) return { documentChanges: changes };
    return { changes: Object.fromEntries(changes.map(({ textDocument, edits }) => [textDocument.uri, plain(edits)])) };
  };

  connection.onCompletion((params) =>
    about(params, async (subject) => {
      const { document, file, offset } = subject;
      if (isWithin(document.text, offset, ['comment', 'string', 'number', 'include'])) return [];
      const found = await ask(subject, { kind: 'complete', file, offset });
      const title = /[a-z]+(?: [a-z]*)?$/.exec(document.text.slice(0, offset))?.[0] ?? '';
      return found.map((each) => {
        const item = completionItemOf(each, withSnippets);
        if (each.kind !== 'block') return item;
        const range = document.range({ from: offset - title.length, to: offset });
        return { ...item, textEdit: { range, newText: item.insertText ?? item.label } };
      });
    }),
  );
  connection.onHover((params) =>
    about(params, async (subject) => {
      const { file, offset, document } = subject;
      const found = await ask(subject, { kind: 'hover', file, offset });
      return found === undefined ? null : { contents: helpText(found, format), range: document.range(found.at) };
    }),
  );
  connection.onSignatureHelp((params) =>
    about(params, async (subject) => {
      const { file, offset } = subject;
      const found = await ask(subject, { kind: 'signatures', file, offset });
      return found === undefined ? null : signatureHelpOf(found);
    }),
  );
  connection.onDefinition((params) =>
    about(params, async (subject): Promise<Location[]> => {
      const { document, program, file, offset } = subject;
      const included = includesIn(document, program).find(({ from, to }) => from <= offset && offset <= to);
      if (included !== undefined) return locationOf({ key: included.key, from: 0, to: 0 }, programs);
      const found = await ask(subject, { kind: 'definitions', file, offset });
      return found.flatMap((at) => placeOf(at, program) ?? []).flatMap((place) => locationOf(place, programs));
    }),
  );
  connection.onReferences((params) =>
    about(params, async (subject): Promise<Location[]> => {
      const { file, offset, program } = subject;
      checkParams(params, 'context');
      const found = await allReferences(programs, thread, subject);
      const declared = params.context.includeDeclaration
        ? []
        : (await ask(subject, { kind: 'definitions', file, offset })).flatMap((at) => placeOf(at, program) ?? []);
      return found
        .filter(({ key, from }) => !declared.some((place) => place.key === key && place.from === from))
        .flatMap((place) => locationOf(place, programs));
    }),
  );
  connection.onDocumentHighlight((params) =>
    about(params, async (subject) => {
      const { file, offset, document } = subject;
      const found = await ask(subject, { kind: 'references', file, offset });
      return found.filter((at) => at.file === file).map((at) => ({ range: document.range(at) }));
    }),
  );
  connection.onPrepareRename((params) =>
    about(params, async (subject) => {
      const { file, offset, document } = subject;
      const found = await ask(subject, { kind: 'renamable', file, offset });
      return found === undefined ? null : { range: document.range(found.at), placeholder: found.name };
    }),
  );
  connection.onRenameRequest((params) =>
    about(params, async (subject): Promise<WorkspaceEdit> => {
      checkParams(params, 'newName');
      try {
        return placed(await allRenamed(programs, thread, subject, params.newName));
      } catch (error) {
        if (!(error instanceof RenamingRefused)) throw error;
        throw new ResponseError(ErrorCodes.InvalidRequest, error.message);
      }
    }),
  );
  const formatting = async (subject: Subject, within?: Range) => {
    // An included file is not a program, and cannot be formatted by itself.
    if (subject.file !== subject.program.root) return null;
    const formatted = await ask(subject, { kind: 'format' });
    return formatted === undefined ? null : formattingOf(formatted, subject.document, within);
  };
  connection.onDocumentFormatting((params) => aboutText(params, (subject) => formatting(subject)));
  connection.onDocumentRangeFormatting((params) =>
    aboutText(params, (subject) => {
      checkParams(params, 'range');
      return formatting(subject, params.range);
    }),
  );
  connection.onCodeAction((params) =>
    aboutText(params, async ({ document, program }): Promise<CodeAction[]> => {
      checkParams(params, 'range', 'context');
      if (params.context.only?.every((kind) => !isKindOf(CodeActionKind.QuickFix, kind)) === true) return [];
      const remarks = await reports.remarks(document);
      const touched = remarks.filter((remark) => touches(diagnosticOf(remark, document).range, params.range));
      return touched.flatMap((remark) =>
        remark.fixes.map(({ title, edits }): CodeAction => {
          const own = edits.flatMap(({ at, text }) => {
            const place = placeOf(at, program);
            return place === undefined ? [] : [{ ...place, text }];
          });
          return {
            title,
            kind: CodeActionKind.QuickFix,
            diagnostics: [diagnosticOf(remark, document)],
            edit: placed(own),
          };
        }),
      );
    }),
  );
  connection.onDocumentSymbol((params) =>
    aboutText(params, async (subject) => {
      const found = await ask(subject, { kind: 'outline', file: subject.file });
      return found.map((item) => documentSymbolOf(item, subject.document));
    }),
  );
  connection.onDocumentLinks((params) =>
    aboutText(params, ({ document, program }): DocumentLink[] =>
      includesIn(document, program).map(({ key, from, to }) => {
        return { range: document.range({ from, to }), target: uriOf(key) };
      }),
    ),
  );
  connection.onFoldingRanges((params) =>
    aboutText(params, async (subject) => {
      const found = await ask(subject, { kind: 'folds', file: subject.file });
      return found
        .map((fold) => foldingRangeOf(fold, subject.document))
        .filter((fold) => fold.startLine < fold.endLine);
    }),
  );
  connection.onSelectionRanges((params) =>
    aboutText(params, async (subject) => {
      checkParams(params, 'positions');
      const { document, file } = subject;
      const ranges: SelectionRange[] = [];
      for (const position of params.positions) {
        const offset = document.offset(position);
        const found = await ask(subject, { kind: 'enclosing', file, offset });
        ranges.push(selectionRangeOf(found, document) ?? { range: document.range({ from: offset, to: offset }) });
      }
      return ranges;
    }),
  );
  connection.onWorkspaceSymbol(({ query }) => workspaceSymbols(programs, thread, query));
  connection.languages.inlayHint.on((params) =>
    aboutText(params, async (subject) => {
      checkParams(params, 'range');
      const { document, file } = subject;
      const [from, to] = [params.range.start, params.range.end].map((each) => document.offset(each));
      const found = await ask(subject, { kind: 'hints', file });
      return found.filter(({ at }) => from <= at.to && at.from <= to).map((hint) => inlayHintOf(hint, document));
    }),
  );
  connection.languages.semanticTokens.on(
    async (params) =>
      (await aboutText(params, async (subject) => {
        return semanticTokensOf(await ask(subject, { kind: 'tokens', file: subject.file }), subject.document);
      })) ?? { data: [] },
  );
  connection.languages.semanticTokens.onRange(
    async (params) =>
      (await aboutText(params, async (subject) => {
        checkParams(params, 'range');
        const [from, to] = [params.range.start, params.range.end].map((each) => subject.document.offset(each));
        const found = await ask(subject, { kind: 'tokens', file: subject.file });
        return semanticTokensOf(
          found.filter((token) => token.from < to && from < token.to),
          subject.document,
        );
      })) ?? { data: [] },
  );
}

/** The form of each parameter that a request may require. */
const FORMS: Readonly<
  Record<'textDocument' | 'position' | 'positions' | 'range' | 'context' | 'newName', (value: unknown) => boolean>
> = {
  textDocument: (value) => isObject(value) && typeof value.uri === 'string',
  position: isPosition,
  positions: (value) => Array.isArray(value) && value.every(isPosition),
  range: (value) => isObject(value) && isPosition(value.start) && isPosition(value.end),
  context: isObject,
  newName: (value) => typeof value === 'string',
};

/** Throws `InvalidParams` with the name of a parameter that is missing or malformed. */
function checkParams(params: unknown, ...required: readonly (keyof typeof FORMS)[]): void {
  const wrong = required.find((name) => !isObject(params) || !FORMS[name](params[name]));
  if (wrong === undefined) return;
  throw new ResponseError(ErrorCodes.InvalidParams, `The request requires the parameter ${wrong}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function isPosition(value: unknown): boolean {
  return isObject(value) && [value.line, value.character].every((each) => Number.isInteger(each) && Number(each) >= 0);
}

function plain(edits: readonly { readonly range: Range; readonly newText?: string }[]) {
  return edits.map(({ range, newText = '' }) => ({ range, newText }));
}

function isWithin(text: string, offset: number, styles: readonly string[]): boolean {
  return highlight(text).some(({ from, to, style }) => from < offset && offset <= to && styles.includes(style));
}

function isKindOf(kind: string, wanted: string): boolean {
  return kind === wanted || kind.startsWith(`${wanted}.`);
}

function touches(one: Range, other: Range): boolean {
  return one.start.line <= other.end.line && other.start.line <= one.end.line;
}

/** The `#include` directives of a text, with the files that they include. */
function includesIn({ text }: Document, { keys }: Program) {
  return highlight(text)
    .filter(({ style }) => style === 'include')
    .flatMap(({ from, to }) => {
      const [match] = text.slice(from, to).matchAll(INCLUDE);
      const key = keys.get(match?.[1] ?? match?.[2] ?? match?.[3] ?? '');
      return key === undefined ? [] : [{ key, from, to }];
    });
}
