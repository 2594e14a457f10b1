/** Converts results of the analysis to types of the protocol. */
import {
  type CompletionItem,
  CompletionItemKind,
  type Diagnostic,
  DiagnosticSeverity,
  type DocumentSymbol,
  type FoldingRange,
  FoldingRangeKind,
  type InlayHint,
  InlayHintKind,
  InsertTextFormat,
  type MarkupContent,
  MarkupKind,
  type Range,
  type SelectionRange,
  type SemanticTokens,
  SemanticTokensBuilder,
  type SignatureHelp,
  SymbolKind,
  type TextEdit,
} from 'vscode-languageserver/node';
import type { Stretch } from '../derive/symbols.js';
import type { CallHelp } from '../editing/calls.js';
import type { Completion } from '../editing/completion.js';
import type { InlayHint as Hint } from '../editing/inlay-hints.js';
import type { Hover, Remark } from '../editing/language-service.js';
import type { Fold, OutlineItem } from '../editing/outline.js';
import type { SemanticToken, TokenType } from '../editing/semantic-tokens.js';
import type { Document } from './document.js';
import { formattingEdits } from './formatting-edits.js';

/** A position that is not in the text, such as the end of a wrapped text, is shown at the end. */
export function diagnosticOf({ severity, code, message, at }: Remark, document: Document): Diagnostic {
  const { length } = document.text;
  const from = Math.min(at.from, length);
  return {
    range: document.range({ from, to: Math.max(from, Math.min(at.to, length)) }),
    severity: severity === 'error' ? DiagnosticSeverity.Error : DiagnosticSeverity.Warning,
    code,
    source: 'leapfrog',
    message,
  };
}

const COMPLETION_KINDS: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  variable: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
  distribution: CompletionItemKind.Function,
  type: CompletionItemKind.Class,
  keyword: CompletionItemKind.Keyword,
  block: CompletionItemKind.Module,
};

/** Sort order: names of the program, then keywords and types, then library functions. */
const RANKS: Readonly<Record<Completion['kind'], string>> = {
  variable: '0',
  keyword: '1',
  type: '1',
  block: '1',
  function: '2',
  distribution: '2',
};

export function completionItemOf(
  { label, kind, detail, documentation }: Completion,
  withSnippets: boolean,
): CompletionItem {
  const isCalled = kind === 'function' || kind === 'distribution';
  const snippet = kind === 'block' ? `${label} {\n  $0\n}` : isCalled ? `${label}($0)` : undefined;
  return {
    label,
    kind: COMPLETION_KINDS[kind],
    sortText: `${RANKS[kind]}${label}`,
    ...(detail !== undefined && { detail }),
    ...(documentation !== undefined && { documentation: sentence(documentation) }),
    ...(withSnippets && snippet !== undefined && { insertText: snippet, insertTextFormat: InsertTextFormat.Snippet }),
  };
}

const MOST_SIGNATURES = 6;

/** Signature, description and domain, as Markdown or as plain text. */
export function helpText(found: Hover, format: MarkupKind): MarkupContent {
  const isMarkdown = format === MarkupKind.Markdown;
  const code = (lines: readonly string[]) => (isMarkdown ? ['```stan', ...lines, '```'] : lines).join('\n');
  if (found.kind === 'declared') {
    const { type, name, kind, block, comment } = found.declared;
    const where = {
      variable: `declared in ${block}`,
      loop: 'loop variable',
      argument: 'argument',
      function: 'function',
    };
    const head = code([kind === 'function' ? type : `${type} ${name}`]);
    return { kind: format, value: [head, where[kind], ...(comment === undefined ? [] : [comment])].join('\n\n') };
  }
  const { name, signatures, computes, domain } = found.help;
  const shown = signatures.slice(0, MOST_SIGNATURES).map((signature) => `${name}${signature}`);
  const more = signatures.length - shown.length;
  const parts = [
    code(shown),
    ...(more > 0 ? [`${more} more signatures`] : []),
    sentence(computes),
    ...(domain === undefined ? [] : [`Domain: ${sentence(domain)}`]),
  ];
  return { kind: format, value: parts.join('\n\n') };
}

