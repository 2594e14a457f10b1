import { append } from '../base/multimap.js';
import { Reached } from '../base/reached.js';
import { type SharedMap, unionOf } from '../base/shared-map.js';
import type { Block, Expr, Local, Statement, Variable } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import {
  blocksOf,
  definedRefs,
  operandsOf,
  someNode,
  visitExpression,
  visitOwnExpressions,
  visitStatements,
} from '../ir/walk.js';
import { isLoop, type LoopStatement, mentionsOf, mentionsOfNode, writesOf } from './effects.js';
import type { Uses } from './uses.js';

/**
 * Determines the variables and statements that depend on data alone and can be computed before the log density runs.
 *
 * A variable is fixed if it depends on the inputs (also through conditions and loop bounds), if it is written in a loop or condition
 * together with other work and read outside of it, or if it is written again after a statement that stays has read it. All other variables
 * that the block writes can move.
 */
export class Movable {
  readonly #uses: Uses;
  readonly #fixed = new Set<Variable>();
  readonly #writers = new Map<Variable, Statement[]>();
  /** The conditions and loops around each statement, outer ones first. */
  readonly #around = new Map<Statement, readonly Statement[]>();
  /** Statements that never move, and statements that contain them. */
  readonly #staying = new Set<Statement>();
  /** Cached results of `isData` for statements with blocks: the number of fixed variables at that time if true, `NEVER` if false. */
  readonly #dataStatements = new Map<Statement, number>();
  /** Cached results of `isDataExpr`, once all fixed variables are known. */
  readonly #data = new Map<Expr, boolean>();
  /** Cached loop indexes on which a reader depends, by the conditions and loops around it. */
  readonly #loopIndexes = new Map<
    Statement | readonly Statement[],
    Reached<Variable | Statement, ReadonlySet<Variable>>
  >();

  constructor(block: Block, inputs: readonly Variable[], uses: Uses) {
    this.#uses = uses;
    for (const input of inputs) this.#fixed.add(input);
    visitStatements(block, (statement) => {
      for (const variable of this.#written(statement)) {
        append(this.#writers, variable, statement);
      }
    });
    this.#noteStaying(block);
    this.#noteAround(block, []);
    let before = -1;
    while (this.#fixed.size !== before) {
      before = this.#fixed.size;
      this.#spread(block, null, false);
      this.#fixLate(block, undefined);
    }
  }

  #noteStaying(block: Block): boolean {
    let any = false;
    for (const statement of block) {
      let stays = STAYING.has(statement.kind) || isRandom(statement);
      for (const inner of blocksOf(statement)) if (this.#noteStaying(inner)) stays = true;
      if (!stays) continue;
      this.#staying.add(statement);
      any = true;
    }
    return any;
  }

  #noteAround(block: Block, around: readonly Statement[]): void {
    for (const statement of block) {
      if (around.length > 0) this.#around.set(statement, around);
      const blocks = blocksOf(statement);
      if (blocks.length === 0) continue;
      const inside = [...around, statement];
      for (const inner of blocks) this.#noteAround(inner, inside);
    }
  }

