import { suffixOf } from './suffixes.js';

/**
 * The known name closest to a mistyped one, for "Did you mean". The distance is at most a share of the name's length and at most 5 edits, and
 * ignores the suffixes of densities and random number generators. If no name is close enough, the mistyped name with a distribution's
 * suffix added.
 * @param known every name in scope
 * @param share by default that of stanc
 */
export function nearestName(name: string, known: Iterable<string>, share = 1 / 2): string | undefined {
  const sorted = [...new Set(known)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const counted = suffixOf(name) === 'plain' ? name.length : name.lastIndexOf('_');
  let limit = Math.min(Math.floor(counted * share), 5);
  let best: string | undefined;
  for (const candidate of sorted) {
    if (Math.abs(candidate.length - name.length) > limit) continue;
    const distance = editDistance(name, candidate);
    if (distance > limit) continue;
    best = candidate;
    limit = distance - 1;
  }
  if (best !== undefined) return best;
  const names = new Set(sorted);
  return ['_lpmf', '_lpdf', '_cdf', '_lcdf', '_lccdf', '_rng'].map((suffix) => name + suffix).find((n) => names.has(n));
}

/**
 * Optimal string alignment distance: the number of insertions, deletions, substitutions and transpositions of adjacent characters that turn
 * one text into the other, where no character is edited twice. Keeps three rows of Wagner and Fischer's table (J. ACM 21, 1974).
 * Transpositions: Damerau (Comm. ACM 7, 1964).
 */
function editDistance(a: string, b: string): number {
  let before = new Array<number>(b.length + 1).fill(0);
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  let current = new Array<number>(b.length + 1).fill(0);
  for (let i = 0; i < a.length; i++) {
    current[0] = i + 1;
    for (let j = 0; j < b.length; j++) {
      const substitution = previous[j] + (a[i] === b[j] ? 0 : 1);
      current[j + 1] = Math.min(previous[j + 1] + 1, current[j] + 1, substitution);
      if (i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]) {
        current[j + 1] = Math.min(current[j + 1], before[j - 1] + 1);
      }
    }
    [before, previous, current] = [previous, current, before];
  }
  return previous[b.length];
}
