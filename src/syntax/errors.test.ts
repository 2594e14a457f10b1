import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from './parse.js';

/** `line:column kind message` of the one error of a program, its message's first line. */
function fault(text: string): string {
  const result = parse({ name: 'model.stan', text });
  if ('program' in result) return 'accepted';
  assert.equal(result.diagnostics.length, 1);
  const [diagnostic] = result.diagnostics;
  assert(diagnostic !== undefined);
  const { begin } = diagnostic.span;
  return `${begin.line}:${begin.column} ${diagnostic.kind} ${diagnostic.message.split('\n')[0]}`;
}

function check(cases: Record<string, string>): void {
  for (const [text, expected] of Object.entries(cases)) assert.equal(fault(text), expected, text);
}

test('order of blocks', () => {
  check({
    'model {} data {}':
      '1:9 syntax Ill-formed program. Expected "generated quantities {" or end of file after end of model block.',
    'parameters real x;': '1:11 syntax Ill-formed block. Expected "{" after "parameters".',
    'data { x = 1; }': '1:7 syntax Invalid type in declaration. Valid types:',
    'data { int n; n = 1; }':
      '1:14 syntax Ill-formed statement. Only top-level variable declarations are allowed in the "data" and "parameters" blocks.',
    'model {': '1:7 syntax Ill-formed block. Expected unconstrained variable declaration, statement, or "}".',
  });
});

test('syntax of older versions', () => {
  check({
    'model { real x[3]; }': '1:15 syntax Ill-formed declaration. ";" expected after variable declaration.',
    'model { x <- 1; }':
      '1:14 syntax Ill-formed phrase. Expected a statement, but found a partial value before this point.',
    'functions { real f(real[] x) { return 1; } }':
      '1:23 syntax Ill-formed type. Expected an unsized type in function signature.',
    'model { # comment\n}': '1:8 lexing Invalid character found.',
  });
  const old = parse({ name: 'm.stan', text: 'data { real<lower=0> x[N+1,2]; }' });
  assert('diagnostics' in old);
  assert.match(old.diagnostics[0]?.message ?? '', /\n {2}array\[N \+ 1, 2\] real<lower=0> x;$/);
});

test('declarations', () => {
  check({
    'data { real x = 1; }':
      '1:14 syntax Ill-formed declaration. Cannot assign to variables in the "data" or "parameters" blocks.',
    'model { real if; }':
      '1:13 syntax Ill-formed identifier. Expected a new identifier but found reserved keyword "if".',
    'model { real a, int b; }':
      '1:16 syntax Ill-formed identifier. Found a type ("int") where an identifier was expected.',
    'model { real<lower=0> x; }':
      '1:12 syntax Ill-formed type. Did not expect "<". Constrained types are not supported in local (or model block) variable declarations.',
    'model { simplex[3] x; }':
      '1:8 syntax Ill-formed type. Constrained types are not supported in local (or model block) variable declarations.',
    'data { real<lower=a < b> x; }':
      '1:20 syntax Ill-formed constraint. Expected an expression (not containing binary logical operators).',
    'model { data real x; }':
      '1:8 syntax Ill-formed declaration. The "data" specifier is only valid in function arguments, not declarations.',
  });
});

test('expressions', () => {
  check({
    'model { x = a + ; }': '1:16 syntax Ill-formed expression. Found an incomplete binary expression.',
    'model { x = a b; }':
      '1:14 syntax Ill-formed expression. Unexpected input after the conclusion of a valid expression.',
    'model { x = a ? b; }':
      '1:17 syntax Ill-formed expression. Found an incomplete ternary expression, should be "(condition) ? (true branch) : (false branch)".',
    'model { x = f(a, ); }': '1:17 syntax Ill-formed expression. Expected a comma separated list of expressions.',
    'model { x = a[1; }':
      '1:15 syntax Ill-formed expression. Expected a comma separated list of expressions, followed by "]".',
    'model { x = t.123456789012345678901; }':
      '1:14 syntax Ill-formed index. Failed to parse integer from string "123456789012345678901" in tuple index.',
  });
});

test('statements', () => {
  check({
    'model { x }': '1:10 syntax Ill-formed phrase. Expected a statement, but found a partial value before this point.',
    'model { a + b = 1; }':
      '1:14 syntax Ill-formed expression. Unexpected input after the conclusion of a valid expression.',
    'model { f(a) = 1; }':
      '1:8 syntax Ill-formed assignment. Expected an assignable value but found a general expression.',
    'model { f(a) }':
      '1:13 syntax Ill-formed phrase. Expected a statement, but found a partial value before this point.',
    'model { f(a) x }':
      '1:13 syntax Ill-formed phrase. Found a well-formed function application. Expected either a ";" or a valid continuation of the expression.',
    'model { y ~ normal(0, 1) T[0]; }':
      '1:28 syntax Ill-formed truncation. Expected "T[" optional expression "," optional expression "];".',
    'model { for (int i in 1:3) ; }': '1:13 syntax Ill-formed statement. Expected (loop) identifier after "(".',
    'model { return x }':
      '1:17 syntax Ill-formed statement. Expected ";" or expression followed by ";" after "return".',
  });
});

test('a lexical error is reported only if the parser reaches it', () => {
  check({
    'model { x = ); $ }': '1:12 syntax Ill-formed assignment statement. Expected an expression followed by ";" next.',
    'model { x = 1 $ }': '1:14 lexing Invalid character found.',
  });
});

test('a tuple type with too many slots is rejected where it becomes too large', () => {
  const doubled = (depth: number): string =>
    depth === 0 ? 'real' : `tuple(${doubled(depth - 1)}, ${doubled(depth - 1)})`;
  const before = 'model { ';
  const found = fault(`${before}${doubled(12)} x; }`);
  assert.match(found, /^1:\d+ unsupported A tuple may have at most 1000 slots, including those of nested tuples\.$/);
  // The parser has not read the rest of the type.
  assert.ok(Number(/^1:(\d+)/.exec(found)?.[1]) < doubled(10).length);
  assert.match(fault(`functions { ${doubled(12)} f(real x) { return x; } }`), /^1:\d+ unsupported A tuple may have/);
  assert.match(fault(`functions { real f(array[] ${doubled(12)} x) { return 1; } }`), /^1:\d+ unsupported A tuple may/);
  assert.equal(fault(`model { ${doubled(8)} x; ${doubled(8)} y; }`), 'accepted');
});

test('hostile depth is rejected, in brackets and in chains', () => {
  for (const open of ['(', '-', '[', 'f(', 'a ? ', 'a ^ ', '{', 'x[']) {
    assert.match(fault(`model { x = ${open.repeat(100_000)}`), /unsupported The program is nested too deeply/, open);
  }
  for (const open of ['{', 'if (a) ', 'while (a) ', 'if (a) ; else ', '{ f(']) {
    assert.match(fault(`model { ${open.repeat(100_000)}`), /unsupported The program is nested too deeply/, open);
  }
  assert.match(fault(`model { x = a${' + a'.repeat(100_000)}; }`), /unsupported/);
  assert.match(fault(`model { x = a${"'".repeat(100_000)}; }`), /unsupported/);
  assert.equal(fault(`model { x = a${' + a'.repeat(800)}; }`), 'accepted');
});
