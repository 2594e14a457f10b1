import { add, apply, compare, div, exp, get, int, mul, real, select, sub, ZERO } from '../../ir/expressions.js';
import type { Expr, KernelArgument } from '../../ir/nodes.js';
import { type KernelTangent, number, place, scratch } from './kernel-tangent.js';
import { matrixAt, write } from './matrices.js';

/**
 * Tangent of log p(y) in the forward recurrence of a hidden Markov model, whose steps are scaled to sum to 1 (Rabiner, Proc. IEEE 77,
 * 1989). Repeats the recurrence together with its derivative, because the other outputs of the kernel have no derivative.
 */
export const hiddenMarkovTangent: KernelTangent = (builder, args, tangents) => {
  const [out] = tangents;
  if (out === null) return;
  const [states, steps] = [number(args[6]), number(args[7])];
  const [like, transition, initial] = args.slice(3, 6).map((argument) => matrixAt(argument, states));
  const [byLike, byTransition, byInitial] = tangents.slice(3, 6).map((argument) => matrixAt(argument, states));
  const zero = int(0);
  const [filtered, slopes] = [scratch(builder, states, steps), scratch(builder, states, steps)];
  const [shares, departures] = [scratch(builder, states, steps), scratch(builder, states, steps)];
  const [p, dp, w, dw] = [filtered, slopes, shares, departures].map((at) => matrixAt(at, states));
  const put = (at: KernelArgument, k: Expr, n: Expr, value: Expr): void =>
    builder.store(place(at).ref, add(k, mul(n, states)), value);
  const sum = builder.newLocal('real', 'along');
  builder.assign(sum, ZERO);
  builder.for(zero, steps, (n) => {
    const before = sub(n, int(1));
    const largest = builder.newLocal('real', 'largest');
    builder.assign(largest, real(Number.NEGATIVE_INFINITY));
    builder.for(zero, states, (k) => {
      const x = apply('detached', 'real', like(k, n));
      builder.assign(largest, select(compare('gt', x, get(largest)), x, get(largest)));
    });
    builder.for(zero, states, (k) => {
      const weight = builder.bind(exp(sub(like(k, n), get(largest))), 'weight');
      const [prior, change] = [builder.newLocal('real', 'prior'), builder.newLocal('real', 'change')];
      builder.if(
        compare('eq', n, zero),
        () => {
          builder.assign(prior, initial(k, zero));
          builder.assign(change, byInitial(k, zero));
        },
        () => {
          const total = builder.sum(states, (j) => mul(transition(j, k), p(j, before)));
          builder.assign(prior, total);
          const moved = builder.sum(states, (j) =>
            add(mul(byTransition(j, k), p(j, before)), mul(transition(j, k), dp(j, before))),
          );
          builder.assign(change, moved);
        },
      );
      put(shares, k, n, mul(weight, get(prior)));
      put(departures, k, n, mul(weight, add(mul(byLike(k, n), get(prior)), get(change))));
    });
    const norm = builder.bind(
      builder.sum(states, (k) => w(k, n)),
      'norm',
    );
    const rate = builder.bind(
      div(
        builder.sum(states, (k) => dw(k, n)),
        norm,
      ),
      'rate',
    );
    builder.for(zero, states, (k) => {
      const share = builder.bind(div(w(k, n), norm), 'share');
      put(filtered, k, n, share);
      put(slopes, k, n, sub(div(dw(k, n), norm), mul(share, rate)));
    });
    builder.assign(sum, add(get(sum), rate));
  });
  write(builder, out, int(1), int(1), () => get(sum));
};