  /** Contents and headers that a statement itself writes. */
  #written(statement: Statement): readonly Variable[] {
    const defined = definedRefs(statement);
    return defined.length === 0 ? writesOf(statement) : [...writesOf(statement), ...defined];
  }

  #spread(block: Block, mixed: Statement | null, tainted: boolean): void {
    for (const statement of block) {
      const dependent = tainted || this.#readsFixed(statement) || isRandom(statement) || statement.kind === 'call';
      const compound = blocksOf(statement).length > 0;
      for (const variable of this.#written(statement)) {
        const confined =
          mixed === null ||
          ((variable.kind === 'local' || mixed.kind === 'if') && this.#uses.isLocalTo(variable, mixed));
        if (dependent || !confined) this.#fix(variable);
      }
      if (!compound) continue;
      const whole = this.isData(statement);
      const controlled = tainted || dependent || (statement.kind === 'while' && !whole);
      for (const inner of blocksOf(statement)) {
        // A loop that does only data work moves as a whole. Otherwise, the variables that it writes must not be read outside of it.
        this.#spread(inner, whole ? mixed : isLoop(statement) ? statement : (mixed ?? statement), controlled);
      }
    }
  }

  /**
   * Fixes variables that are written, at the top level or in a branch, after a statement that stays has mentioned them. `seen` are the
   * variables mentioned before the block.
   */
  #fixLate(block: Block, seen: SharedMap<Variable>): void {
    let met = seen;
    for (const statement of block) {
      const data = this.isData(statement);
      if (statement.kind === 'if' && !data) {
        for (const branch of blocksOf(statement)) {
          this.#fixLate(branch, met);
        }
      } else {
        visitStatements([statement], (inner) => {
          for (const variable of this.#written(inner)) if (this.#uses.has(met, variable)) this.#fix(variable);
        });
      }
      if (!data) met = unionOf(met, this.#uses.inside(statement));
    }
  }

  #fix(variable: Variable): void {
    this.#fixed.add(variable);
    if (variable.kind === 'ref') this.#fixed.add(rootOf(variable));
  }

  #readsFixed(statement: Statement): boolean {
    if (this.#mentionsNoFixed(statement)) return false;
    let found = false;
    const visit = (variable: Variable): void => {
      if (this.#isFixed(variable)) found = true;
    };
    visitOwnExpressions(statement, (node) => mentionsOfNode(node, visit));
    if (statement.kind === 'kernel' || statement.kind === 'view' || statement.kind === 'call')
      mentionsOf(statement, visit);
    return found;
  }

  #isFixed(variable: Variable): boolean {
    return this.#fixed.has(variable) || (variable.kind === 'ref' && this.#fixed.has(rootOf(variable)));
  }

  /** Whether the variable depends on data alone. */
  isDataVariable(variable: Variable): boolean {
    return !this.#isFixed(variable);
  }

  /** Whether the expression reads neither a fixed variable nor `target`. */
  isDataExpr(e: Expr): boolean {
    if (e.kind === 'const') return true;
    if (e.kind === 'get') return !this.#isFixed(e.local);
    const known = this.#data.get(e);
    if (known !== undefined) return known;
    let data = e.kind !== 'target' && e.kind !== 'load_adjoint';
    data &&= operandsOf(e).every((operand) => this.isDataExpr(operand));
    mentionsOfNode(e, (variable) => {
      if (this.#isFixed(variable)) data = false;
    });
    this.#data.set(e, data);
    return data;
  }

  /** Whether the statement and those inside it depend on data alone and have no effects other than checks and rejections. */
  isData(statement: Statement): boolean {
    if (this.#staying.has(statement)) return false;
    const known = this.#dataStatements.get(statement);
    // Fixed variables stay fixed, so `NEVER` is final. A positive result holds until more variables are fixed.
    if (known === NEVER || known === this.#fixed.size) return known !== NEVER;
    const data = this.#mentionsNoFixed(statement) && blocksOf(statement).every((b) => b.every((s) => this.isData(s)));
    if (blocksOf(statement).length > 0) this.#dataStatements.set(statement, data ? this.#fixed.size : NEVER);
    return data;
  }

  #mentionsNoFixed(statement: Statement): boolean {
    for (const variable of this.#uses.own(statement)) if (this.#isFixed(variable)) return false;
    return true;
  }

  /** Whether the variable is written in the block and moved out of it. */
  isHoisted(variable: Variable): boolean {
    return this.#writers.has(variable) && !this.#isFixed(variable) && this.#isWrittenAtTop(variable);
  }

  /** Whether the variable is not confined to a loop that is split. Each half of a split loop has its own copies of such variables. */
  #isWrittenAtTop(variable: Variable): boolean {
    const writers = this.#writers.get(variable) ?? [];
    return writers.every((statement) => {
      if (isLoop(statement) && statement.kind === 'for' && variable === statement.index) return false;
      return this.#uses.loops(statement).every((loop) => this.isData(loop));
    });
  }

  /**
   * The variables on which the expression depends if `reader` reads it, also through locals that are written inside loops, and through the
   * conditions and bounds that determine which of these writes run.
   */
  dependencies(e: Expr, reader: Statement): Set<Variable> {
    const position = this.#uses.position(reader);
    const found = new Set<Variable>();
    const followed = new Set<Statement>();
    const visit = (node: Expr): void =>
      mentionsOfNode(node, (variable) => {
        if (found.has(variable)) return;
        found.add(variable);
        for (const writer of this.#writers.get(variable) ?? []) {
          if (writer.kind === 'assign' || writer.kind === 'for') follow(writer);
          for (const control of this.#around.get(writer) ?? []) {
            if (!this.#uses.contains(control, position)) follow(control);
          }
        }
      });
    const follow = (statement: Statement): void => {
      if (followed.has(statement)) return;
      followed.add(statement);
      visitOwnExpressions(statement, visit);
    };
    visitExpression(e, visit);
    return found;
  }

  /** The loop indexes among the dependencies of the expression if `reader` reads it. */
  loopIndexes(e: Expr, reader: Statement): ReadonlySet<Variable> {
    // The dependencies depend on the reader only through the conditions and loops around it.
    const around = blocksOf(reader).length > 0 ? reader : (this.#around.get(reader) ?? NOT_INSIDE);
    let reached = this.#loopIndexes.get(around);
    if (reached === undefined) {
      const position = this.#uses.position(reader);
      reached = new Reached<Variable | Statement, ReadonlySet<Variable>>(
        (node) => [...this.#directDependencies(node, position)],
        (node) => (node.kind === 'local' && this.#isLoopIndex(node) ? new Set([node]) : NO_VARIABLES),
        union,
      );
      this.#loopIndexes.set(around, reached);
    }
    let indexes = NO_VARIABLES;
    for (const variable of variablesIn((visit) => visitExpression(e, visit)))
      indexes = union(indexes, reached.from(variable));
    return indexes;
  }

  #isLoopIndex(local: Local): boolean {
    return (this.#writers.get(local) ?? []).some((writer) => writer.kind === 'for');
  }

  /** For a variable, the statements that determine its value; for a statement, the variables that it reads. */
  #directDependencies(node: Variable | Statement, position: number): Iterable<Variable | Statement> {
    if (node.kind !== 'local' && node.kind !== 'ref') return variablesIn((visit) => visitOwnExpressions(node, visit));
    const deciding = new Set<Statement>();
    for (const writer of this.#writers.get(node) ?? []) {
      if (writer.kind === 'assign' || writer.kind === 'for') deciding.add(writer);
      for (const control of this.#around.get(writer) ?? []) {
        if (!this.#uses.contains(control, position)) deciding.add(control);
      }
    }
    return deciding;
  }

  /** Whether a loop inside this one writes the local, so that computing its value costs more than a lookup. */
  isAccumulatedIn(local: Local, loop: LoopStatement): boolean {
    return (this.#writers.get(local) ?? []).some((writer) => {
      const loops = this.#uses.loops(writer);
      const depth = loops.indexOf(loop);
      return depth >= 0 && depth < loops.length - 1;
    });
  }

  /** Whether each local that the expression reads is written at most once, so that its value does not depend on its position. */
  isWrittenOnce(e: Expr): boolean {
    return !someNode(e, (node) => node.kind === 'get' && (this.#writers.get(node.local)?.length ?? 0) > 1);
  }

  /** Whether nothing outside of the statement reads what it writes. */
  isSelfContained(statement: Statement): boolean {
    for (const variable of this.writtenIn(statement)) if (!this.#uses.isLocalTo(variable, statement)) return false;
    return true;
  }

  /** Whether the statement, or one inside it, writes the variable or sets its pointer. */
  isWrittenIn(variable: Variable, statement: Statement): boolean {
    return this.#uses.isChangedIn(variable, statement);
  }

  writtenIn(statement: Statement): Set<Variable> {
    const written = new Set<Variable>();
    visitStatements([statement], (inner) => {
      for (const variable of this.#written(inner)) written.add(variable);
    });
    return written;
  }
}

const NEVER = -1;

const NOT_INSIDE: readonly Statement[] = [];
const NO_VARIABLES: ReadonlySet<Variable> = new Set();

/** The union of two sets. Returns one of them if it contains the other, which is the most frequent case. */
function union(a: ReadonlySet<Variable>, b: ReadonlySet<Variable>): ReadonlySet<Variable> {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  const lacking = [...b].filter((variable) => !a.has(variable));
  if (lacking.length === 0) return a;
  return a.size + lacking.length === b.size ? b : new Set([...a, ...lacking]);
}

function variablesIn(walk: (visit: (node: Expr) => void) => void): ReadonlySet<Variable> {
  const variables = new Set<Variable>();
  walk((node) => mentionsOfNode(node, (variable) => variables.add(variable)));
  return variables;
}

const STAYING: ReadonlySet<Statement['kind']> = new Set(['target', 'print', 'call', 'exit', 'labeled']);

function isRandom(statement: Statement): boolean {
  return statement.kind === 'kernel' && statement.args.some((argument) => argument.kind === 'random_state');
}
