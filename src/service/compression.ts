import { constants } from 'node:zlib';

/**
 * Compression of large responses, at the fastest levels of gzip and brotli. For draws, the default levels take three to eight times
 * as long for a 10 % smaller result, which delays clients on a fast network.
 */
export const COMPRESSION = {
  encodings: ['br' as const, 'gzip' as const],
  customTypes: /^(text\/|application\/)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: constants.Z_BEST_SPEED },
};
