import { visitLiveness } from '../dataflow/liveness.js';
import { isCandidate } from '../dataflow/vectorize.js';
import type { Block, Expr, Local, Ref, ScalarType, Statement } from '../ir/nodes.js';
import { assignedLocals, blocksOf, visitOwnExpressions, visitStatements } from '../ir/walk.js';
import type { Code } from './code.js';
import { type ModuleContext, type Place, type RefPlace, shiftOf, valueType } from './context.js';
import { F64, I32, OP, V128 } from './opcodes.js';

/** The properties of a function's purpose that its code depends on. */
export interface Purpose {
  /** Adjoints exist; memory taken in loops stays until an `arena` statement frees it. */
  readonly differentiates: boolean;
  /** Writes globals (`prepare`), so that they must not be copied to locals at entry. */
  readonly writesGlobals: boolean;
  /** Runs as a called function: it has no `target`, and its arguments may overlap. */
  readonly isCallee: boolean;
  /** Loops may run two iterations at a time, and globals that loops read are copied to locals. */
  readonly optimizes: boolean;
}

export const FORWARD: Purpose = { differentiates: false, writesGlobals: false, isCallee: false, optimizes: true };
export const REVERSE: Purpose = { ...FORWARD, differentiates: true };
/** Runs after an evaluation has failed. */
export const UNOPTIMIZED: Purpose = { ...FORWARD, optimizes: false };

/** The locations of the variables of the function being written. */
export class Frame {
  readonly module: ModuleContext;
  readonly code: Code;
  readonly purpose: Purpose;
  /** Local of `target`. */
  readonly target: number;
  /** The local that points to the end of the tape. */
  readonly tape: number;
  /** A local with the distance to the adjoints. */
  readonly distance: number;
  readonly labels = new Map<number, number>();
  readonly #locals = new Map<Local, Place>();
  readonly #refs = new Map<Ref, RefPlace>();
  readonly #shadows = new Map<Ref, number>();
  #zeros: number | null = null;

  constructor(module: ModuleContext, code: Code, purpose: Purpose) {
    this.module = module;
    this.code = code;
    this.purpose = purpose;
    this.target = purpose.isCallee ? -1 : code.local(F64);
    this.tape = purpose.differentiates ? code.local(I32) : -1;
    this.distance = purpose.differentiates ? code.local(I32) : -1;
  }

  /**
   * Locals that the statements of a loop that may be vectorized assign, and that are read after it or in a later iteration of an enclosing
   * loop.
   */
  readonly liveBehind = new Map<Statement, ReadonlySet<Local>>();

  get vectorizes(): boolean {
    return this.module.vectorizes && this.purpose.optimizes;
  }

  /** Computes which locals are read after the loops of the function; `results` are read at its end. */
  noteLiveness(block: Block, results: Iterable<Local>): void {
    if (!this.vectorizes) return;
    let isWanted = false;
    visitStatements(block, (statement) => {
      isWanted ||= isCandidate(statement);
    });
    if (!isWanted) return;
    visitLiveness(block, results, (statement, isLive) => {
      if (!isCandidate(statement)) return;
      this.liveBehind.set(statement, new Set(statement.body.flatMap(assignedLocals).filter(isLive)));
    });
  }

  /** Uses a parameter of the function as the location of a variable. */
  adoptLocal(local: Local, index: number): void {
    this.#locals.set(local, { global: false, index });
  }

