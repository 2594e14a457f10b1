/** Records a server's operations on the files in a folder, and its answers, in order. */
import { join } from 'node:path';
import { type Call, firstOf, lastOf, parseCalls, textsOf } from './calls.js';
import { Disk, File, Folder, type Node, type Tree } from './disk.js';

/** A header that identifies requests. */
export const MARK = 'x-mark';
const MARKED = new RegExp(`\\r\\n${MARK}: (\\d+)\\r\\n`);

interface Opened {
  /** Undefined if it is not in the folder. */
  readonly node: Node | undefined;
  readonly appends: boolean;
  position: number;
}

/** The operations of one process. */
export class Recording {
  private readonly root: string;
  private readonly before: Tree;
  private readonly calls: readonly Call[];
  /** When the server had received a request and when it began to send the response, by mark. */
  readonly received = new Map<number, number>();
  readonly answered = new Map<number, number>();
  /** The moments of relevant operations. */
  readonly moments: readonly number[];

  /** `before`: the previous contents of the folder `root`, all of which are on the disk. */
  constructor(trace: Buffer, root: string, before: Tree) {
    this.root = root;
    this.before = before;
    const calls = parseCalls(trace);
    // A file descriptor may be reused before the call that closed it has returned.
    this.calls = calls.sort((a, b) => momentOf(a) - momentOf(b));
    const { moments } = this.replay(Number.POSITIVE_INFINITY, (call) => this.noteExchange(call));
    this.moments = [...new Set([...moments, ...this.answered.values()])];
  }

  /** The state of the disk at a moment. */
  diskAt(moment: number): Disk {
    return this.replay(moment).disk;
  }

  /** Repeats all operations that had started by a moment. Those that had not completed by then count as not synchronized. */
  private replay(until: number, onSocket?: (call: Call) => void) {
    const replay = new Replay(this.root, new Disk(this.before), onSocket);
    for (const call of this.calls) if (momentOf(call) <= until) replay.perform(call);
    for (const call of this.calls) if (momentOf(call) > until && call.begin <= until) replay.performPartly(call);
    return replay;
  }

  private noteExchange(call: Call): void {
    const mark = this.exchanges.get(firstOf(call));
    if (call.name === 'read') {
      const found = MARKED.exec(textsOf(call)[0]?.toString('latin1') ?? '')?.[1];
      if (found === undefined) return;
      this.exchanges.set(firstOf(call), Number(found));
      this.received.set(Number(found), call.end);
    } else if (mark !== undefined && !this.answered.has(mark)) this.answered.set(mark, call.begin);
  }

  /** The latest mark of each connection. */
  private readonly exchanges = new Map<number, number>();
}

function momentOf({ name, begin, end }: Call): number {
  return name === 'close' ? begin : end;
}

const IGNORED: ReadonlySet<string> = new Set(['close', 'read', 'fallocate']);

class Replay {
  readonly disk: Disk;
  readonly moments: number[] = [];
  private readonly root: string;
  private readonly onSocket: ((call: Call) => void) | undefined;
  private readonly opened = new Map<number, Opened>();

  constructor(root: string, disk: Disk, onSocket: ((call: Call) => void) | undefined) {
    this.root = root;
    this.disk = disk;
    this.onSocket = onSocket;
  }

  perform(call: Call): void {
    const { name, begin, end } = call;
    const file = this.opened.get(firstOf(call));
    if (name === 'fsync' || name === 'fdatasync') {
      if (file?.node === undefined) return;
      this.disk.sync(file.node, begin);
      this.moments.push(begin, end);
    } else if (name === 'close') this.opened.delete(firstOf(call));
    else if (name === 'read' && file !== undefined) return;
    else if (name === 'read' || (name.startsWith('write') && file === undefined)) {
      this.onSocket?.(call);
    } else this.change(call);
  }

  /** Like `perform`, for a call whose completion is unknown. */
  performPartly(call: Call): void {
    if (!call.name.endsWith('sync') && !IGNORED.has(call.name)) this.perform(call);
  }

  private change(call: Call): void {
    const { name, end } = call;
    if (['open', 'openat', 'creat'].includes(name)) this.open(call);
    else if (['write', 'writev', 'pwrite64', 'pwritev'].includes(name)) this.write(call);
    else if (name === 'ftruncate') this.truncate(call);
    else if (name.startsWith('mkdir')) this.withPath(call, (path) => this.disk.add(path, new Folder(), end));
    else if (name.startsWith('unlink') || name === 'rmdir') this.withPath(call, (path) => this.disk.remove(path, end));
    else if (name.startsWith('rename')) this.rename(call);
    else {
      const [path] = this.pathsOf(call).filter((each) => each !== undefined);
      if (path !== undefined) throw new Error(`it is not known what ${name} does to ${path.join('/')}`);
    }
  }

  private truncate(call: Call): void {
    const file = this.opened.get(firstOf(call))?.node;
    if (file instanceof File) this.disk.truncate(file, lastOf(call), call.end);
  }

  private open(call: Call): void {
    const [path] = this.pathsOf(call);
    const { arguments: flags, result, end } = call;
    let node = path && this.disk.find(path);
    const creates = call.name === 'creat' || flags.includes('O_CREAT');
    if (path !== undefined && node === undefined && creates) {
      node = new File();
      this.disk.add(path, node, end);
      this.moments.push(end);
    } else if (node instanceof File && node.length > 0 && flags.includes('O_TRUNC')) this.disk.truncate(node, 0, end);
    this.opened.set(result, { node, appends: flags.includes('O_APPEND'), position: 0 });
  }

  private write(call: Call): void {
    const file = this.opened.get(firstOf(call));
    if (file === undefined || !(file.node instanceof File)) return;
    const bytes = Buffer.concat(textsOf(call)).subarray(0, call.result);
    const isPlaced = call.name.startsWith('p');
    const offset = isPlaced ? lastOf(call) : file.appends ? file.node.length : file.position;
    this.disk.write(file.node, offset, bytes, call.end);
    if (!isPlaced) file.position = offset + bytes.length;
    this.moments.push(call.end);
  }

  private rename(call: Call): void {
    const [from, to] = this.pathsOf(call);
    if (from === undefined && to === undefined) return;
    if (from === undefined || to === undefined) throw new Error('something was moved into the folder or out of it');
    // Sockets, such as the lock, are not files.
    if (this.disk.find(from) === undefined) return;
    this.disk.move(from, to, call.end);
    this.moments.push(call.end);
  }

  private withPath(call: Call, change: (path: readonly string[]) => void): void {
    const [path] = this.pathsOf(call);
    if (path === undefined) return;
    change(path);
    this.moments.push(call.end);
  }

  /** The paths in a call, relative to the folder; undefined for paths outside of it. */
  private pathsOf(call: Call): (readonly string[] | undefined)[] {
    return textsOf(call).map((text) => {
      const path = text.toString();
      if (!path.startsWith('/')) {
        if (!call.arguments.startsWith('AT_FDCWD') && call.name.includes('at')) this.refuseRelative(call);
        return undefined;
      }
      const plain = join(path, '.');
      if (plain !== this.root && !plain.startsWith(`${this.root}/`)) return undefined;
      return plain.slice(this.root.length).split('/').filter(Boolean);
    });
  }

  private refuseRelative(call: Call): void {
    const folder = this.opened.get(firstOf(call))?.node;
    if (folder !== undefined) throw new Error(`${call.name} names a file by its folder`);
  }
}
