import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderDiagnostic } from '../source/render.js';
import { spanText } from '../source/span.js';
import type { Expression, Index, Program, Statement } from './ast.js';
import { parse, parseFunctions } from './parse.js';

function program(text: string): Program {
  const result = parse({ name: 'model.stan', text });
  if ('diagnostics' in result) assert.fail(result.diagnostics.map(renderDiagnostic).join('\n'));
  return result.program;
}

function statement(text: string): Statement {
  const [first] = program(`model {\n${text}\n}`).model?.statements ?? [];
  assert(first !== undefined);
  return first;
}

function expression(text: string): Expression {
  const found = statement(`x = ${text};`);
  assert(found.kind === 'assignment');
  return found.value;
}

/** An expression as text, with brackets around every operation. */
function shape(value: Expression): string {
  switch (value.kind) {
    case 'variable':
      return value.name;
    case 'int':
    case 'real':
      return value.text;
    case 'imaginary':
      return `${value.text}i`;
    case 'targetValue':
      return 'target()';
    case 'conditional':
      return `(${shape(value.condition)} ? ${shape(value.consequence)} : ${shape(value.alternative)})`;
    case 'binary':
      return `(${shape(value.left)} ${value.operator} ${shape(value.right)})`;
    case 'prefix':
      return `(${value.operator}${shape(value.operand)})`;
    case 'transpose':
      return `(${shape(value.operand)}')`;
    case 'call': {
      const [first, ...rest] = value.arguments.map(shape);
      return value.hasBar
        ? `${value.function.name}(${first} | ${rest.join(', ')})`
        : `${value.function.name}(${value.arguments.map(shape).join(', ')})`;
    }
    case 'indexed':
      return `${shape(value.container)}[${value.indices.map(indexShape).join(', ')}]`;
    case 'slot':
      return `${shape(value.tuple)}.${value.slot}`;
    case 'arrayLiteral':
      return `{${value.elements.map(shape).join(', ')}}`;
    case 'rowVectorLiteral':
      return `[${value.elements.map(shape).join(', ')}]`;
    case 'tupleLiteral':
      return `<${value.elements.map(shape).join(', ')}>`;
    case 'parenthesis':
      return `paren${shape(value.inner)}`;
  }
}

function indexShape(index: Index): string {
  switch (index.kind) {
    case 'all':
      return ':';
    case 'single':
      return shape(index.index);
    case 'from':
      return `${shape(index.lower)}:`;
    case 'to':
      return `:${shape(index.upper)}`;
    case 'between':
      return `${shape(index.lower)}:${shape(index.upper)}`;
  }
}

function check(cases: Record<string, string>): void {
  for (const [text, expected] of Object.entries(cases)) assert.equal(shape(expression(text)), expected, text);
}

test('operators bind as in the reference manual', () => {
  check({
    'a + b * c': '(a + (b * c))',
    'a - b - c': '((a - b) - c)',
    'a ^ b ^ c': '(a ^ (b ^ c))',
    '-a ^ b': '(-(a ^ b))',
    '-a * b': '((-a) * b)',
    'a ^ -b * c': '((a ^ (-b)) * c)',
    'a ^ -b ^ c': '(a ^ (-(b ^ c)))',
    "-a'": "(-(a'))",
    "a ^ b'": "(a ^ (b'))",
    'a * b %/% c': '(a * (b %/% c))',
    'a \\ b * c': '((a \\ b) * c)',
    'a .* b ./ c': '((a .* b) ./ c)',
    'a || b && c == d < e': '(a || (b && (c == (d < e))))',
    '!a == b': '((!a) == b)',
    'a < b < c': '((a < b) < c)',
    'a ? b : c ? d : e': '(a ? b : (c ? d : e))',
    'a ? b ? c : d : e': '(a ? (b ? c : d) : e)',
    'a || b ? c : d + 1': '((a || b) ? c : (d + 1))',
    "a''": "((a')')",
  });
});

