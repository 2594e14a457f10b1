import type { AutodiffLevel, Type } from './types.js';

/** The autodiff level of a value. A tuple, or an array of tuples, has one level for each of its slots. */
export type Level = AutodiffLevel | readonly Level[];

/** Whether any part of the value may depend on parameters. */
export function isActive(level: Level): boolean {
  return typeof level === 'string' ? level === 'autodiff' : level.some(isActive);
}

/** Cached levels of tuple types, because each use of a tuple needs one. */
const SPREAD_WORDS: Readonly<Record<AutodiffLevel, WeakMap<Type, Level>>> = {
  data: new WeakMap(),
  autodiff: new WeakMap(),
};
const SPREAD_TREES = new WeakMap<readonly Level[], WeakMap<Type, Level>>();

/** Extends a level to all slots of a type: one level for a type without tuples, a tree of levels for a tuple. */
export function levelOfType(level: Level, type: Type): Level {
  if (type.kind === 'array') return levelOfType(level, type.element);
  if (type.kind !== 'tuple') return isActive(level) ? 'autodiff' : 'data';
  const done = typeof level === 'string' ? SPREAD_WORDS[level] : doneFor(level);
  let spread = done.get(type);
  if (spread === undefined) {
    spread = type.elements.map((element, i) => levelOfType(typeof level === 'string' ? level : level[i], element));
    done.set(type, spread);
  }
  return spread;
}

function doneFor(level: readonly Level[]): WeakMap<Type, Level> {
  let done = SPREAD_TREES.get(level);
  if (done === undefined) {
    done = new WeakMap();
    SPREAD_TREES.set(level, done);
  }
  return done;
}

/** Whether a parameter of level `expected` accepts a value of level `found`. Only `data` parameters reject, and only `autodiff` values. */
export function acceptsLevel(expected: Level, found: Level): boolean {
  if (expected === 'autodiff') return true;
  if (expected === 'data') return !isActive(found);
  return (
    typeof found === 'string' ||
    (expected.length === found.length && expected.every((level, i) => acceptsLevel(level, found[i])))
  );
}

/** The least upper bound of two levels. Undefined for tuples with different numbers of slots. */
export function joinLevels(a: Level, b: Level): Level | undefined {
  if (a === 'data') return b;
  if (b === 'data') return a;
  if (a === 'autodiff' && b === 'autodiff') return a;
  const slots = typeof a === 'string' ? b.length : a.length;
  if (typeof a !== 'string' && typeof b !== 'string' && a.length !== b.length) return undefined;
  const joined: Level[] = [];
  for (let i = 0; i < slots; i++) {
    const slot = joinLevels(typeof a === 'string' ? a : a[i], typeof b === 'string' ? b : b[i]);
    if (slot === undefined) return undefined;
    joined.push(slot);
  }
  return joined;
}
