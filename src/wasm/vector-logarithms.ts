import type { VectorLoop } from '../dataflow/vectorize.js';
import { isGetOf, isValue } from '../ir/expressions.js';
import type { Expr } from '../ir/nodes.js';
import type { OpName } from '../ir/ops.js';
import { incrementsOf, sumOf, type Term, termsOf } from '../ir/sums.js';
import type { Frame } from './frame.js';
import { SIMD, V128 } from './opcodes.js';
import type { VectorPrologue } from './vector-prologue.js';
import type { VectorValues } from './vector-values.js';

/** Number of factors from √½ to 2 whose product is a normal number. */
const MOST_FACTORS = 1000;

/** The positive normal numbers. */
const NORMAL = [2.2250738585072014e-308, Number.MAX_VALUE] as const;
/** Where the logarithm of 1 plus the odds is accurate; the limits of the kernel. */
const ODDS = [1e-300, 1e300] as const;

// The bits of x plus CENTRE_BITS have the exponent k and the fraction of m in x = m·2^k, √½ ≤ m < √2; see kernels/elementary/lanes.ts.
const CENTRE_BITS = bitsOf(0x3ff0000000000000n - 0x3fe6a09e667f3bcdn);
const FRACTION_BITS = bitsOf(0x000fffffffffffffn);
const SQRT_HALF_BITS = bitsOf(0x3fe6a09e667f3bcdn);
const EXPONENT_SHIFT = 52;
const TWO_52 = 2 ** 52;
const EXPONENT_BIAS = 1023;

/** The lanes in which a term is added: those in which the mask is set, or those in which it is not. */
interface Condition {
  readonly mask: number;
  readonly whereSet: boolean;
}

interface Product {
  readonly sum: number;
  readonly negative: boolean;
  readonly significand: number;
  /** The sum of the exponents of general factors; null before the first of them. */
  exponent: number | null;
}

/**
 * Sums over the iterations of a loop whose terms are logarithms. They are computed as logarithms of products, with one multiplication per
 * iteration instead of a logarithm. The logarithm is taken before a product can overflow. Factors that are not known to be between 1 and 2
 * are split into a significand near 1 and a power of two, whose exponents are added. The error is one rounding of each factor. If a factor
 * is not a positive normal number, or cannot be computed from odds, the logarithm itself is added.
 *
 * Terms may be conditional logarithms, as in `select(c, 0, log(x) - y)`.
 */
export class VectorLogarithms {
  readonly #frame: Frame;
  readonly #prologue: VectorPrologue;
  readonly #values: VectorValues;
  readonly #products = new Map<string, Product>();

  constructor(frame: Frame, prologue: VectorPrologue, values: VectorValues) {
    this.#frame = frame;
    this.#prologue = prologue;
    this.#values = values;
  }

  /** The number of iterations after which logarithms must be taken; null if no sum has terms that are logarithms. */
  static iterationsOf({ body, sums }: VectorLoop): number | null {
    let factors = 0;
    for (const s of body) {
      if (s.kind === 'target') factors += countFactors(termsOf(s.value));
      else if (s.kind === 'assign' && sums.has(s.local)) {
        factors += countFactors((incrementsOf(s.value, isGetOf(s.local)) ?? []).flatMap(({ value }) => termsOf(value)));
      }
    }
    return factors > 0 ? Math.floor(MOST_FACTORS / factors) : null;
  }

  /** Adds a value to a sum, or subtracts it. */
  add(sum: number, e: Expr, negative: boolean): void {
    this.#addTerms(sum, termsOf(e, negative), null);
  }

  #addTerms(sum: number, terms: readonly Term[], condition: Condition | null): void {
    const others: Term[] = [];
    for (const term of terms) {
      const choice = condition === null && this.#isOwn(term.value) ? choiceOf(term.value) : null;
      if (isFactor(term.value) && this.#isOwn(term.value)) this.#multiply(sum, term, condition);
      else if (choice !== null && countFactors(choice.terms) > 0) this.#addChoice(sum, choice, term.negative);
      else others.push(term);
    }
    if (condition === null) for (const { value, negative } of others) this.#addValue(sum, value, negative, null);
    else if (others.length > 0) this.#addValue(sum, sumOf(others), false, condition);
  }

