/** The tokens of a server, from its settings and from files. */
import { statSync } from 'node:fs';
import { readText, UnreadableFile } from '../../node/input-files.js';
import type { NamedToken } from '../../service/store/owners.js';
import { CommandError, reasonOf } from '../errors.js';
import { integer, token } from './values.js';

/** Receives the text of a warning. */
type Warn = (text: string) => void;

/** Warning for a token among the arguments of the process. */
export const VISIBLE_TOKEN =
  'the process list shows the value of --token to all users of this machine: use --token-file FILE, or the environment variable LEAPFROG_TOKEN';

/** The token in a file, which may end with a newline. Warns if other users can read the file. */
export function readTokenFile(path: string, warn: Warn): string {
  const text = readSecret(path, warn).trim();
  try {
    return token(text);
  } catch (error) {
    throw new CommandError(`error: ${path} must contain one token and nothing else. ${reasonOf(error)}`);
  }
}

/**
 * The tokens in a JSON file, an array of objects with `name`, `token` and optional limits. Throws an error that lists all
 * problems with their JSON pointers. Warns if other users can read the file.
 */
export function readNamedTokens(path: string, warn: Warn): readonly NamedToken[] {
  const problems: string[] = [];
  const list = parsed(path, readSecret(path, warn));
  if (!Array.isArray(list) || list.length === 0)
    throw new CommandError(`error: ${path} must be a JSON array of one or more objects with name and token`);
  const entries: readonly unknown[] = list;
  const read = entries.map((entry, index) => readEntry(entry, `/${index}`, problems));
  for (const member of ['name', 'token'] as const) {
    const first = new Map<string, number>();
    for (const [index, entry] of read.entries()) {
      if (entry === undefined) continue;
      const known = first.get(entry[member]);
      if (known !== undefined) problems.push(`/${index}/${member} is also that of /${known}`);
      else first.set(entry[member], index);
    }
  }
  if (problems.length === 0) return read.filter((entry) => entry !== undefined);
  throw new CommandError(problems.map((problem) => `error: ${path}: ${problem}`).join('\n'));
}

function parsed(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The message of the parser would quote the file.
    throw new CommandError(`error: ${path} is not JSON`);
  }
}

const MOST_WAITING = 1_000_000;

/** The token of an entry; undefined if it is invalid. */
function readEntry(entry: unknown, at: string, problems: string[]): NamedToken | undefined {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) {
    problems.push(`${at} must be an object with name and token`);
    return undefined;
  }
  const { max_queue, name, token: secret, ...unknown }: Record<string, unknown> = { ...entry };
  const say = (member: string, problem: string) => problems.push(`${at}/${member} ${problem}`);
  const isName = typeof name === 'string' && NAME.test(name);
  if (!isName) say('name', 'must consist of 1 to 64 letters, digits, dots, hyphens and underscores');
  const accepted = attempt(
    () => token(secret),
    (reason) => say('token', `is invalid. ${reason}`),
  );
  const limit = max_queue === undefined ? undefined : typeof max_queue === 'number' ? max_queue : Number.NaN;
  const maxQueue = attempt(
    () => (limit === undefined ? undefined : integer(1, MOST_WAITING)(limit)),
    (reason) => say('max_queue', `is invalid. ${reason}`),
  );
  for (const member of Object.keys(unknown)) say(member, 'is unknown; the members are name, token and max_queue');
  if (!isName || accepted === undefined) return undefined;
  return { name, token: accepted, ...(maxQueue !== undefined && { maxQueue }) };
}

const NAME = /^[\w.-]{1,64}$/;

function attempt<Value>(read: () => Value, fail: (reason: string) => void): Value | undefined {
  try {
    return read();
  } catch (error) {
    fail(reasonOf(error));
    return undefined;
  }
}

/** The text of a file with secrets. */
function readSecret(path: string, warn: Warn): string {
  try {
    const text = readText(path);
    // Windows has no such permissions.
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS_READ) !== 0)
      warn(`${path} contains secrets, but all users of this machine can read it: chmod o-r ${path}`);
    return text;
  } catch (error) {
    if (error instanceof UnreadableFile) throw new CommandError(`error: ${error.message}`);
    throw error;
  }
}

const OTHERS_READ = 0o004;