  adoptRef(ref: Ref, first: number): void {
    this.#refs.set(ref, {
      pointer: { global: false, index: first },
      sizes: Array.from({ length: ref.rank }, (_, axis) => ({ global: false, index: first + 1 + axis })),
    });
  }

  local(local: Local): Place {
    const known = this.#locals.get(local);
    if (known !== undefined) return known;
    const place =
      local.storage === 'global'
        ? this.module.globalLocal(local)
        : { global: false, index: this.code.local(valueType(local.type)) };
    this.#locals.set(local, place);
    return place;
  }

  ref(ref: Ref): RefPlace {
    const known = this.#refs.get(ref);
    if (known !== undefined) return known;
    const register = (): Place => ({ global: false, index: this.code.local(I32) });
    const place =
      ref.storage === 'global'
        ? this.module.globalRef(ref)
        : { pointer: register(), sizes: Array.from({ length: ref.rank }, register) };
    this.#refs.set(ref, place);
    return place;
  }

  /** The local with the address of the adjoints of `ref`, for refs that were passed to `useShadows`. */
  shadow(ref: Ref): number {
    const shadow = this.#shadows.get(ref);
    if (shadow === undefined) throw new Error(`${ref.name} has no adjoint`);
    return shadow;
  }

  hasShadow(ref: Ref): boolean {
    return this.#shadows.has(ref);
  }

  /** A local that nothing writes, so that it is 0 in both lanes. */
  zeros(): number {
    this.#zeros ??= this.code.local(V128);
    return this.#zeros;
  }

  read(place: Place): void {
    if (place.global) this.code.globalGet(place.index);
    else this.code.get(place.index);
  }

  write(place: Place): void {
    if (place.global) this.code.globalSet(place.index);
    else this.code.set(place.index);
  }

  /** Leaves the address of a container's values or adjoints on the stack. */
  readAddress(ref: Ref, adjoint: boolean): void {
    if (adjoint) this.code.get(this.shadow(ref));
    else this.read(this.ref(ref).pointer);
  }

  /** Advances the address that is second on the stack by the number of elements on top of the stack. */
  advance(element: ScalarType): void {
    this.code.i32(shiftOf(element));
    this.code.op(OP.i32Shl);
    this.code.op(OP.i32Add);
  }

  /** Recomputes the shadow's address after the pointer has been set. */
  updateShadow(ref: Ref): void {
    const shadow = this.#shadows.get(ref);
    if (shadow === undefined) return;
    this.readAddress(ref, false);
    this.code.get(this.distance);
    this.code.op(OP.i32Add);
    this.code.set(shadow);
  }

  /** Copies globals that loops read to locals, so that they stay in registers. */
  cacheGlobals(block: Block): void {
    if (this.purpose.writesGlobals || !this.purpose.optimizes) return;
    visitLoopExpressions(block, false, (node) => {
      if (node.kind === 'get') this.#cacheLocal(node.local);
      else if (node.kind === 'size') this.#cacheSize(node.ref, node.axis);
      else if (node.kind === 'load') this.#cachePointer(node.ref);
    });
  }

  #cached(place: Place, type: number): Place {
    const index = this.code.local(type === F64 ? F64 : I32);
    this.read(place);
    this.code.set(index);
    return { global: false, index };
  }

  #cacheLocal(local: Local): void {
    const place = this.local(local);
    if (place.global) this.#locals.set(local, this.#cached(place, valueType(local.type)));
  }

  #cachePointer(ref: Ref): void {
    const place = this.ref(ref);
    if (place.pointer.global) this.#refs.set(ref, { ...place, pointer: this.#cached(place.pointer, I32) });
  }

  #cacheSize(ref: Ref, axis: number): void {
    const place = this.ref(ref);
    if (!place.sizes[axis].global) return;
    const sizes = place.sizes.map((size, k) => (k === axis ? this.#cached(size, I32) : size));
    this.#refs.set(ref, { ...place, sizes });
  }

  /** Creates a local for the adjoints' address of each of the refs whose adjoints the block uses; those of global refs are set at once. */
  useShadows(refs: Iterable<Ref>): void {
    for (const ref of refs) {
      this.#shadows.set(ref, this.code.local(I32));
      if (ref.storage === 'global') this.updateShadow(ref);
    }
  }
}

function visitLoopExpressions(block: Block, inLoop: boolean, visit: (node: Expr) => void): void {
  for (const statement of block) {
    if (inLoop) {
      visitOwnExpressions(statement, visit);
    }
    const isLoop = statement.kind === 'for' || statement.kind === 'for_reverse' || statement.kind === 'while';
    for (const inner of blocksOf(statement)) visitLoopExpressions(inner, inLoop || isLoop, visit);
  }
}
