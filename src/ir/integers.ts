/** The range of WebAssembly's and Stan's integers. Sums outside it wrap. */
export const INT_MIN = -(2 ** 31);
export const INT_MAX = 2 ** 31 - 1;