  /** Whether only the sum needs the value, in every iteration. */
  #isOwn(e: Expr): boolean {
    return this.#values.uses(e) === 1 && !this.#values.isSplat(e);
  }

  #addChoice(sum: number, { condition, whereSet, terms }: Choice, negative: boolean): void {
    const { code } = this.#frame;
    const mask = code.temporary(V128);
    this.#values.mask(condition);
    code.set(mask);
    const signed = terms.map((term) => ({ ...term, negative: term.negative !== negative }));
    this.#addTerms(sum, signed, { mask, whereSet });
    code.release(V128, mask);
  }

  #addValue(sum: number, value: Expr, negative: boolean, condition: Condition | null): void {
    const { code } = this.#frame;
    code.get(sum);
    this.#values.vector(value);
    this.#zeroElsewhere(condition);
    code.simd(negative ? SIMD.f64x2Sub : SIMD.f64x2Add);
    code.set(sum);
  }

  /** Replaces the vector on the stack by 0 in the lanes in which the condition does not hold. */
  #zeroElsewhere(condition: Condition | null): void {
    if (condition === null) return;
    const { code } = this.#frame;
    code.get(condition.mask);
    code.simd(condition.whereSet ? SIMD.and : SIMD.andnot);
  }

  #multiply(sum: number, { value, negative }: Term, condition: Condition | null): void {
    if (value.kind !== 'apply') return;
    const product = this.#productOf(sum, negative !== (value.op === 'log1m_exp_of_odds'));
    if (value.op === 'log1p_unit') this.#multiplyUnit(product, value.args[0], condition);
    else this.#multiplyAny(product, value.op, value.args, condition);
  }

  #productOf(sum: number, negative: boolean): Product {
    const key = `${sum}${negative ? '-' : '+'}`;
    let product = this.#products.get(key);
    if (product === undefined) {
      const significand = this.#prologue.before(V128, () => {
        this.#frame.code.f64(1);
        this.#frame.code.simd(SIMD.f64x2Splat);
      });
      product = { sum, negative, significand, exponent: null };
      this.#products.set(key, product);
    }
    return product;
  }

  /** A factor 1 + u, u in [0, 1]. */
  #multiplyUnit({ significand }: Product, u: Expr, condition: Condition | null): void {
    const { code } = this.#frame;
    code.get(significand);
    this.#values.vector(u);
    this.#zeroElsewhere(condition);
    code.get(this.#prologue.constant(1));
    code.simd(SIMD.f64x2Add);
    code.simd(SIMD.f64x2Mul);
    code.set(significand);
  }

  #multiplyAny(product: Product, op: OpName, args: readonly Expr[], condition: Condition | null): void {
    const { code } = this.#frame;
    const prologue = this.#prologue;
    const factor = code.temporary(V128);
    const locals = args.map((arg) => {
      const local = code.temporary(V128);
      this.#values.vector(arg);
      code.set(local);
      return local;
    });
    const isOdds = op === 'log1m_exp_of_odds';
    const last = locals[locals.length - 1];
    product.exponent ??= prologue.zeroSum();
    code.get(last);
    if (op !== 'log') {
      code.get(prologue.constant(1));
      code.simd(SIMD.f64x2Add);
    }
    if (condition !== null) {
      code.get(prologue.constant(1));
      code.get(condition.mask);
      if (!condition.whereSet) code.simd(SIMD.not);
      code.simd(SIMD.bitselect);
    }
    code.set(factor);
    const [least, most] = isOdds ? ODDS : NORMAL;
    code.get(isOdds ? last : factor);
    code.get(prologue.constant(least));
    code.simd(SIMD.f64x2Ge);
    code.get(isOdds ? last : factor);
    code.get(prologue.constant(most));
    code.simd(SIMD.f64x2Le);
    code.simd(SIMD.and);
    code.simd(SIMD.i64x2AllTrue);
    code.if();
    this.#split(product.significand, product.exponent, factor);
    code.else();
    code.get(product.sum);
    for (const local of locals) code.get(local);
    this.#kernel(`${op}_v`);
    this.#zeroElsewhere(condition);
    code.simd(product.negative !== isOdds ? SIMD.f64x2Sub : SIMD.f64x2Add);
    code.set(product.sum);
    code.end();
    for (const local of [factor, ...locals]) code.release(V128, local);
  }

  #split(significand: number, exponent: number, factor: number): void {
    const { code } = this.#frame;
    const prologue = this.#prologue;
    code.get(factor);
    code.get(prologue.kernelConstant(CENTRE_BITS));
    code.simd(SIMD.i64x2Add);
    code.tee(factor);
    code.get(prologue.kernelConstant(FRACTION_BITS));
    code.simd(SIMD.and);
    code.get(prologue.kernelConstant(SQRT_HALF_BITS));
    code.simd(SIMD.i64x2Add);
    code.get(significand);
    code.simd(SIMD.f64x2Mul);
    code.set(significand);
    // As the fraction of a number between 2⁵² and 2⁵³, an integer is a double.
    code.get(factor);
    code.i32(EXPONENT_SHIFT);
    code.simd(SIMD.i64x2ShrU);
    code.get(prologue.constant(TWO_52));
    code.simd(SIMD.or);
    code.get(prologue.constant(TWO_52 + EXPONENT_BIAS));
    code.simd(SIMD.f64x2Sub);
    code.get(exponent);
    code.simd(SIMD.f64x2Add);
    code.set(exponent);
  }

  /** Adds the logarithms of the products to their sums. */
  take(): void {
    const { code } = this.#frame;
    for (const { sum, negative, significand, exponent } of this.#products.values()) {
      code.get(sum);
      code.get(significand);
      this.#kernel('log_v');
      if (exponent !== null) {
        code.get(exponent);
        code.get(this.#prologue.constant(Math.LN2));
        code.simd(SIMD.f64x2Mul);
        code.simd(SIMD.f64x2Add);
        code.zero(V128);
        code.set(exponent);
      }
      code.simd(negative ? SIMD.f64x2Sub : SIMD.f64x2Add);
      code.set(sum);
      code.get(this.#prologue.constant(1));
      code.set(significand);
    }
  }

  #kernel(name: string): void {
    const { code, module } = this.#frame;
    code.call(module.kernelFunction(name).index);
  }
}

