import { append } from '../base/multimap.js';
import { difference, ItemSets, type SharedMap, unionOf, valuesOf } from '../base/shared-map.js';
import type { Block, Ref, Statement, Variable } from '../ir/nodes.js';
import { SmallSet } from '../ir/small.js';
import { blocksOf, definedRefs } from '../ir/walk.js';
import { isLoop, type LoopStatement, mentionsOf, writesOf } from './effects.js';

export interface WriteSite {
  readonly statement: Statement;
  readonly position: number;
  /** The loops around the statement, outermost first. */
  readonly loops: readonly LoopStatement[];
}

interface Place extends WriteSite {
  /** The position after the last statement inside. */
  end: number;
}

/** The mentions of variables in a block. */
interface Mentions {
  /** The variables that each statement mentions itself, by its position. */
  readonly of: readonly (readonly Variable[])[];
  /** The positions of the statements that mention a variable, in order, once per mention. */
  readonly places: ReadonlyMap<Variable, readonly number[]>;
}

const NOWHERE: readonly number[] = [];

/** The mentions and writes of each variable of a block, and the position of each statement. */
export class Uses {
  readonly #places = new Map<Statement, Place>();
  readonly #writes = new Map<Variable, WriteSite[]>();
  readonly #definitions = new Map<Ref, WriteSite[]>();
  readonly #outside = new Map<Variable, number>();
  /** In the order of their positions. */
  readonly #statements: Statement[] = [];
  #known: Mentions | null = null;
  #knownHomes: ReadonlyMap<number, readonly Variable[]> | null = null;
  readonly #sets = new ItemSets<Variable>();
  readonly #inside = new Map<Statement, SharedMap<Variable>>();
  readonly #open = new Map<Statement, SharedMap<Variable>>();

  /** `outside`: variables that are also mentioned outside of the block. */
  constructor(block: Block, outside: readonly Variable[] = []) {
    this.#visitBlock(block, []);
    for (const variable of outside) this.#outside.set(variable, (this.#outside.get(variable) ?? 0) + 1);
  }

