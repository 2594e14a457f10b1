/**
 * The known name closest to a mistyped one, for "Did you mean": fewer than 3 edits away (5 for names of 10 characters and
 * more), else the name with a distribution's ending added.
 * @param known every name in scope
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const sorted = [...new Set(known)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const limit = name.length < 10 ? 3 : 5;
  let best: string | undefined;
  let bestDistance = limit;
  if (name.length !== 1) {
    for (const candidate of sorted) {
      if (Math.abs(candidate.length - name.length) > limit) continue;
      const distance = editDistance(name, candidate);
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
  }
  if (best !== undefined) return best;
  const names = new Set(sorted);
  return ['_lpmf', '_lpdf', '_cdf', '_lcdf', '_lccdf', '_rng'].map((suffix) => name + suffix).find((n) => names.has(n));
}

/** Levenshtein's distance, by Wagner and Fischer's two rows (J. ACM 21, 1974). */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  let current = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    current[0] = i + 1;
    for (let j = 0; j < b.length; j++) {
      const substitution = previous[j] + (a[i] === b[j] ? 0 : 1);
      current[j + 1] = Math.min(previous[j + 1] + 1, current[j] + 1, substitution);
    }
    [previous, current] = [current, previous];
  }
  return previous[b.length];
}
