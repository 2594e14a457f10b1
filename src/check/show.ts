import type { Expression, Index } from '../syntax/ast.js';

/** An expression on one line, spaced as stanc writes it, without comments. */
export function showExpression(node: Expression): string {
  switch (node.kind) {
    case 'variable':
      return node.name;
    case 'int':
    case 'real':
      return node.text;
    case 'imaginary':
      return `${node.text}i`;
    case 'targetValue':
      return 'target()';
    case 'conditional':
      return `${showExpression(node.condition)} ? ${showExpression(node.consequence)} : ${showExpression(node.alternative)}`;
    case 'binary':
      return `${showExpression(node.left)} ${node.operator} ${showExpression(node.right)}`;
    case 'prefix':
      return `${node.operator}${showExpression(node.operand)}`;
    case 'transpose':
      return `${showExpression(node.operand)}'`;
    case 'call': {
      const [first, ...rest] = node.arguments;
      const isBarred = node.isConditional && rest.length > 0;
      const list = isBarred ? `${showExpression(first)} | ${showList(rest)}` : showList(node.arguments);
      return `${node.function.name}(${list})`;
    }
    case 'indexed':
      return `${showExpression(node.container)}[${node.indices.map(showIndex).join(', ')}]`;
    case 'slot':
      return `${showExpression(node.tuple)}.${node.slot}`;
    case 'arrayLiteral':
      return `{${showList(node.elements)}}`;
    case 'rowVectorLiteral':
      return `[${showList(node.elements)}]`;
    case 'tupleLiteral':
      return `(${showList(node.elements)}${node.elements.length === 1 ? ',' : ''})`;
    case 'parenthesis':
      return `(${showExpression(node.inner)})`;
  }
}

function showList(nodes: readonly Expression[]): string {
  return nodes.map(showExpression).join(', ');
}

function showIndex(node: Index): string {
  switch (node.kind) {
    case 'all':
      return ' : ';
    case 'single':
      return showExpression(node.index);
    case 'from':
      return `${showExpression(node.lower)} : `;
    case 'to':
      return ` : ${showExpression(node.upper)}`;
    case 'between':
      return `${showExpression(node.lower)} : ${showExpression(node.upper)}`;
  }
}
