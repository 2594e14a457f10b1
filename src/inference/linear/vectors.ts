/** The inner product. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** The Euclidean norm. */
export function norm(a: Float64Array): number {
  return Math.sqrt(dot(a, a));
}

/** out = a + factor * b. */
export function step(out: Float64Array, a: Float64Array, factor: number, b: Float64Array): void {
  for (let i = 0; i < a.length; i++) out[i] = a[i] + factor * b[i];
}
