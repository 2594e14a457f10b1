import { constants } from 'node:zlib';

/** How the routes of large answers compress them. Brotli's usual quality is for files that are compressed once. */
export const COMPRESSION = {
  encodings: ['br' as const, 'gzip' as const],
  customTypes: /^(text\/|application\/)/,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
};