/** A sum that is added if a condition holds, or if it does not hold. */
interface Choice {
  readonly condition: Expr;
  readonly whereSet: boolean;
  readonly terms: readonly Term[];
}

function choiceOf(e: Expr): Choice | null {
  if (e.kind !== 'apply' || e.op !== 'select') return null;
  const [condition, then, otherwise] = e.args;
  if (isValue(then, 0)) return { condition, whereSet: false, terms: termsOf(otherwise) };
  if (isValue(otherwise, 0)) return { condition, whereSet: true, terms: termsOf(then) };
  return null;
}

/** The number of logarithms among the terms, including conditional ones. */
function countFactors(terms: readonly Term[]): number {
  return terms.reduce((n, { value }) => {
    if (isFactor(value)) return n + 1;
    const choice = choiceOf(value);
    return choice === null ? n : n + choice.terms.filter((term) => isFactor(term.value)).length;
  }, 0);
}

const LOGARITHMS: ReadonlySet<OpName> = new Set<OpName>(['log', 'log1p', 'log1p_unit', 'log1m_exp_of_odds']);

function isFactor(e: Expr): boolean {
  return e.kind === 'apply' && LOGARITHMS.has(e.op);
}

/** The bits in both lanes. */
function bitsOf(bits: bigint): Uint8Array {
  const lanes = new DataView(new ArrayBuffer(16));
  for (const offset of [0, 8]) lanes.setBigUint64(offset, bits, true);
  return new Uint8Array(lanes.buffer);
}
