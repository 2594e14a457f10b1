/** The value that occurs most often, the first of several, and its number of occurrences; undefined without values. */
export function mostFrequent<Value>(values: Iterable<Value>): readonly [value: Value, count: number] | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0];
}
