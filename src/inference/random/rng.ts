/** A stream of independent random numbers. */
export interface Rng {
  /** Uniform on [0, 1), with 53 random bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** The four words of the xoshiro128++ generator, for code that continues the sequence elsewhere and writes it back. */
  readonly state?: Int32Array;
}
