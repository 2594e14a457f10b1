import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds. */
const HEALTH_INTERVAL = 20;

/** Milliseconds. */
export interface Latency {
  readonly median: number;
  readonly percentile99: number;
  readonly most: number;
}

/** Requests `health` at intervals until `stop`, which returns the duration of each request. */
export function watchHealth(address: string): { stop(): Promise<readonly number[]> } {
  let isOver = false;
  const times: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      const start = performance.now();
      const response = await fetch(`${address}/v1/health`);
      await response.text();
      if (response.status !== 200) throw new Error(`health answered ${response.status}`);
      times.push(performance.now() - start);
      await sleep(HEALTH_INTERVAL);
    }
  })();
  return {
    stop: async () => {
      isOver = true;
      await watching;
      return times;
    },
  };
}

export function latencyOf(values: readonly number[]): Latency {
  const sorted = [...values].sort((a, b) => a - b);
  const quantile = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { median: quantile(0.5), percentile99: quantile(0.99), most: quantile(1) };
}

export function describeLatency({ median, percentile99, most }: Latency): string {
  return `median ${median.toFixed(1)} ms, 99th percentile ${percentile99.toFixed(1)} ms, most ${most.toFixed(1)} ms`;
}

/** The value that an action resolves to, and the milliseconds until it does. */
export async function timed<Result>(run: () => Promise<Result>): Promise<[result: Result, milliseconds: number]> {
  const start = performance.now();
  const result = await run();
  return [result, performance.now() - start];
}
