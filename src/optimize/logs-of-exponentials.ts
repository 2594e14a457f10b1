import { isLoop, Uses } from '../dataflow/effects.js';
import type { Block, Expr, Local } from '../ir/nodes.js';
import { rootOf } from '../ir/refs.js';
import { blocksOf, mapBlocks, mapOwnNodes, visitExpression } from '../ir/walk.js';

/**
 * Replaces log(v) by u where v was set to exp(u) once, in the same iteration of every loop, and u still means the same; copies of a
 * local that is set once are read as the local itself. Positive parameters and log-linear scales then need no logarithm.
 * (Where exp(u) is 0 or infinite, Stan's logarithm is infinite and ours is u.)
 */
export function cancelLogarithms(block: Block): Block {
  const uses = new Uses(block);
  return new Cancelling(uses).block(block, null);
}

/** What locals are known to be, copies and exponentials, in a block and those around it. */
class Known {
  readonly #around: Known | null;
  readonly #own = new Map<Local, Expr>();

  constructor(around: Known | null) {
    // Blocks that know nothing are left out.
    this.#around = around === null || around.#own.size > 0 ? around : around.#around;
  }

  get(local: Local): Expr | undefined {
    for (let at: Known | null = this; at !== null; at = at.#around) {
      const found = at.#own.get(local);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  set(local: Local, value: Expr): void {
    this.#own.set(local, value);
  }
}

class Cancelling {
  readonly #uses: Uses;

  constructor(uses: Uses) {
    this.#uses = uses;
  }

  block(block: Block, around: Known | null): Block {
    const known = new Known(around);
    return block.map((statement) => {
      const own = mapOwnNodes(statement, (node) => rewrite(node, known));
      if (own.kind === 'assign' && own.local.type === 'real' && this.#isSetOnce(own.local)) {
        const { value } = own;
        const isCopy = value.kind === 'get' && this.#isSetOnce(value.local);
        const isExponential = value.kind === 'apply' && value.op === 'exp' && this.#isLasting(value.args[0], own.local);
        if (isCopy || isExponential) known.set(own.local, value);
      }
      return blocksOf(own).length === 0 ? own : mapBlocks(own, (inner) => this.block(inner, known));
    });
  }

  #isSetOnce(local: Local): boolean {
    return this.#uses.writes(local).length === 1;
  }

  /** Whether the value stays the same for as long as the local that is computed from it. */
  #isLasting(e: Expr, local: Local): boolean {
    const [{ position, loops }] = this.#uses.writes(local);
    const iteration = loops.at(-1);
    const isConfined = iteration === undefined || this.#uses.isLocalTo(local, iteration);
    let lasting = true;
    visitExpression(e, (node) => {
      if (node.kind === 'get') {
        const sites = this.#uses.writes(node.local);
        const isIndex = sites.length === 1 && isLoop(sites[0].statement);
        if (sites.length > 1 || isIndex) lasting &&= sites.length === 1;
      } else if (node.kind === 'load') {
        lasting &&= isConfined && this.#uses.definitions(node.ref).length <= 1;
        const root = rootOf(node.ref);
        lasting &&=
          iteration === undefined
            ? (this.#uses.writes(root).at(-1)?.position ?? -1) < position
            : !this.#uses.isWrittenIn(root, iteration);
      } else if (node.kind === 'load_adjoint' || node.kind === 'target') lasting = false;
    });
    return lasting;
  }
}

function rewrite(node: Expr, known: Known): Expr {
  if (node.kind === 'get') {
    const value = known.get(node.local);
    return value?.kind === 'get' ? value : node;
  }
  if (node.kind !== 'apply' || node.op !== 'log') return node;
  const [argument] = node.args;
  const value = argument.kind === 'get' ? known.get(argument.local) : argument;
  return value?.kind === 'apply' && value.op === 'exp' ? value.args[0] : node;
}
