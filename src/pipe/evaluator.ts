/**
 * The evaluator process: evaluates one model with one data set at points, as fast as a pipe allows. It reads and writes
 * with blocking calls, because the event loop would take longer than most gradients.
 */
import { readSync, writeSync } from 'node:fs';
import type { DensityOptions, Posterior } from '../library/public.js';
import { openModel } from '../node/library/index.js';
import { failureOf } from './failure.js';
import { bytesOf, framePieces, HEAD_BYTES, readHead, splitParts, writeHead } from './frames.js';
import type { EvaluatorRequest } from './requests.js';
import { ValueReader } from './values.js';

/** Kinds of frames whose payload is points, row by row. A response has the kind of the request, or 0 for a failure. */
const GRADIENT = 1;
const DENSITY = 2;
const OPERATION = 3;
/** Flags of a kind. */
const WITHOUT_JACOBIAN = 4;
const PROPTO = 8;

const INPUT = 0;
const OUTPUT = 1;

/** Serves requests until standard input ends. */
export async function serveEvaluator(): Promise<void> {
  const head = new Uint8Array(HEAD_BYTES);
  const session = new EvaluatorSession();
  while (readFully(head)) {
    const { header, kind, payload } = readHead(head);
    const text = new Uint8Array(header);
    const body = new Uint8Array(payload);
    if (!readFully(text) || !readFully(body)) return;
    for (const piece of await session.answer(kind, new TextDecoder().decode(text), body)) writeFully(piece);
  }
}

/** Handles frames one after the other. The first one opens the model. */
export class EvaluatorSession {
  private evaluator: Evaluator | undefined;
  /** Texts that the program has printed since the last response. */
  private printed: string[] = [];

  /** The pieces of the response. */
  async answer(kind: number, header: string, payload: Uint8Array<ArrayBuffer>): Promise<readonly Uint8Array[]> {
    try {
      if (kind !== 0) {
        const frame = this.opened.evaluate(kind, new Float64Array(payload.buffer));
        return this.printed.length === 0 ? [frame] : framePieces(this.withPrinted({}), [frame.subarray(HEAD_BYTES)]);
      }
      const request: EvaluatorRequest = JSON.parse(header);
      const parts = splitParts(payload, request.parts);
      if (request.op === 'open') return framePieces(this.withPrinted(await this.open(request, parts)));
      const [response, binary] = await this.opened.answer(request, parts);
      return framePieces(this.withPrinted(response), binary);
    } catch (error) {
      return framePieces(this.withPrinted({ error: failureOf(error) }));
    }
  }

  /** A header with the printed texts, which are then removed. */
  private withPrinted(header: object): object {
    if (this.printed.length === 0) return header;
    const printed = this.printed.join('');
    this.printed = [];
    return { ...header, printed };
  }

  private get opened(): Evaluator {
    if (this.evaluator === undefined) throw new Error('no model is open');
    return this.evaluator;
  }

  private async open(request: OpenRequest, [wasm, ...values]: readonly Uint8Array<ArrayBuffer>[]): Promise<object> {
    const { arrays, contents, data, seed, threads, prints = false } = request;
    const model = await openModel({ ...contents, wasm });
    const given = new ValueReader(arrays, values).variables(data);
    const posterior = await model.on(given, {
      seed,
      ...(threads !== undefined && { threads }),
      ...(prints && { print: (text: string) => this.printed.push(text) }),
    });
    const exact = () => model.on(given, { seed, secondDerivatives: true });
    this.evaluator = new Evaluator(posterior, exact);
    const { dimension, variables } = posterior;
    return { dimension, variables, unconstrainedNames: posterior.unconstrainedNames() };
  }
}

type OpenRequest = Extract<EvaluatorRequest, { readonly op: 'open' }>;

class Evaluator {
  private readonly posterior: Posterior;
  private readonly openExact: () => Promise<Posterior>;
  /** The posterior with second derivatives, created on first use. */
  private exact: Posterior | undefined;

  constructor(posterior: Posterior, openExact: () => Promise<Posterior>) {
    this.posterior = posterior;
    this.openExact = openExact;
  }

  /** A frame with the log density at each point, followed by the gradients unless only densities are requested. */
  evaluate(kind: number, points: Float64Array): Uint8Array {
    const { dimension } = this.posterior;
    const options: DensityOptions = { jacobian: (kind & WITHOUT_JACOBIAN) === 0, propto: (kind & PROPTO) !== 0 };
    const count = dimension === 0 ? 1 : points.length / dimension;
    const hasGradient = (kind & OPERATION) === GRADIENT;
    if (!hasGradient && (kind & OPERATION) !== DENSITY) throw new Error(`no operation ${kind}`);
    const length = count * (hasGradient ? 1 + dimension : 1);
    const frame = new Uint8Array(HEAD_BYTES + 8 * length);
    writeHead(frame, { header: 0, kind, payload: 8 * length });
    const result = new Float64Array(frame.buffer, HEAD_BYTES, length);
    for (let row = 0; row < count; row++) {
      const point = points.subarray(row * dimension, (row + 1) * dimension);
      if (hasGradient) {
        const into = result.subarray(count + row * dimension, count + (row + 1) * dimension);
        result[row] = this.posterior.gradient(point, { ...options, into }).logDensity;
      } else {
        result[row] = this.posterior.logDensity(point, options);
      }
    }
    return frame;
  }

  async answer(
    request: Exclude<EvaluatorRequest, OpenRequest>,
    parts: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<readonly [header: object, parts?: readonly Uint8Array[]]> {
    switch (request.op) {
      case 'names':
        return [{ names: this.posterior.names(request) }];
      case 'constrain': {
        const points = new Float64Array(parts[0].buffer);
        const { dimension } = this.posterior;
        const count = dimension === 0 ? 1 : points.length / dimension;
        const rows = Array.from({ length: count }, (_, row) => {
          const point = points.subarray(row * dimension, (row + 1) * dimension);
          return this.posterior.constrain(point, { ...request, seed: request.seed + row });
        });
        return [{}, rows.map(bytesOf)];
      }
      case 'unconstrain': {
        const values = new ValueReader(request.arrays, parts).variables(request.values);
        return [{}, [bytesOf(this.posterior.unconstrain(values))]];
      }
      case 'unconstrain draw':
        return [{}, [bytesOf(this.unconstrainDraws(new Float64Array(parts[0].buffer)))]];
      case 'hessian': {
        this.exact ??= await this.openExact();
        return [{}, [bytesOf(this.exact.hessian(new Float64Array(parts[0].buffer), request))]];
      }
    }
  }

  /** The points of draws, row by row. */
  private unconstrainDraws(draws: Float64Array): Float64Array {
    const { dimension } = this.posterior;
    const width = this.posterior.names().length;
    const count = width === 0 ? 1 : draws.length / width;
    const points = new Float64Array(count * dimension);
    for (let row = 0; row < count; row++) {
      points.set(this.posterior.unconstrainDraw(draws.subarray(row * width, (row + 1) * width)), row * dimension);
    }
    return points;
  }
}

/** Fills the bytes from standard input. False at its end. */
function readFully(bytes: Uint8Array): boolean {
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(INPUT, bytes, filled, bytes.length - filled, null);
    if (count === 0) return false;
    filled += count;
  }
  return true;
}

function writeFully(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSync(OUTPUT, bytes, written);
}
