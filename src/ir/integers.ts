/** The integers of WebAssembly and Stan: sums beyond them wrap. */
export const INT_MIN = -(2 ** 31);
export const INT_MAX = 2 ** 31 - 1;
