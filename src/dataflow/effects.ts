import { KERNELS } from '../functions/kernels.js';
import type { Block, Expr, Ref, Statement, StatementOf, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { SmallSet } from '../ir/small.js';
import { assignedLocals, blocksOf, definedRefs, visitOwnExpressions } from '../ir/walk.js';
import { append } from './multimap.js';

/*
 * What statements read and write, as the passes ask for it. A container's contents are known by its root (the ref that
 * owns the memory, whatever view is used); its pointer and sizes are known by the ref itself.
 */

export type LoopStatement = StatementOf<'for' | 'while' | 'for_reverse'>;

export function isLoop(statement: Statement): statement is LoopStatement {
  return statement.kind === 'for' || statement.kind === 'while' || statement.kind === 'for_reverse';
}

/** Variables whose contents or value the statement itself (not its blocks) changes. */
export function writesOf(statement: Statement): readonly Variable[] {
  switch (statement.kind) {
    case 'store':
      return [rootOf(statement.ref)];
    case 'allocate':
      return [statement.ref];
    case 'view':
      return [];
    case 'kernel': {
      const written: Variable[] = [...assignedLocals(statement)];
      const outputs = KERNELS.get(statement.name)?.outputs ?? [];
      for (const k of outputs) {
        const argument = statement.args[k];
        if (argument.kind === 'pointer' && !argument.adjoint) written.push(rootOf(argument.ref));
      }
      return written;
    }
    case 'call':
      return statement.results;
    default:
      return assignedLocals(statement);
  }
}

/** Calls `visit` for each variable that the statement itself mentions, once a mention: roots for contents, refs for headers. */
export function mentionsOf(statement: Statement, visit: (variable: Variable) => void): void {
  const ref = (r: Ref): void => {
    for (let at: Ref | null = r; at !== null; at = at.parent) visit(at);
  };
  for (const local of assignedLocals(statement)) visit(local);
  for (const defined of definedRefs(statement)) ref(defined);
  switch (statement.kind) {
    case 'store':
    case 'add_adjoint':
    case 'set_adjoint':
    case 'push_ref':
      ref(statement.ref);
      break;
    case 'kernel':
      for (const argument of statement.args) if (argument.kind === 'pointer') ref(argument.ref);
      break;
    case 'call':
      for (const argument of statement.args) if (argument.kind === 'ref') ref(argument);
      break;
    case 'print':
    case 'reject':
      for (const part of statement.parts) if (part.kind === 'container') ref(part.ref);
      break;
    default:
      break;
  }
  visitOwnExpressions(statement, (node) => mentionsOfNode(node, visit));
}

export function mentionsOfNode(node: Expr, visit: (variable: Variable) => void): void {
  if (node.kind === 'get') visit(node.local);
  else if (node.kind === 'load' || node.kind === 'load_adjoint' || node.kind === 'size') {
    for (let at: Ref | null = node.ref; at !== null; at = at.parent) visit(at);
  }
}

export interface WriteSite {
  readonly statement: Statement;
  readonly position: number;
  /** Loops around the statement, outermost first. */
  readonly loops: readonly LoopStatement[];
}

interface Place {
  readonly position: number;
  /** Position after the last statement inside. */
  end: number;
  readonly loops: readonly LoopStatement[];
}

/** What the statements of a block mention. */
interface Mentions {
  /** Of each statement, by its position, what it mentions itself. */
  readonly of: readonly (readonly Variable[])[];
  /** The positions of the statements that mention a variable, in their order, once a mention. */
  readonly places: ReadonlyMap<Variable, readonly number[]>;
}

const NOWHERE: readonly number[] = [];

/** Where each variable of a block is mentioned and written, and where each statement stands. */
export class Uses {
  readonly #places = new Map<Statement, Place>();
  readonly #writes = new Map<Variable, WriteSite[]>();
  readonly #definitions = new Map<Ref, WriteSite[]>();
  readonly #outside = new Map<Variable, number>();
  /** In the order of their positions. */
  readonly #statements: Statement[] = [];
  #known: Mentions | null = null;
  readonly #shared = new Map<Statement, ReadonlySet<Variable>>();

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
    const place: Place = { position, end: position + 1, loops };
    this.#places.set(statement, place);
    const inner = isLoop(statement) ? [...loops, statement] : loops;
    const site: WriteSite = { statement, position, loops: statement.kind === 'for' ? inner : loops };
    for (const variable of writesOf(statement)) append(this.#writes, variable, site);
    for (const ref of definedRefs(statement)) append(this.#definitions, ref, site);
    const blocks = blocksOf(statement);
    if (blocks.length === 0) return;
    for (const block of blocks) this.#visitBlock(block, inner);
    place.end = this.#statements.length;
  }

  /** Found out when it is asked for first: many only ask who writes. */
  get #mentions(): Mentions {
    if (this.#known !== null) return this.#known;
    const places = new Map<Variable, number[]>();
    const of = this.#statements.map((statement, position) => {
      const mentioned: Variable[] = [];
      mentionsOf(statement, (variable) => {
        mentioned.push(variable);
        append(places, variable, position);
      });
      return mentioned;
    });
    this.#known = { of, places };
    return this.#known;
  }

  #place(statement: Statement): Place {
    const place = this.#places.get(statement);
    if (place === undefined) throw new Error('statement is not part of the analysed block');
    return place;
  }

  #mentionsBetween(variable: Variable, from: number, to: number): number {
    const places = this.#mentions.places.get(variable) ?? NOWHERE;
    return lowerBound(places, to) - lowerBound(places, from);
  }

  writes(variable: Variable): readonly WriteSite[] {
    return this.#writes.get(variable) ?? [];
  }

  /** Where the ref is given its pointer and sizes. */
  definitions(ref: Ref): readonly WriteSite[] {
    return this.#definitions.get(ref) ?? [];
  }

  /** Variables that the statement itself mentions, once a mention. */
  own(statement: Statement): readonly Variable[] {
    return this.#mentions.of[this.position(statement)];
  }

  /** Variables mentioned in the statement or inside it. */
  *mentioned(statement: Statement): Iterable<Variable> {
    const { position, end } = this.#place(statement);
    const met = new SmallSet<Variable>();
    for (let k = position; k < end; k++) {
      for (const variable of this.#mentions.of[k]) if (met.add(variable)) yield variable;
    }
  }

  /** Whether the variable is mentioned anywhere in the block or outside. */
  isMentioned(variable: Variable): boolean {
    return this.#mentions.places.has(variable) || this.#outside.has(variable);
  }

  mentions(statement: Statement, variable: Variable): boolean {
    return this.countIn(variable, statement) > 0;
  }

  /** Every mention of the variable lies inside the statement. */
  isLocalTo(variable: Variable, statement: Statement): boolean {
    return this.countIn(variable, statement) === this.count(variable);
  }

  /** How often the statement, with those inside it, mentions the variable. */
  countIn(variable: Variable, statement: Statement): number {
    const { position, end } = this.#place(statement);
    return this.#mentionsBetween(variable, position, end);
  }

  /** How often the variable is mentioned at all. */
  count(variable: Variable): number {
    return (this.#mentions.places.get(variable)?.length ?? 0) + (this.#outside.get(variable) ?? 0);
  }

  /** How often the variable is mentioned from the first statement to the end of the second. */
  countBetween(variable: Variable, from: Statement, to: Statement): number {
    return this.#mentionsBetween(variable, this.#place(from).position, this.#place(to).end);
  }

  /** Where the variable is mentioned last in the block; -1 where it is not. */
  lastMention(variable: Variable): number {
    return this.#mentions.places.get(variable)?.at(-1) ?? -1;
  }

  /** The last of the statements, which stand one behind the other, that starts at the position or before it. */
  lastIn(statements: Block, position: number): Statement | null {
    return statements[firstWhere(statements.length, (k) => this.position(statements[k]) > position) - 1] ?? null;
  }

  /** The statements of a block that mention the variable, themselves or inside, in their order. */
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

  /**
   * Variables that the statement mentions itself, and those that a statement directly inside it mentions and that are mentioned outside
   * of that as well.
   */
  shared(statement: Statement): Iterable<Variable> {
    const { position, end } = this.#place(statement);
    if (end === position + 1) return this.#mentions.of[position];
    const known = this.#shared.get(statement);
    if (known !== undefined) return known;
    const shared = new Set(this.#mentions.of[position]);
    for (const block of blocksOf(statement)) {
      for (const inner of block) {
        for (const variable of this.shared(inner)) if (!this.isLocalTo(variable, inner)) shared.add(variable);
      }
    }
    this.#shared.set(statement, shared);
    return shared;
  }

  /** Every mention of the variable lies inside the loop's body, which gives it its value: no data that only this loop reads. */
  isLocalToBody(variable: Variable, loop: LoopStatement): boolean {
    const { position } = this.#place(loop);
    const isOfLoop = this.#mentionsBetween(variable, position, position + 1) > 0;
    return !isOfLoop && this.isLocalTo(variable, loop) && this.isChangedInBody(variable, loop);
  }

  /** The first write to the variable inside the statement, and their number; of all where there is no statement. */
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

  /** Whether the statement, or one inside it, writes the variable or gives it a pointer. */
  isChangedIn(variable: Variable, statement: Statement): boolean {
    const { position, end } = this.#place(statement);
    return this.#isChanged(variable, position, end);
  }

  /** Whether anything from the first statement to the end of the second writes the variable or gives it a pointer. */
  isChangedBetween(variable: Variable, from: Statement, to: Statement): boolean {
    return this.#isChanged(variable, this.#place(from).position, this.#place(to).end);
  }

  /** Whether a statement of the loop's body, or one inside it, writes the variable or gives it a pointer. */
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

/** The index of the first site at the position or behind it; sites are sorted by position. */
function firstFrom(sites: readonly WriteSite[], position: number): number {
  return firstWhere(sites.length, (k) => sites[k].position >= position);
}

/** The index of the first of the numbers, which ascend, that is not below the bound. */
function lowerBound(numbers: readonly number[], bound: number): number {
  return firstWhere(numbers.length, (k) => numbers[k] >= bound);
}

/** The first index below `length` for which the test holds, given that it holds for all after it. */
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
  const first = firstFrom(sites, from);
  return first < sites.length && sites[first].position < to;
}
