import { useEffect, useState } from 'react';
import { type Refused, refusedBy } from '../../compare/comparing-runs.js';

/**
 * The comparison of at least two fits, or why it is refused; undefined for fewer, and until it is computed. `key` identifies the fits and
 * the estimates in them; `compare` must stay the same between renderings.
 */
export function useComparison<Compared extends object, Each>(
  fits: readonly Each[],
  key: string,
  compare: (fits: readonly Each[]) => Compared | Promise<Compared>,
): Compared | Refused | undefined {
  const [result, setResult] = useState<{ readonly key: string; readonly compared: Compared | Refused }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key identifies the fits
  useEffect(() => {
    let isCurrent = true;
    if (fits.length > 1) {
      Promise.resolve(fits)
        .then(compare)
        .catch(refusedBy)
        .then((compared) => isCurrent && setResult({ key, compared }));
    }
    return () => {
      isCurrent = false;
    };
  }, [key, compare]);
  return fits.length > 1 && result?.key === key ? result.compared : undefined;
}
