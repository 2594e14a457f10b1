import type { Diagnostic } from './diagnostic.js';
import type { Position, SourceFile, Span } from './span.js';

const BAR = '   -------------------------------------------------';
const LINE_WIDTH = 77;

/**
 * A diagnostic as stanc prints it: location, surrounding lines with a caret (errors only), then the message. Without a newline at the end.
 */
export function renderDiagnostic(diagnostic: Diagnostic): string {
  const message =
    diagnostic.hint === undefined ? diagnostic.message : `${diagnostic.message}\n${indent(diagnostic.hint, '  ')}`;
  if (diagnostic.severity === 'warning') {
    return `Warning in ${describeSpan(diagnostic.span)}:\n${indent(fill(message, LINE_WIDTH - 4), '    ')}`;
  }
  return `${headline(diagnostic)}\n${excerpt(diagnostic.span.begin)}\n\n${message}`;
}

function headline({ kind, span }: Diagnostic): string {
  const place = describeSpan(span);
  switch (kind) {
    case 'lexing':
      return `Syntax error in ${place}, lexing error:`;
    case 'syntax':
      return `Syntax error in ${place}, parsing error:`;
    case 'include':
      return `Syntax error in ${place}, include error:`;
    case 'semantic':
      return `Semantic error in ${place}:`;
    case 'unsupported':
      return `Unsupported feature in ${place}:`;
  }
}

/** `'model.stan', line 3, column 2 to column 10`. In an included file: only the begin, followed by the chain of includes. */
export function describeSpan({ begin, end }: Span): string {
  const place = describePosition(begin);
  const isEmpty = begin.file === end.file && begin.line === end.line && begin.column === end.column;
  if (begin.file.includedFrom !== undefined || isEmpty) return place;
  const file = begin.file === end.file ? '' : `'${end.file.name}', `;
  const line = begin.line === end.line ? '' : `line ${end.line}, `;
  return `${place} to ${file}${line}column ${end.column}`;
}

function describePosition({ file, line, column }: Position): string {
  const place = `'${file.name}', line ${line}, column ${column}`;
  return file.includedFrom === undefined ? place : `${place}, included from\n${describePosition(file.includedFrom)}`;
}

/** The line with a caret below it, between two lines of context on each side. */
function excerpt({ file, line, column }: Position): string {
  const lines = linesOf(file);
  const isAtEnd = line === lines.length + 1;
  const text = isAtEnd ? '' : (lines[line - 1] ?? '');
  const shown: string[] = [];
  const show = (number: number) => {
    const content = number === line && isAtEnd ? '' : lines[number - 1];
    if (content !== undefined) shown.push(`${String(number).padStart(6)}:  ${content}`);
  };
  show(line - 2);
  show(line - 1);
  show(line);
  shown.push(`         ${blankUpTo(text, column)}^${isAtEnd ? ' (error at end of file)' : ''}`);
  show(line + 1);
  show(line + 2);
  return [BAR, ...shown, BAR].join('\n');
}

function linesOf(file: SourceFile): string[] {
  const lines = file.text.split('\n').map((line) => line.replace(/\r$/, ''));
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Spaces with the width of the first `bytes` bytes of a line; tabs are kept. */
function blankUpTo(line: string, bytes: number): string {
  let blank = '';
  let left = bytes;
  for (const character of line) {
    if (left <= 0) break;
    blank += character === '\t' ? '\t' : ' ';
    left -= utf8Length(character);
  }
  return blank;
}

/** The number of bytes of a text's UTF-8 form. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}

/** Breaks lines at spaces so that none is longer than `width`, if possible. Keeps the line breaks of the text. */
function fill(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => {
      const filled: string[] = [];
      let rest = line;
      while (rest.length > width) {
        const margin = rest.length - rest.trimStart().length;
        const before = rest.lastIndexOf(' ', width);
        const cut = before > margin ? before : rest.indexOf(' ', Math.max(width, margin));
        if (cut < 0) break;
        filled.push(rest.slice(0, cut));
        rest = rest.slice(cut + 1);
      }
      return [...filled, rest].join('\n');
    })
    .join('\n');
}

function indent(text: string, by: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : by + line))
    .join('\n');
}
