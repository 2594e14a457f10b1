import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));
const SESSION = fileURLToPath(new URL('./session.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** A folder in which commands of the built program run as for a user. */
export class CommandFolder {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async create(files: Readonly<Record<string, string>>): Promise<CommandFolder> {
    const place = new CommandFolder(await mkdtemp(join(tmpdir(), 'leapfrog-commands-')));
    for (const [name, text] of Object.entries(files)) await writeFile(place.path(name), text);
    return place;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  start(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ended> } {
    return this.startScript(MAIN, args);
  }

  private startScript(script: string, args: readonly string[], input?: string) {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: this.folder,
      env: { ...process.env, TMPDIR: this.folder },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const texts = { output: '', errors: '' };
    child.stdout.on('data', (bytes) => {
      texts.output += bytes;
    });
    child.stderr.on('data', (bytes) => {
      texts.errors += bytes;
    });
    const ended = new Promise<Ended>((resolve) => child.on('close', (code) => resolve({ code, ...texts })));
    return { child, ended };
  }

  run(...args: readonly string[]): Promise<Ended> {
    return this.start(...args).ended;
  }

  /** Runs a command with a string as standard input. */
  runWith(input: string, ...args: readonly string[]): Promise<Ended> {
    return this.startScript(MAIN, args, input).ended;
  }

  /** Runs several commands in sequence in one process. */
  runTogether(commands: readonly (readonly string[])[]): Promise<Ended> {
    return this.startScript(SESSION, [JSON.stringify(commands)]).ended;
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
