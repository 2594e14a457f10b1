import type { Chains } from '../../src/inference/diagnostics/chains.js';

interface Message {
  readonly topic: string;
  readonly values: readonly unknown[] | Readonly<Record<string, number | string>>;
  readonly chain?: number;
}

type Draw = Readonly<Record<string, number | string>>;

/** The draws of a fit by column name, one array per chain. */
export function drawsOf(fit: string): ReadonlyMap<string, Chains> {
  const byChain = new Map<number, Draw[]>();
  for (const line of fit.split('\n')) {
    if (line === '') continue;
    const { topic, values, chain = 1 }: Message = JSON.parse(line);
    if (topic !== 'sample' || !isDraw(values)) continue;
    const draws = byChain.get(chain) ?? [];
    if (draws.length === 0) byChain.set(chain, draws);
    draws.push(values);
  }
  const chains = [...byChain.values()];
  const names = Object.keys(chains[0]?.[0] ?? {});
  return new Map(
    names.map((name) => [name, chains.map((draws) => Float64Array.from(draws, (draw) => Number(draw[name])))]),
  );
}

function isDraw(values: Message['values']): values is Draw {
  return !Array.isArray(values);
}
