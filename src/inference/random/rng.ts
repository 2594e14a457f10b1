/** A stream of independent random numbers. */
export interface Rng {
  /** Uniform on [0, 1), 53 random bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** The four words of a xoshiro128++ that makes the numbers, for whoever goes on with it elsewhere and brings it back. */
  readonly state?: Int32Array;
}
