import { constants } from 'node:zlib';

/**
 * How the routes of large answers compress them: as fast as gzip and brotli can. For draws, their usual qualities take three
 * to eight times as long to make a tenth less, and a client nearby waits for all of it.
 */
export const COMPRESSION = {
  encodings: ['br' as const, 'gzip' as const],
  customTypes: /^(text\/|application\/)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: constants.Z_BEST_SPEED },
};
