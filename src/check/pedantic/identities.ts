import type { Expression } from '../../syntax/ast.js';
import { parseCommon } from '../../syntax/expressions.js';
import { tokenize } from '../../syntax/lexer.js';
import { Tokens } from '../../syntax/tokens.js';

/** A pattern for terms. If it contains the same `any` twice, both must match the same term. */
export type Pattern =
  | { readonly kind: 'any'; readonly name: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Pattern[] };

/** A condition on the terms that a pattern's names match. */
export type Condition = 'x is a matrix' | 't is a scalar' | 'x and y are not both vectors or matrices' | 'always';

export interface Identity {
  readonly from: Pattern;
  readonly to: Pattern;
  readonly condition: Condition;
}

/** The linear predictors of generalized linear models, with the intercept of each. */
const PREDICTORS = [
  { predictor: '(a + x * b)', intercept: 'a' },
  { predictor: '(x * b + a)', intercept: 'a' },
  { predictor: '(x * b)', intercept: '0' },
] as const;

const LINEAR_MODELS = [
  ['bernoulli_lpmf(y, inv_logit(ETA))', 'bernoulli_logit_glm_lpmf(y, x, a, b)'],
  ['bernoulli_logit_lpmf(y, ETA)', 'bernoulli_logit_glm_lpmf(y, x, a, b)'],
  ['neg_binomial_2_lpmf(y, exp(ETA), s)', 'neg_binomial_2_log_glm_lpmf(y, x, a, b, s)'],
  ['neg_binomial_2_log_lpmf(y, ETA, s)', 'neg_binomial_2_log_glm_lpmf(y, x, a, b, s)'],
  ['normal_lpdf(y, ETA, s)', 'normal_id_glm_lpdf(y, x, a, b, s)'],
  ['poisson_lpmf(y, exp(ETA))', 'poisson_log_glm_lpmf(y, x, a, b)'],
  ['poisson_log_lpmf(y, ETA)', 'poisson_log_glm_lpmf(y, x, a, b)'],
] as const;

const WRITTEN: readonly (readonly [from: string, to: string, condition?: Condition])[] = [
  ['bernoulli_lpmf(y, inv_logit(a))', 'bernoulli_logit_lpmf(y, a)'],
  ['bernoulli_rng(inv_logit(a))', 'bernoulli_logit_rng(a)'],
  ['binomial_lpmf(y, n, inv_logit(a))', 'binomial_logit_lpmf(y, n, a)'],
  ['categorical_lpmf(y, inv_logit(a))', 'categorical_logit_lpmf(y, a)'],
  ['categorical_rng(inv_logit(a))', 'categorical_logit_rng(a)'],
  ['columns_dot_product(x, x)', 'columns_dot_self(x)'],
  ['dot_product(x, x)', 'dot_self(x)'],
  ['inv(sqrt(x))', 'inv_sqrt(x)'],
  ['inv(square(x))', 'inv_square(x)'],
  ['log(1 - exp(x))', 'log1m_exp(x)'],
  ['log(1 - inv_logit(x))', 'log1m_inv_logit(x)'],
  ['log(1 - x)', 'log1m(x)'],
  ['log(1 + exp(x))', 'log1p_exp(x)'],
  ['log(1 + x)', 'log1p(x)'],
  ['log(abs(determinant(x)))', 'log_determinant(x)'],
  ['log(exp(x) - exp(y))', 'log_diff_exp(x, y)'],
  ['log(falling_factorial(x, y))', 'log_falling_factorial(x, y)'],
  ['log(rising_factorial(x, y))', 'log_rising_factorial(x, y)'],
  ['log(inv_logit(x))', 'log_inv_logit(x)'],
  ['log(softmax(x))', 'log_softmax(x)'],
  ['log(sum(exp(x)))', 'log_sum_exp(x)'],
  ['log(exp(x) + exp(y))', 'log_sum_exp(x, y)'],
  ['multi_normal_lpdf(y, m, inverse(v))', 'multi_normal_prec_lpdf(y, m, v)'],
  ['neg_binomial_2_lpmf(y, exp(a), s)', 'neg_binomial_2_log_lpmf(y, a, s)'],
  ['neg_binomial_2_rng(exp(a), s)', 'neg_binomial_2_log_rng(a, s)'],
  ['poisson_lpmf(y, exp(a))', 'poisson_log_lpmf(y, a)'],
  ['poisson_rng(exp(a))', 'poisson_log_rng(a)'],
  ['pow(2, x)', 'exp2(x)'],
  ['rows_dot_product(x, x)', 'rows_dot_self(x)'],
  ['pow(x, 2)', 'square(x)'],
  ['pow(x, 0.5)', 'sqrt(x)'],
  ['square(sd(x))', 'variance(x)'],
  ['sqrt(2)', 'sqrt2()'],
  ['sum(square(x - y))', 'squared_distance(x, y)'],
  ['sum(diagonal(x))', 'trace(x)'],
  ['trace(d * transpose(b) * a * b)', 'trace_gen_quad_form(d, a, b)'],
  ['trace(quad_form(a, b))', 'trace_quad_form(a, b)'],
  ['1 - erf(x)', 'erfc(x)'],
  ['1 - erfc(x)', 'erf(x)'],
  ['exp(x) - 1', 'expm1(x)'],
  ['x * y + z', 'fma(x, y, z)', 'x and y are not both vectors or matrices'],
  ['z + x * y', 'fma(x, y, z)', 'x and y are not both vectors or matrices'],
  ['elt_multiply(x, y) + z', 'fma(x, y, z)'],
  ['x .* y + z', 'fma(x, y, z)'],
  ['z + elt_multiply(x, y)', 'fma(x, y, z)'],
  ['z + x .* y', 'fma(x, y, z)'],
  ['1 - gamma_p(x, y)', 'gamma_q(x, y)'],
  ['1 - gamma_q(x, y)', 'gamma_p(x, y)'],
  ['matrix_exp(t * a) * b', 'scale_matrix_exp_multiply(t, a, b)', 't is a scalar'],
  ['matrix_exp(a * t) * b', 'scale_matrix_exp_multiply(t, a, b)', 't is a scalar'],
  ['matrix_exp(a) * b', 'matrix_exp_multiply(a, b)'],
  ['x * log(y)', 'lmultiply(x, y)'],
  ['log(y) * x', 'lmultiply(x, y)'],
  ['diag_matrix(v) * diag_post_multiply(a, v)', 'quad_form_diag(a, v)'],
  ['diag_pre_multiply(v, a) * diag_matrix(v)', 'quad_form_diag(a, v)'],
  ['transpose(b) * (a * b)', 'quad_form(a, b)'],
  ['transpose(b) * a * b', 'quad_form(a, b)'],
  ['a * diag_matrix(v)', 'diag_post_multiply(a, v)'],
  ['diag_matrix(v) * a', 'diag_pre_multiply(v, a)'],
];

