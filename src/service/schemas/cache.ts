/** The schema of the contents of the store. */
import { type Static, Type } from 'typebox';

const Usage = Type.Object({ count: Type.Integer(), bytes: Type.Integer() }, { title: 'Usage' });

export const CacheSchema = Type.Object(
  {
    bytes: Type.Integer({ description: 'Disk space of models and finished fits, without that of running operations.' }),
    limit: Type.Integer({ description: 'Limit for models and fits (--cache-size).' }),
    models: Usage,
    fits: Usage,
    running: Usage,
  },
  { title: 'Cache' },
);
export type CacheResource = Static<typeof CacheSchema>;