function sentence(text: string): string {
  const capital = `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

export function signatureHelpOf({ signatures, active, argument }: CallHelp): SignatureHelp {
  return {
    signatures: signatures.map(({ label, parameters, documentation }) => ({
      label,
      parameters: parameters.map(([from, to]) => ({ label: [from, to] })),
      ...(documentation !== undefined && { documentation: sentence(documentation) }),
    })),
    activeSignature: active,
    activeParameter: argument,
  };
}

export const SYMBOL_KINDS: Readonly<Record<OutlineItem['kind'], SymbolKind>> = {
  block: SymbolKind.Module,
  function: SymbolKind.Function,
  variable: SymbolKind.Variable,
};

export function documentSymbolOf(item: OutlineItem, document: Document): DocumentSymbol {
  const { name, kind, detail, whole, at, children } = item;
  return {
    name,
    kind: SYMBOL_KINDS[kind],
    range: document.range(whole),
    selectionRange: document.range(at),
    ...(detail !== undefined && { detail }),
    children: children.map((child) => documentSymbolOf(child, document)),
  };
}

/** The innermost range, with those around it as parents; undefined without ranges. */
export function selectionRangeOf(ranges: readonly Stretch[], document: Document): SelectionRange | undefined {
  return ranges.reduceRight<SelectionRange | undefined>((parent, at) => {
    const range = document.range(at);
    return parent === undefined ? { range } : { range, parent };
  }, undefined);
}

/** A folded range ends before the line with the closing brace, which remains visible. */
export function foldingRangeOf({ from, to, kind }: Fold, document: Document): FoldingRange {
  const startLine = document.position(from).line;
  const endLine = document.position(to).line;
  if (kind === 'comment') return { startLine, endLine, kind: FoldingRangeKind.Comment };
  return { startLine, endLine: Math.max(startLine, endLine - 1) };
}

export function inlayHintOf({ kind, at, text }: Hint, document: Document): InlayHint {
  if (kind === 'type') return { position: document.position(at.to), label: `: ${text}`, kind: InlayHintKind.Type };
  const position = document.position(at.from);
  return { position, label: `${text}:`, kind: InlayHintKind.Parameter, paddingRight: true };
}

const TOKEN_NAMES: Readonly<Record<TokenType, string>> = {
  block: 'namespace',
  keyword: 'keyword',
  type: 'type',
  number: 'number',
  string: 'string',
  comment: 'comment',
  include: 'macro',
  function: 'function',
  variable: 'variable',
  argument: 'parameter',
  operator: 'operator',
};
const TOKEN_TYPES = Object.values(TOKEN_NAMES);
const TOKEN_MODIFIERS = ['declaration', 'readonly', 'defaultLibrary'];

export const LEGEND = { tokenTypes: TOKEN_TYPES, tokenModifiers: TOKEN_MODIFIERS };

/** Splits tokens of several lines, because most clients require each token to be on one line. */
export function semanticTokensOf(tokens: readonly SemanticToken[], document: Document): SemanticTokens {
  const builder = new SemanticTokensBuilder();
  for (const { from, to, type, isDeclaration, isReadonly, isLibrary } of tokens) {
    const modifiers = (isDeclaration ? 1 : 0) + (isReadonly ? 2 : 0) + (isLibrary ? 4 : 0);
    for (const { index, 0: line } of document.text.slice(from, to).matchAll(/[^\r\n]+/g)) {
      const { line: row, character } = document.position(from + index);
      builder.push(row, character, line.length, TOKEN_TYPES.indexOf(TOKEN_NAMES[type]), modifiers);
    }
  }
  return builder.build();
}

/** The edits that format a text; with a range, only those of its lines. A range that ends at the start of a line does not contain that line. */
export function formattingOf(formatted: string, document: Document, within?: Range): TextEdit[] {
  const edits = formattingEdits(document.text, formatted).map(({ from, to, text }) => {
    return { range: document.range({ from, to }), newText: text };
  });
  if (within === undefined) return edits;
  const { start, end } = within;
  const after = end.character > 0 || end.line === start.line ? end.line + 1 : end.line;
  return edits.filter(({ range }) => {
    const afterEdit = Math.max(range.start.line + 1, range.end.character > 0 ? range.end.line + 1 : range.end.line);
    return range.start.line < after && start.line < afterEdit;
  });
}
