/** All writes of a command's text to standard output and standard error. */
import { isatty } from 'node:tty';
import { isSystemError, systemReason } from './system-errors.js';

/** Error codes of writes to a closed pipe or terminal. */
const UNREAD: readonly unknown[] = ['EPIPE', 'EIO'];

/** Lets commands continue if their output is not read, as before `| head`, and report in one line why it cannot be written. */
export function guardStandardStreams(): void {
  let said = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (said || UNREAD.includes(error.code)) return;
    said = true;
    process.exitCode = 1;
    printProblem(
      `error: standard output cannot be written: ${isSystemError(error) ? systemReason(error) : error.message}\n`,
    );
  });
  process.stderr.on('error', () => undefined);
}

const OUTPUT = 1;
const ERRORS = 2;

/** Writes a text for people to standard output, with control characters visible: names in it may come from a file. */
export function printText(text: string): void {
  process.stdout.write(visible(text));
}

/** Writes an error or a warning to standard error, with control characters visible. */
export function printProblem(text: string): void {
  process.stderr.write(visible(text));
}

/** Writes data for programs, or output of a Stan program, unchanged; on a terminal, control characters become visible. */
export function printData(text: string, to: 'output' | 'errors' = 'output'): void {
  const stream = to === 'output' ? process.stdout : process.stderr;
  stream.write(visibleOnTerminal(to === 'output' ? OUTPUT : ERRORS, text));
}

/** A text to be written to a descriptor: control characters become visible if it is a terminal. */
export function visibleOnTerminal(descriptor: number, text: string): string {
  return isatty(descriptor) ? visible(text) : text;
}

/**
 * Control characters other than line feed and tab (C0, DEL, C1), line and paragraph separators, and the marks that reorder text
 * (UAX #9, "Explicit Directional Formatting Characters"; Boucher and Anderson, 2021, "Trojan Source").
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSAFE = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text with each control character escaped as `\x1b` or `\u202e`, so that a terminal shows it and does not interpret it. */
export function visible(text: string): string {
  return text.replace(UNSAFE, (character) => {
    const code = character.charCodeAt(0);
    return code < 256 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