function identities(): ReadonlyMap<string, readonly Identity[]> {
  const linear = PREDICTORS.flatMap(({ predictor, intercept }) =>
    LINEAR_MODELS.map(([from, to]) =>
      identity(from.replace('ETA', predictor), to.replace(' a,', ` ${intercept},`), 'x is a matrix'),
    ),
  );
  const table = new Map<string, Identity[]>();
  for (const entry of [...linear, ...WRITTEN.map(([from, to, condition]) => identity(from, to, condition))]) {
    const name = entry.from.kind === 'call' ? entry.from.name : '';
    table.set(name, [...(table.get(name) ?? []), entry]);
  }
  return table;
}

function identity(from: string, to: string, condition: Condition = 'always'): Identity {
  return { from: readPattern(from), to: readPattern(to), condition };
}

function readPattern(text: string): Pattern {
  const { tokens } = tokenize({ name: 'identity', text: `(${text})` }, new Map());
  return toPattern(parseCommon(new Tokens(tokens), ''));
}

function toPattern(node: Expression): Pattern {
  switch (node.kind) {
    case 'variable':
      return { kind: 'any', name: node.name };
    case 'int':
    case 'real':
      return { kind: 'number', value: Number(node.text) };
    case 'parenthesis':
      return toPattern(node.inner);
    case 'binary':
      return { kind: 'call', name: node.operator, arguments: [toPattern(node.left), toPattern(node.right)] };
    case 'call':
      return { kind: 'call', name: node.function.name, arguments: node.arguments.map(toPattern) };
    default:
      throw new Error(`No pattern of a ${node.kind}`);
  }
}

let table: ReadonlyMap<string, readonly Identity[]> | undefined;

/**
 * Simplifications of calls of a function that stanc makes before it looks for likely mistakes, in the order in which it tries them. They
 * determine which densities a program uses, how many terms its target has, and what is linear. The first match is applied. Their texts are
 * parsed on first use.
 */
export function identitiesOf(name: string): readonly Identity[] {
  table ??= identities();
  return table.get(name) ?? [];
}
