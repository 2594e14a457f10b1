// Memory for intermediate values of a running kernel. Threads whose models share one memory each set their own area; otherwise it is
// static. The following numbers are offsets in it.

/** Panels of products (24,576 bytes), or boxes of cubatures, whose integrands compute no matrix products. */
export const PANEL: usize = 0;
/** 32 × 32 numbers for blocked algorithms; addProduct does not use it. */
export const SQUARE: usize = 24576;
/** Cosines and sines of 64 rotations that have not been applied yet. */
export const ROTATIONS: usize = 32768;
/** 96 numbers for Bessel functions. */
export const STEPS: usize = 33792;
/** Inner products of a reflection's vector with eight columns. */
export const ALONG: usize = 34560;
/** Arrays of four numbers for cubatures. */
export const POINT: usize = 34624;
export const DIFFERENCES: usize = 34656;
export const LOWER_CORNER: usize = 34688;
export const UPPER_CORNER: usize = 34720;
/** Arrays of four numbers for hypergeometric functions. */
export const PARAMETERS: usize = 34752;
export const SLOPES: usize = 34784;

/** The address of the area. */
export let scratch: usize = memory.data(34816, 16);

/** Moves the area to `bytes` bytes at an address that is a multiple of 16. Call it before any kernel. Returns false if there are too few bytes. */
export function use_scratch(address: usize, bytes: i32): bool {
  if (bytes < 34816) return false;
  scratch = address;
  return true;
}