  #visitBlock(block: Block, loops: readonly LoopStatement[]): void {
    for (const statement of block) this.#visit(statement, loops);
  }

  #visit(statement: Statement, loops: readonly LoopStatement[]): void {
    const position = this.#statements.push(statement) - 1;
    const place: Place = { statement, position, loops, end: position + 1 };
    this.#places.set(statement, place);
    const inner = isLoop(statement) ? [...loops, statement] : loops;
    const site: WriteSite = statement.kind === 'for' ? { statement, position, loops: inner } : place;
    for (const variable of writesOf(statement)) append(this.#writes, variable, site);
    for (const ref of definedRefs(statement)) append(this.#definitions, ref, site);
    const blocks = blocksOf(statement);
    if (blocks.length === 0) return;
    for (const block of blocks) this.#visitBlock(block, inner);
    place.end = this.#statements.length;
  }

  /** Computed on demand, because many callers need only the writes. */
  get #mentions(): Mentions {
    if (this.#known !== null) return this.#known;
    const places = new Map<Variable, number[]>();
    const of: Variable[][] = [];
    // One function for all statements, because these are most of the calls of an analysis.
    const note = (variable: Variable): void => {
      of[of.length - 1].push(variable);
      append(places, variable, of.length - 1);
    };
    for (const statement of this.#statements) {
      of.push([]);
      mentionsOf(statement, note);
    }
    this.#known = { of, places };
    return this.#known;
  }

  #place(statement: Statement): Place {
    const place = this.#places.get(statement);
    if (place === undefined) throw new Error('statement is not part of the analyzed block');
    return place;
  }

  #mentionsBetween(variable: Variable, from: number, to: number): number {
    const places = this.#mentions.places.get(variable) ?? NOWHERE;
    return lowerBound(places, to) - lowerBound(places, from);
  }

  writes(variable: Variable): readonly WriteSite[] {
    return this.#writes.get(variable) ?? [];
  }

  /** The statements that set the ref's pointer and sizes. */
  definitions(ref: Ref): readonly WriteSite[] {
    return this.#definitions.get(ref) ?? [];
  }

  /** The variables that the statement itself mentions, once per mention. */
  own(statement: Statement): readonly Variable[] {
    return this.#mentions.of[this.position(statement)];
  }

  /** The variables that the statement and those inside it mention. */
  *mentioned(statement: Statement): Iterable<Variable> {
    const { position, end } = this.#place(statement);
    const met = new SmallSet<Variable>();
    for (let k = position; k < end; k++) {
      for (const variable of this.#mentions.of[k]) if (met.add(variable)) yield variable;
    }
  }

  mentions(statement: Statement, variable: Variable): boolean {
    return this.countIn(variable, statement) > 0;
  }

  /** Whether every mention of the variable is inside the statement. */
  isLocalTo(variable: Variable, statement: Statement): boolean {
    if (this.#outside.has(variable)) return false;
    const places = this.#mentions.places.get(variable);
    if (places === undefined) return true;
    const { position, end } = this.#place(statement);
    return places[0] >= position && places[places.length - 1] < end;
  }

  /** The number of mentions of the variable in the statement and those inside it. */
  countIn(variable: Variable, statement: Statement): number {
    const { position, end } = this.#place(statement);
    return this.#mentionsBetween(variable, position, end);
  }

  /** The number of all mentions of the variable. */
  count(variable: Variable): number {
    return (this.#mentions.places.get(variable)?.length ?? 0) + (this.#outside.get(variable) ?? 0);
  }

  /** The number of mentions of the variable from the first statement to the end of the second. */
  countBetween(variable: Variable, from: Statement, to: Statement): number {
    return this.#mentionsBetween(variable, this.#place(from).position, this.#place(to).end);
  }

  /** The positions of the first and the last mention of the variable; -1 and infinity if it is also mentioned outside. */
  extentOf(variable: Variable): { readonly first: number; readonly last: number } {
    if (this.#outside.has(variable)) return { first: -1, last: Number.POSITIVE_INFINITY };
    const places = this.#mentions.places.get(variable) ?? NOWHERE;
    return { first: places[0] ?? Number.POSITIVE_INFINITY, last: places.at(-1) ?? -1 };
  }

  /** The position of the variable's last mention in the block; -1 if it has none. */
  lastMention(variable: Variable): number {
    return this.#mentions.places.get(variable)?.at(-1) ?? -1;
  }

  /** The last of these consecutive statements that starts at or before the position. */
  lastIn(statements: Block, position: number): Statement | null {
    return statements[firstWhere(statements.length, (k) => this.position(statements[k]) > position) - 1] ?? null;
  }

  /** The statements of a block that mention the variable, directly or in inner blocks, in order. */
  mentioning(statements: Block, variable: Variable): readonly Statement[] {
    const found: Statement[] = [];
    const last = statements.at(-1);
    if (last === undefined) return found;
    const { end } = this.#place(last);
    const places = this.#mentions.places.get(variable) ?? NOWHERE;
    for (let k = lowerBound(places, this.position(statements[0])); k < places.length && places[k] < end; ) {
      const statement = this.lastIn(statements, places[k]);
      if (statement === null) break;
      found.push(statement);
      k = lowerBound(places, this.#place(statement).end);
    }
    return found;
  }

  /** The first and the last statement of a block that mention the variable, directly or in inner blocks; null if no statement does. */
  endsOf(statements: Block, variable: Variable): { readonly first: Statement; readonly last: Statement } | null {
    const end = statements.at(-1);
    if (end === undefined) return null;
    const places = this.#mentions.places.get(variable) ?? NOWHERE;
    const from = lowerBound(places, this.position(statements[0]));
    const to = lowerBound(places, this.#place(end).end);
    if (from === to) return null;
    const first = this.lastIn(statements, places[from]);
    const last = this.lastIn(statements, places[to - 1]);
    return first === null || last === null ? null : { first, last };
  }

  /** By position of a statement: the variables that are mentioned only in this statement, but not only in one statement inside it. */
  get #homes(): ReadonlyMap<number, readonly Variable[]> {
    if (this.#knownHomes !== null) return this.#knownHomes;
    const ending = new Map<number, Variable[]>();
    for (const [variable, places] of this.#mentions.places) {
      if (!this.#outside.has(variable)) append(ending, places[places.length - 1], variable);
    }
    const homes = new Map<number, Variable[]>();
    const around: Place[] = [];
    for (const statement of this.#statements) {
      const place = this.#place(statement);
      while (around.length > 0 && around[around.length - 1].end <= place.position) around.pop();
      around.push(place);
      for (const variable of ending.get(place.position) ?? []) {
        const first = this.#mentions.places.get(variable)?.[0] ?? 0;
        const home = firstWhere(around.length, (k) => around[k].position > first) - 1;
        if (home >= 0) append(homes, around[home].position, variable);
      }
    }
    this.#knownHomes = homes;
    return homes;
  }

  /** The variables that the statement itself mentions, and those that a statement directly inside it shares with others. */
  inside(statement: Statement): SharedMap<Variable> {
    const known = this.#inside.get(statement);
    if (known !== undefined) return known;
    let inside = this.#sets.of(this.own(statement));
    for (const block of blocksOf(statement)) {
      for (const inner of block) {
        if (blocksOf(inner).length > 0) inside = unionOf(this.#openIn(inner), inside);
        else for (const each of this.#ownOpen(inner)) inside = this.#sets.with(inside, each);
      }
    }
    this.#inside.set(statement, inside);
    return inside;
  }

  /** Whether the set contains the variable. */
  has(set: SharedMap<Variable>, variable: Variable): boolean {
    return this.#sets.has(set, variable);
  }

  /** The variables that are mentioned both in the statement and outside of it. */
  #openIn(statement: Statement): SharedMap<Variable> {
    if (blocksOf(statement).length === 0) return this.#sets.of(this.#ownOpen(statement));
    if (this.#open.has(statement)) return this.#open.get(statement);
    const homed = this.#homes.get(this.position(statement)) ?? [];
    const open = homed.reduce((rest, each) => this.#sets.without(rest, each), this.inside(statement));
    this.#open.set(statement, open);
    return open;
  }

  /** The variables that are mentioned both in the statement and outside of it, but not outside of `region`, which contains it. */
  shared(statement: Statement, region: Statement | null): Iterable<Variable> {
    const around = region === null ? undefined : this.#openIn(region);
    if (blocksOf(statement).length > 0) return valuesOf(difference(this.#openIn(statement), around));
    return this.#ownOpen(statement).filter((each) => !this.#sets.has(around, each));
  }

  /** The variables that the statement itself mentions and that are also mentioned outside of it, once per mention. */
  #ownOpen(statement: Statement): readonly Variable[] {
    return this.own(statement).filter((each) => !this.isLocalTo(each, statement));
  }

  /** Whether the loop's body assigns the variable and contains every mention of it. Data that only this loop reads do not qualify. */
  isLocalToBody(variable: Variable, loop: LoopStatement): boolean {
    const { position } = this.#place(loop);
    const isOfLoop = this.#mentionsBetween(variable, position, position + 1) > 0;
    return !isOfLoop && this.isLocalTo(variable, loop) && this.isChangedInBody(variable, loop);
  }

  /** The first write to the variable and the number of writes, inside the statement or, if it is null, in the whole block. */
  writesIn(
    variable: Variable,
    statement: Statement | null,
  ): { readonly first: WriteSite | undefined; readonly count: number } {
    const sites = this.writes(variable);
    if (statement === null) return { first: sites[0], count: sites.length };
    const { position, end } = this.#place(statement);
    const first = firstFrom(sites, position);
    return { first: sites[first], count: firstFrom(sites, end) - first };
  }

  /** Whether the statement, or one inside it, writes the variable. */
  isWrittenIn(variable: Variable, statement: Statement): boolean {
    return this.writesIn(variable, statement).count > 0;
  }

  /** The number of statements that set the ref's pointer and sizes, inside the statement or, if it is null, in the whole block. */
  definitionsIn(ref: Ref, statement: Statement | null): number {
    const sites = this.definitions(ref);
    if (statement === null) return sites.length;
    const { position, end } = this.#place(statement);
    return firstFrom(sites, end) - firstFrom(sites, position);
  }

  /** Whether the statement, or one inside it, writes the variable or sets its pointer. */
  isChangedIn(variable: Variable, statement: Statement): boolean {
    const { position, end } = this.#place(statement);
    return this.#isChanged(variable, position, end);
  }

  /** Whether a statement between the start of the first and the end of the second writes the variable or sets its pointer. */
  isChangedBetween(variable: Variable, from: Statement, to: Statement): boolean {
    return this.#isChanged(variable, this.#place(from).position, this.#place(to).end);
  }

  /** Whether a statement of the loop's body, or one inside it, writes the variable or sets its pointer. */
  isChangedInBody(variable: Variable, loop: LoopStatement): boolean {
    const { position, end } = this.#place(loop);
    return this.#isChanged(variable, position + 1, end);
  }

  #isChanged(variable: Variable, from: number, to: number): boolean {
    return (
      hasWithin(this.writes(variable), from, to) ||
      (variable.kind === 'ref' && hasWithin(this.definitions(variable), from, to))
    );
  }

  /** The number of leading loops in `loops`, nested and outermost first, to whose bodies the variable is local. */
  loopsWithLocal(variable: Variable, loops: readonly LoopStatement[]): number {
    return firstWhere(loops.length, (k) => !this.isLocalToBody(variable, loops[k]));
  }

  /** The number of leading loops in `loops`, nested and outermost first, that write the variable. */
  loopsThatWrite(variable: Variable, loops: readonly LoopStatement[]): number {
    return this.#loopsWith(this.writes(variable), loops);
  }

  /** The number of leading loops in `loops`, nested and outermost first, that set the ref's pointer and sizes. */
  loopsThatDefine(ref: Ref, loops: readonly LoopStatement[]): number {
    return this.#loopsWith(this.definitions(ref), loops);
  }

  #loopsWith(sites: readonly WriteSite[], loops: readonly LoopStatement[]): number {
    if (sites.length === 0) return 0;
    return firstWhere(loops.length, (k) => {
      const { position, end } = this.#place(loops[k]);
      return !hasWithin(sites, position, end);
    });
  }

  loops(statement: Statement): readonly LoopStatement[] {
    return this.#place(statement).loops;
  }

  position(statement: Statement): number {
    return this.#place(statement).position;
  }

  contains(outer: Statement, position: number): boolean {
    const place = this.#place(outer);
    return position >= place.position && position < place.end;
  }
}

/** The index of the first site at or after the position. The sites must be sorted by position. */
function firstFrom(sites: readonly WriteSite[], position: number): number {
  return firstWhere(sites.length, (k) => sites[k].position >= position);
}

/** The index of the first of the ascending numbers that is at least the bound. */
function lowerBound(numbers: readonly number[], bound: number): number {
  return firstWhere(numbers.length, (k) => numbers[k] >= bound);
}

/** The first index for which the test holds, or `length`, by binary search. The test must hold for all later indexes. */
function firstWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function hasWithin(sites: readonly WriteSite[], from: number, to: number): boolean {
  const { length } = sites;
  if (length === 0 || sites[0].position >= to || sites[length - 1].position < from) return false;
  if (sites[0].position >= from || sites[length - 1].position < to) return true;
  const first = firstFrom(sites, from);
  return first < sites.length && sites[first].position < to;
}
