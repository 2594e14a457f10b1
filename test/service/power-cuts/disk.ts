/**
 * The possible contents of a disk after a power cut. Only confirmed data are certain: bytes written to a file before its `fsync`, and names in a
 * folder from before that of the folder. Each other change may have been applied or not, in any order that preserves the order for one name and for
 * one file. A rename is atomic, as on every journaling file system; bytes are written by page, and a missing page may contain zeros.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PAGE_BYTES = 4096;

/** The fate of changes that are not certain. */
export interface Fate {
  /** Whether a change of names was applied. */
  nameArrives(): boolean;
  /** The fate of a page of a write: `zeros` if the file was extended but the bytes were not written. */
  pageArrives(): 'whole' | 'zeros' | 'not at all';
}

interface Change {
  /** The moment of the change. */
  readonly moment: number;
  isCertain: boolean;
}

interface Slot {
  readonly folder: Folder;
  readonly name: string;
  /** The node that has the name afterwards. */
  readonly node: Node | undefined;
}

/** Adds or removes names atomically. */
interface Naming extends Change {
  readonly slots: readonly Slot[];
  /** Earlier changes of the same names and the same files. */
  readonly after: readonly Naming[];
}

interface Writing extends Change {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

interface Cutting extends Change {
  readonly length: number;
}

export class File {
  readonly changes: (Writing | Cutting)[] = [];
  readonly namings: Naming[] = [];
  /** The contents as running processes see them. */
  length = 0;
}

export class Folder {
  /** The names as running processes see them. */
  readonly entries = new Map<string, Node>();
  readonly namings: Naming[] = [];
}

export type Node = File | Folder;

/** The contents of a disk: files by name. */
export type Tree = Map<string, Uint8Array | Tree>;

/** A folder on a disk, with the sequence of changes to it. */
export class Disk {
  readonly root: Folder;
  private readonly namings: Naming[] = [];

  /** Starts with the existing contents of the disk. */
  constructor(content: Tree = new Map()) {
    this.root = new Folder();
    this.fill(this.root, content);
  }

  /** The file or folder at a path, which is relative to the root. */
  find(path: readonly string[]): Node | undefined {
    let node: Node | undefined = this.root;
    for (const name of path) node = node instanceof Folder ? node.entries.get(name) : undefined;
    return node;
  }

  /** Adds a name for a new file or folder. */
  add(path: readonly string[], node: Node, moment: number): void {
    this.rename([this.slot(path, node)], node, moment);
  }

  remove(path: readonly string[], moment: number): void {
    const node = this.find(path);
    if (node !== undefined) this.rename([this.slot(path, undefined)], node, moment);
  }

  move(from: readonly string[], to: readonly string[], moment: number): void {
    const node = this.find(from);
    if (node !== undefined) this.rename([this.slot(from, undefined), this.slot(to, node)], node, moment);
  }

  write(file: File, offset: number, bytes: Uint8Array, moment: number): void {
    file.changes.push({ moment, isCertain: false, offset, bytes });
    file.length = Math.max(file.length, offset + bytes.length);
  }

  truncate(file: File, length: number, moment: number): void {
    file.changes.push({ moment, isCertain: false, length });
    file.length = length;
  }

  /** A synchronization that started at this moment has completed. */
  sync(node: Node, called: number): void {
    if (node instanceof File) {
      for (const change of node.changes) change.isCertain ||= change.moment < called;
      return;
    }
    for (const naming of this.namings) {
      if (naming.moment < called && naming.slots.some(({ folder }) => folder === node)) makeCertain(naming);
    }
  }

  /** The contents of the disk if the power is cut now. */
  remains(fate: Fate): Tree {
    const arrived = new Set<Naming>();
    for (const naming of this.namings) {
      const isPossible = naming.after.every((earlier) => arrived.has(earlier));
      if (naming.isCertain || (isPossible && fate.nameArrives())) arrived.add(naming);
    }
    const entries = new Map<Folder, Map<string, Node>>();
    for (const { slots } of arrived) {
      for (const { folder, name, node } of slots) {
        const names = entries.get(folder) ?? new Map<string, Node>();
        entries.set(folder, names);
        if (node === undefined) names.delete(name);
        else names.set(name, node);
      }
    }
    const contentOf = (node: Node): Uint8Array | Tree => {
      if (node instanceof File) return bytesOf(node, fate);
      return new Map([...(entries.get(node) ?? [])].map(([name, inside]) => [name, contentOf(inside)]));
    };
    const tree = contentOf(this.root);
    return tree instanceof Map ? tree : new Map();
  }

  private slot(path: readonly string[], node: Node | undefined): Slot {
    const folder = this.find(path.slice(0, -1));
    if (!(folder instanceof Folder)) throw new Error(`there is no folder for ${path.join('/')}`);
    return { folder, name: path.at(-1) ?? '', node };
  }

  private rename(slots: readonly Slot[], node: Node, moment: number): void {
    const isMeant = (slot: Slot) => slots.some(({ folder, name }) => folder === slot.folder && name === slot.name);
    const ofNames = this.namings.filter((earlier) => earlier.slots.some(isMeant));
    const naming = { moment, isCertain: false, slots, after: [...new Set([...ofNames, ...node.namings])] };
    this.namings.push(naming);
    node.namings.push(naming);
    for (const { folder, name, node: named } of slots) {
      if (named === undefined) folder.entries.delete(name);
      else folder.entries.set(name, named);
    }
  }

  private fill(folder: Folder, content: Tree): void {
    for (const [name, inside] of content) {
      const node = inside instanceof Map ? new Folder() : new File();
      this.rename([{ folder, name, node }], node, 0);
      if (node instanceof File && !(inside instanceof Map)) this.write(node, 0, inside, 0);
      if (node instanceof Folder && inside instanceof Map) this.fill(node, inside);
      this.sync(node, 1);
    }
    this.sync(folder, 1);
  }
}

function makeCertain(naming: Naming): void {
  if (naming.isCertain) return;
  naming.isCertain = true;
  naming.after.forEach(makeCertain);
}

function bytesOf(file: File, fate: Fate): Uint8Array {
  const content = Buffer.alloc(Math.max(0, ...file.changes.map(endOf)));
  let length = 0;
  for (const change of file.changes) {
    if ('length' in change) {
      if (!change.isCertain && !fate.nameArrives()) continue;
      content.fill(0, change.length);
      length = change.length;
      continue;
    }
    const { bytes, offset, isCertain } = change;
    for (let start = offset; start < offset + bytes.length; ) {
      const end = Math.min(offset + bytes.length, (Math.floor(start / PAGE_BYTES) + 1) * PAGE_BYTES);
      const arrives = isCertain ? 'whole' : fate.pageArrives();
      if (arrives === 'whole') content.set(bytes.subarray(start - offset, end - offset), start);
      if (arrives !== 'not at all') length = Math.max(length, end);
      start = end;
    }
  }
  return content.subarray(0, length);
}

function endOf(change: Writing | Cutting): number {
  return 'length' in change ? change.length : change.offset + change.bytes.length;
}

/** Creates a folder with these contents. */
export async function writeTree(path: string, tree: Tree): Promise<void> {
  await mkdir(path, { recursive: true });
  for (const [name, inside] of tree) {
    if (inside instanceof Map) await writeTree(join(path, name), inside);
    else await writeFile(join(path, name), inside, { mode: 0o600 });
  }
}
