import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '../support/client.js';
import { serve } from '../support/serving.js';
import type { Download } from './download-client.js';

const CLIENT = fileURLToPath(new URL('./download-client.js', import.meta.url));
const COLUMNS = 1000;
/** Number of draws whose messages take about a gigabyte. */
const DRAWS = 36_500;
const POLL_INTERVAL = 20;

const PROGRAM = `generated quantities {
  vector[${COLUMNS}] x;
  for (n in 1:${COLUMNS}) x[n] = normal_rng(0, 1);
}
`;

const WANTED: readonly { readonly name: string; readonly query: string }[] = [
  { name: 'ndjson', query: '' },
  { name: '10 variables as arrow', query: `format=arrow&variables=${namesOf(10).join(',')}` },
  { name: 'csv', query: 'format=csv' },
  { name: 'arrow', query: 'format=arrow' },
];

function namesOf(count: number): string[] {
  return Array.from({ length: count }, (_, k) => `x[${((k * 97) % COLUMNS) + 1}]`);
}

export interface DownloadResult extends Download {
  readonly name: string;
  /** Processor time of the server, in seconds. */
  readonly processor: number;
  /** Peak resident memory of the server during the downloads, in mebibytes. */
  readonly resident: number;
}

/** Downloads a fit of a gigabyte in each format from a server that has just started, as after a restart. */
export async function benchDownloads(_folder: string, only: RegExp): Promise<DownloadResult[]> {
  const server = await serve({ LEAPFROG_CACHE_SIZE: String(2 ** 33) });
  const results: DownloadResult[] = [];
  try {
    const client = new Client(server.address);
    const model = await client.compile(PROGRAM);
    const fit = await client.fitName(model, {
      function: 'stan::services::sample::fixed_param',
      num_samples: DRAWS,
      random_seed: 1,
    });
    for (const { name, query } of WANTED.filter((each) => only.test(each.name))) {
      const result = await measure(name, `${server.address}/v1/${fit}?${query}`, server.processId);
      console.log(
        `${name}: ${megabytes(result.bytes)} MB in ${result.seconds.toFixed(2)} s, ` +
          `${megabytes(result.bytes / result.seconds)} MB/s; server: ${result.processor.toFixed(1)} s of processor time, ` +
          `${result.resident.toFixed(0)} MiB resident`,
      );
      results.push(result);
    }
    console.log(
      `bench downloads: ${status(server.processId, 'VmHWM').toFixed(0)} MiB resident at most, the making of the fit included`,
    );
    return results;
  } finally {
    await server.stop();
  }
}

async function measure(name: string, url: string, processId: number): Promise<DownloadResult> {
  const before = processorTime(processId);
  let resident = 0;
  let done = false;
  const watch = async (): Promise<void> => {
    while (!done) {
      resident = Math.max(resident, status(processId, 'VmRSS'));
      await sleep(POLL_INTERVAL);
    }
  };
  const watching = watch();
  const { stdout } = await promisify(execFile)(process.execPath, [CLIENT, url]);
  done = true;
  await watching;
  const download: Download = JSON.parse(stdout);
  return { name, ...download, processor: processorTime(processId) - before, resident };
}

/** A line of /proc/PID/status in mebibytes. */
function status(processId: number, field: 'VmRSS' | 'VmHWM'): number {
  const text = readFileSync(`/proc/${processId}/status`, 'utf8');
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(text)?.[1]) / 1024;
}

const TICKS_PER_SECOND = 100;

function processorTime(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
}