test('literals, calls, indexes and slots', () => {
  check({
    '1_000': '1000',
    '.5': '.5',
    '2i': '2i',
    'f()': 'f()',
    'f(a, b)': 'f(a, b)',
    'normal_lpdf(y | mu, 1)': 'normal_lpdf(y | mu, 1)',
    'x[1, :, 2:, :n, a:b, ]': 'x[1, :, 2:, :n, a:b, :]',
    'x[]': 'x[:]',
    'x[a ? b : c]': 'x[(a ? b : c)]',
    't.1.2[3]': 't.1.2[3]',
    '{1, 2}': '{1, 2}',
    '[]': '[]',
    '[[1, 2], [3, 4]]': '[[1, 2], [3, 4]]',
    '(a, b)': '<a, b>',
    '(a,)': '<a>',
    '(a)': 'parena',
    'target()': 'target()',
  });
});

test('a density of one argument counts as conditional although it has no bar', () => {
  const call = expression('foo_lpdf(y)');
  assert(call.kind === 'call');
  assert.equal(call.isConditional, true);
  assert.equal(call.hasBar, false);
});

test('every node has the span of its text', () => {
  const text = "model {\n  y[1] = a + f(b, [c]) * (d)';\n}\n";
  const [assignment] = program(text).model?.statements ?? [];
  assert(assignment?.kind === 'assignment');
  assert.equal(spanText(assignment.span), "y[1] = a + f(b, [c]) * (d)';");
  assert.equal(spanText(assignment.target.span), 'y[1]');
  assert.equal(spanText(assignment.operatorSpan), '=');
  assert(assignment.value.kind === 'binary' && assignment.value.right.kind === 'binary');
  assert.equal(spanText(assignment.value.right.span), "f(b, [c]) * (d)'");
  assert.equal(spanText(assignment.value.right.right.span), "(d)'");
  assert.deepEqual([assignment.span.begin.line, assignment.span.begin.column], [2, 2]);
});

test('a brace begins a block or an array, depending on the first element', () => {
  assert.equal(statement('{ }').kind, 'block');
  assert.equal(statement('{ a = 1; }').kind, 'block');
  assert.equal(statement('{ {1, 2} ~ f(); }').kind, 'block');
  assert.equal(statement('{ { } real x; }').kind, 'block');
  const tilde = statement('{ {a}, {b + 1} } ~ normal(0, 1);');
  assert(tilde.kind === 'tilde');
  assert.equal(shape(tilde.variate), '{{a}, {(b + 1)}}');
  const sum = statement('{a, b}[1] + 1 ~ normal(0, 1);');
  assert(sum.kind === 'tilde');
  assert.equal(shape(sum.variate), '({a, b}[1] + 1)');
});

test('an else belongs to the nearest if', () => {
  const outer = statement('if (a) if (b) ; else break;');
  assert(outer.kind === 'if' && outer.consequence.kind === 'if');
  assert.equal(outer.alternative, undefined);
  assert.equal(outer.consequence.alternative?.kind, 'break');
});

test('assignments: every operator, indexed left sides, and unpacking', () => {
  for (const operator of ['=', '+=', '-=', '*=', '/=', '.*=', './=']) {
    const found = statement(`x ${operator} 1;`);
    assert(found.kind === 'assignment');
    assert.equal(found.operator, operator);
  }
  const unpacking = statement('(a, (b[1:2], c.2)) = f();');
  assert(unpacking.kind === 'assignment' && unpacking.target.kind === 'tuplePattern');
  assert.deepEqual(
    unpacking.target.targets.map((target) => target.kind),
    ['variable', 'tuplePattern'],
  );
});

test('a truncation of a tilde statement may be open on either side', () => {
  const sides = ['T[1, 2]', 'T[1, ]', 'T[, 2]', 'T[, ]'].map((truncation) => {
    const found = statement(`y ~ f(a) ${truncation};`);
    assert(found.kind === 'tilde' && found.truncation !== undefined);
    return [found.truncation.lower !== undefined, found.truncation.upper !== undefined];
  });
  assert.deepEqual(sides, [
    [true, true],
    [true, false],
    [false, true],
    [false, false],
  ]);
  assert.equal(statement('T ~ f(a);').kind, 'tilde');
});

