import type { Span } from '../source/span.js';
import type { Program } from './ast.js';

/** How deep a tree may be, so that whatever walks it by recursion has stack enough. */
const MAX_DEPTH = 1000;

/** What a node holds besides its parts. */
const NO_NODES: ReadonlySet<string> = new Set(['span', 'operatorSpan', 'remarks']);

/** The place of a node that lies too deep, if there is one. Long sums make deep trees without any nesting in the text. */
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
