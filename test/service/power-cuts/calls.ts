/** System calls of a process, as `strace` prints them. */
import { existsSync } from 'node:fs';

const STRACE = '/usr/bin/strace';

/** For the option `skip` of a test: the reason why it cannot run here, or false. */
export const withoutStrace: string | false = !existsSync(STRACE) && 'there is no strace: install it';

const CHANGES = [
  ...['open', 'openat', 'creat', 'close', 'dup', 'dup2', 'dup3'],
  ...['write', 'writev', 'pwrite64', 'pwritev', 'pwritev2', 'ftruncate', 'truncate', 'fallocate', 'copy_file_range'],
  ...['fsync', 'fdatasync', 'rename', 'renameat', 'renameat2', 'link', 'linkat', 'symlink', 'symlinkat'],
  ...['mkdir', 'mkdirat', 'unlink', 'unlinkat', 'rmdir'],
];
/** Number of bytes that are kept of a call's arguments: more than a server writes at a time. */
const LONGEST_TEXT = 1 << 26;

/** The prefix of a command that writes the calls of all threads of the command to a file. strace runs the command as its child. */
export function tracing(file: string): readonly string[] {
  const calls = [...CHANGES, 'read'].join(',');
  return [
    STRACE,
    '-D',
    '-f',
    '--seccomp-bpf',
    '-qq',
    '-xx',
    '-s',
    `${LONGEST_TEXT}`,
    '-e',
    `trace=${calls}`,
    '-o',
    file,
  ];
}

/** A completed call. Moments are line numbers of the trace; other calls may start and end in between. */
export interface Call {
  readonly name: string;
  /** The text between the parentheses, as strace writes it. */
  readonly arguments: string;
  readonly result: number;
  readonly begin: number;
  readonly end: number;
}

const UNFINISHED = ' <unfinished ...>';
const RESUMED = / resumed>/;

/** Maximum number of bytes that Node.js reads from a socket at once. */
const MOST_RECEIVED = 65_536;

/** The lines of a text that may be longer than a string can be. */
function* linesOf(text: Buffer): Generator<string> {
  for (let start = 0, end = 0; end >= 0; start = end + 1) {
    end = text.indexOf(10, start);
    yield text.toString('latin1', start, end < 0 ? text.length : end);
  }
}

/** The successful calls of a trace, in order of completion, without those that read more than a socket returns. */
export function parseCalls(trace: Buffer): Call[] {
  const calls: Call[] = [];
  const begun = new Map<string, { readonly begin: number; readonly text: string }>();
  let moment = -1;
  for (const line of linesOf(trace)) {
    moment++;
    const [, thread, text] = /^(\d+) +([\s\S]*)$/.exec(line) ?? [];
    if (thread === undefined || text === undefined) continue;
    if (text.endsWith(UNFINISHED)) {
      begun.set(thread, { begin: moment, text: text.slice(0, -UNFINISHED.length) });
      continue;
    }
    const resumed = text.startsWith('<... ') ? begun.get(thread) : undefined;
    if (resumed !== undefined) {
      begun.delete(thread);
      const rest = text.slice((RESUMED.exec(text)?.index ?? 0) + ' resumed>'.length);
      push(calls, resumed.text + rest, resumed.begin, moment);
    } else if (/^\w+\(/.test(text)) push(calls, text, moment, moment);
  }
  return calls;
}

function push(calls: Call[], text: string, begin: number, end: number): void {
  const equals = text.lastIndexOf(' = ');
  const result = Number.parseInt(text.slice(equals + 3), 10);
  // A call that was interrupted by the end of the process has no result.
  if (equals < 0 || !(result >= 0)) return;
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')', equals);
  const name = text.slice(0, open);
  if (name === 'read' && result > MOST_RECEIVED) return;
  calls.push({ name, arguments: text.slice(open + 1, close), result, begin, end });
}

/** The quoted strings among the arguments of a call. Throws if strace has truncated one. */
export function textsOf(call: Call): Buffer[] {
  if (call.arguments.includes('"...')) throw new Error(`${call.name} has a text of more than ${LONGEST_TEXT} bytes`);
  const texts = call.arguments.match(/"[^"]*"/g) ?? [];
  return texts.map((text) => Buffer.from(text.slice(1, -1).replaceAll('\\x', ''), 'hex'));
}

/** The first argument as a number. */
export function firstOf(call: Call): number {
  return Number.parseInt(call.arguments, 10);
}

/** The last argument as a number. */
export function lastOf(call: Call): number {
  return Number.parseInt(call.arguments.slice(call.arguments.lastIndexOf(',') + 1), 10);
}
