/** Nodes and weights of the Gauss-Kronrod rule with 7 and 15 points on [-1, 1] (Piessens et al., QUADPACK, 1983). */
const NODES = [
  0.9914553711208126, 0.9491079123427585, 0.8648644233597691, 0.7415311855993945, 0.5860872354676911,
  0.4058451513773972, 0.20778495500789848, 0,
];
const KRONROD = [
  0.022935322010529224, 0.06309209262997856, 0.10479001032225019, 0.14065325971552592, 0.1690047266392679,
  0.19035057806478542, 0.20443294007529889, 0.20948214108472782,
];
const GAUSS = [0.1294849661688697, 0.27970539148927664, 0.3818300505051189, 0.4179591836734694];

const TOLERANCE = 1e-11;
/** Number of bisections that are always made, so that no narrow peak is missed. */
const SHALLOWEST = 5;
const DEEPEST = 60;

/** The integral of f between two finite limits, bisected until the error of each half is below 1e-11 or the interval is a point. */
export function integrate(f: (x: number) => number, from: number, to: number, depth = 0): number {
  const middle = (from + to) / 2;
  const half = (to - from) / 2;
  let kronrod = 0;
  let gauss = 0;
  for (const [k, node] of NODES.entries()) {
    const value = node === 0 ? f(middle) : f(middle - half * node) + f(middle + half * node);
    kronrod += KRONROD[k] * value;
    if (k % 2 === 1) gauss += GAUSS[(k - 1) / 2] * value;
  }
  const isClose = depth >= SHALLOWEST && Math.abs(kronrod - gauss) * half <= TOLERANCE;
  if (depth === DEEPEST || isClose) return kronrod * half;
  return integrate(f, from, middle, depth + 1) + integrate(f, middle, to, depth + 1);
}
