/** A stream of independent random numbers. */
export interface Rng {
  /** Uniform on [0, 1), 53 random bits. */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
}