test('the other statements', () => {
  const kinds = {
    'target += 1;': 'target',
    'jacobian += 1;': 'jacobian',
    'f(1);': 'callStatement',
    'while (a) { break; continue; }': 'while',
    'for (i in 1 : n) x = i;': 'for',
    'for (i in xs) ;': 'forEach',
    'return 1;': 'return',
    'return;': 'return',
    'print("a", b);': 'print',
    'reject(b);': 'reject',
    'fatal_error("c");': 'fatal_error',
    'profile("p") { }': 'profile',
    ';': 'empty',
  };
  for (const [text, kind] of Object.entries(kinds)) assert.equal(statement(text).kind, kind, text);
});

test('a declaration has one type, several names, and values where allowed', () => {
  const { parameters, transformedData } = program(`transformed data { array[2, N] real<lower=0> a = b, c; }
parameters {
  real<offset=m, multiplier=s> x;
  tuple(array[2] simplex[3], cov_matrix[K]) t;
  cholesky_factor_cov[3, 2] L;
  complex_matrix[2, 3] Z;
}`);
  const [declared] = transformedData?.statements ?? [];
  assert(declared?.kind === 'declaration' && declared.type.kind === 'array');
  assert.equal(declared.type.sizes.length, 2);
  assert.equal(declared.isGlobal, true);
  assert.deepEqual(
    declared.variables.map(({ name, initialValue }) => [name.name, initialValue !== undefined]),
    [
      ['a', true],
      ['c', false],
    ],
  );
  const types = parameters?.statements.map((found) => (found.kind === 'declaration' ? found.type : undefined)) ?? [];
  assert.deepEqual(
    types.map((type) => type?.kind),
    ['real', 'tuple', 'matrix', 'complex_matrix'],
  );
  const [real, tuple, factor] = types;
  assert(real?.kind === 'real' && tuple?.kind === 'tuple' && factor?.kind === 'matrix');
  assert.equal(real.constraint.kind, 'offset_multiplier');
  const [simplexes, covariance] = tuple.elements;
  assert(simplexes?.kind === 'array' && covariance?.kind === 'matrix');
  assert(simplexes.element.kind === 'vector');
  assert.equal(simplexes.element.constraint.kind, 'simplex');
  assert.equal(covariance.rows, covariance.columns);
  assert.notEqual(factor.rows, factor.columns);
});

test('functions: return types, arguments, forward declarations', () => {
  const { functions } = program(`functions {
  void f();
  array[,] tuple(real, array[] int) g(data array[] vector x, int T) { return x; }
}`);
  const [forward, defined] = functions?.statements ?? [];
  assert.equal(forward?.body, undefined);
  assert.equal(forward?.returnType.kind, 'void');
  assert(defined?.returnType.kind === 'array');
  assert.equal(defined.returnType.dimensions, 2);
  assert.equal(defined.body?.kind, 'block');
  assert.deepEqual(
    defined.parameters.map(({ name, dataOnly, type }) => [name.name, dataOnly, type.kind]),
    [
      ['x', true, 'array'],
      ['T', false, 'int'],
    ],
  );
});

test('a file of functions alone', () => {
  const result = parseFunctions({ name: 'f.stanfunctions', text: 'real f(real x) { return x; }' });
  assert('program' in result);
  assert.equal(result.program.functions?.statements.length, 1);
  const wrong = parseFunctions({ name: 'f.stanfunctions', text: 'model { }' });
  assert('diagnostics' in wrong);
});

test('an empty program is valid with a warning', () => {
  const result = parse({ name: 'model.stan', text: '// nothing\n' });
  assert('program' in result);
  assert.deepEqual(result.warnings.map(renderDiagnostic), [
    "Warning in 'model.stan', line 1, column 0 to line 2, column 0:\n    Empty model detected; this is a valid Stan model but likely unintended!",
  ]);
});
