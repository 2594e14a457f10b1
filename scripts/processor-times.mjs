/** Processor times of processes with those of their descendants. */
import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second. */
const TICKS = 100;

/** Processor times of the processes that this process started for files. Without /proc, they are unknown. */
export class ProcessorTimes {
  #families = new Map();

  /** To be called repeatedly: times of processes that end are lost, unless their parents wait for them. */
  sample(files) {
    const processes = processTable();
    for (const [pid, { parent }] of processes) {
      if (parent !== process.pid) continue;
      const words = contentsOf(`/proc/${pid}/cmdline`).split('\0');
      const file = files.find((each) => words.includes(each));
      if (file !== undefined) this.#add(file, pid, processes);
    }
  }

  /** Undefined if unknown. */
  secondsOf(file) {
    const family = this.#families.get(file);
    return family && Math.max(family.most, sumOf(family.own.values()));
  }

  #add(file, root, processes) {
    const { most, own } = this.#families.get(file) ?? { most: 0, own: new Map() };
    // A process whose parent has ended still belongs to the file.
    const members = new Set([root, ...own.keys()]);
    let together = 0;
    for (const pid of members) {
      const found = processes.get(pid);
      if (found === undefined) continue;
      own.set(pid, found.seconds);
      together += found.seconds + found.awaited;
      for (const child of found.children) members.add(child);
    }
    this.#families.set(file, { most: Math.max(most, together), own });
  }
}

function sumOf(values) {
  return [...values].reduce((sum, value) => sum + value, 0);
}

function processTable() {
  const table = new Map();
  for (const name of namesIn('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // After the name, which may contain spaces and parentheses: state, parent, …
    const fields = contentsOf(`/proc/${name}/stat`).split(') ').at(-1).split(' ');
    if (fields.length < 15) continue;
    const [user, system, childrenUser, childrenSystem] = fields.slice(11, 15).map((ticks) => Number(ticks) / TICKS);
    const times = { seconds: user + system, awaited: childrenUser + childrenSystem };
    table.set(Number(name), { ...times, parent: Number(fields[1]), children: [] });
  }
  for (const [pid, { parent }] of table) table.get(parent)?.children.push(pid);
  return table;
}

function contentsOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
