import type { Span } from '../source/span.js';
import type { Program } from './ast.js';

/** Maximum depth of a tree, so that recursive walks do not exhaust the stack. */
const MAX_DEPTH = 1000;

/** Members of a node other than child nodes. */
const NO_NODES: ReadonlySet<string> = new Set(['span', 'operatorSpan', 'remarks']);

/** The location of a node that is too deep, if one exists. Long sums are deep trees, although their text is not nested. */
export function findTooDeep(program: Program): Span | undefined {
  const waiting: { readonly node: object; readonly depth: number }[] = [{ node: program, depth: 0 }];
  for (let item = waiting.pop(); item !== undefined; item = waiting.pop()) {
    const { node, depth } = item;
    if (depth > MAX_DEPTH && isPlaced(node)) return node.span;
    for (const [key, child] of Object.entries(node)) {
      if (typeof child === 'object' && child !== null && !NO_NODES.has(key)) {
        waiting.push({ node: child, depth: Array.isArray(child) ? depth : depth + 1 });
      }
    }
  }
  return undefined;
}

function isPlaced(node: object): node is { readonly span: Span } {
  return 'span' in node;
}
