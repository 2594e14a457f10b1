/**
 * Streams of unfinished fits. The events of a chain are in its journal on disk. Workers render the journal piece by
 * piece, each piece once for all followers that read it at about the same time. Even a slow follower buffers only one
 * slice of a piece: a piece that is no longer cached is rendered again from the journal.
 */
import pLimit from 'p-limit';
import { problems } from '../errors.js';
import {
  type FitInTheMaking,
  type JournalSizes,
  openJournals,
  type WatchedJournals,
} from '../queue/watched-journals.js';
import {
  type Followed,
  type FollowJob,
  type LiveForm,
  type LiveJournal,
  PART_BYTES,
  SLICE_BYTES,
} from '../threads/follow-job.js';
import { discard } from '../threads/garbage.js';
import { chainProblem } from '../threads/selection.js';

/** The request of a follower: one chain or all chains, in a format. */
export interface Following extends LiveForm {
  readonly chain?: number;
}

/** Error of a stream whose fit will not be finished. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  /** Code for a stream that ends early on purpose, for which compression and sending log no error. */
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Maximum number of pieces that are rendered concurrently, which leaves threads for readers of finished fits. */
const RENDERED_AT_ONCE = 2;
/** Maximum bytes of rendered pieces in the cache. */
const REMEMBERED_BYTES = 1 << 24;
/** Approximate bytes of a piece in addition to its text. */
const ENTRY_BYTES = 1000;
/** Maximum bytes that followers receive per iteration of the event loop. */
const TURN_BYTES = 1 << 20;

type Piece = Extract<Followed, { kind: 'followed' }>;

/** The journals of a fit, and the number of its followers. */
interface Shared {
  readonly opening: Promise<WatchedJournals | undefined>;
  followers: number;
}

/** The position of a follower in a journal. */
interface Place {
  readonly journal: LiveJournal;
  /** Index among the journals of the fit. */
  readonly index: number;
  /** Start of the current piece, and the number of its bytes that the follower has received. */
  from: number;
  given: number;
}

/** Follows unfinished fits, each for any number of followers. */
export class LiveFits {
  private readonly render: (job: FollowJob) => Promise<Followed>;
  private readonly fits = new Map<string, Shared>();
  private readonly pieces: RecentPieces;
  private readonly limit = pLimit(RENDERED_AT_ONCE);
  private readonly turns = new Turns(TURN_BYTES);

  /** `render` runs the job in a worker; `remembered` limits the bytes of rendered pieces. */
  constructor(render: (job: FollowJob) => Promise<Followed>, remembered = REMEMBERED_BYTES) {
    this.render = render;
    this.pieces = new RecentPieces(remembered);
  }

  /**
   * The stream for a follower, in slices as they are written. It ends when the fit is finished, and throws `GivenUp` if
   * the fit will not be finished. Undefined if the fit was finished before its journals could be opened. Throws if the
   * fit lacks a requested chain or variable; variables are known after a chain has started. `gone` ends the stream
   * early.
   */
  async follow(
    making: FitInTheMaking,
    following: Following,
    gone: AbortSignal,
  ): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const shared = this.share(making);
    const slices = this.slices(making, shared, following, gone);
    // A stream that has started releases the journals when it ends.
    const { done } = await slices.next();
    return done === true ? undefined : slices;
  }

  private share(making: FitInTheMaking): Shared {
    const shared = this.fits.get(making.folder) ?? { opening: openJournals(making), followers: 0 };
    this.fits.set(making.folder, shared);
    shared.followers += 1;
    return shared;
  }

  private async leave({ folder, release }: FitInTheMaking, shared: Shared): Promise<void> {
    release?.();
    shared.followers -= 1;
    if (shared.followers > 0) return;
    this.fits.delete(folder);
    const journals = await shared.opening.catch(() => undefined);
    for (const { file } of journals?.journals ?? []) this.pieces.forget(file);
    await journals?.close();
  }

  /** An empty slice when the request has been validated, then the slices of the stream. */
  private async *slices(
    making: FitInTheMaking,
    shared: Shared,
    { chain, ...form }: Following,
    gone: AbortSignal,
  ): AsyncGenerator<Uint8Array, void> {
    try {
      const watched = await shared.opening;
      if (watched === undefined) return;
      const { chains, journals } = watched;
      const all = journals.map((journal, index): Place => ({ journal, index, from: 0, given: 0 }));
      const places = all.filter(({ index }) => chain === undefined || chains[index] === chain);
      if (places.length === 0) throw problems.invalidRequest([chainProblem(chains)]);
      let sizes = await watched.look(undefined);
      if (form.variables !== undefined) {
        while (
          !gone.aborted &&
          sizes.state === 'in progress' &&
          !(await this.hasBegun(making, places[0], form, sizes))
        ) {
          sizes = await watched.look(sizes);
        }
      }
      yield new Uint8Array();
      for (; ; sizes = await watched.look(sizes)) {
        for (const place of places) {
          for (;;) {
            const slice = await this.nextSlice(making, place, form, sizes);
            if (slice === undefined) break;
            await this.turns.take(slice.length);
            yield slice;
          }
        }
        if (gone.aborted || sizes.state === 'finished') return;
        if (sizes.state === 'given up') throw new GivenUp('the followed fit was abandoned');
      }
    } finally {
      await this.leave(making, shared);
    }
  }

  private async hasBegun(making: FitInTheMaking, place: Place, form: LiveForm, sizes: JournalSizes): Promise<boolean> {
    const piece = await this.piece(making, place, form, sizes);
    return piece !== undefined && piece.to > 0;
  }

  /** Undefined if no bytes have been added. */
  private async nextSlice(
    making: FitInTheMaking,
    place: Place,
    form: LiveForm,
    sizes: JournalSizes,
  ): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = await this.piece(making, place, form, sizes);
      if (piece === undefined) return undefined;
      const given = place.given % PART_BYTES;
      const slice = piece.slices[Math.floor(given / SLICE_BYTES)]?.subarray(given % SLICE_BYTES);
      if (slice !== undefined && slice.length > 0) {
        place.given += slice.length;
        return slice;
      }
      if (piece.to === place.from) return undefined;
      place.from = piece.to;
      place.given = 0;
    }
  }

  /** The piece that contains the next slice of a follower. */
  private async piece(
    { folder }: FitInTheMaking,
    { from, given, index, journal }: Place,
    form: LiveForm,
    { sizes }: JournalSizes,
  ): Promise<Piece | undefined> {
    if (from >= sizes[index]) return undefined;
    const skip = given - (given % PART_BYTES);
    const job: FollowJob = { kind: 'follow', path: folder, journal, form, from, skip };
    const piece = await this.pieces.get(job, sizes[index], () => this.limit(() => this.render(job)));
    if (piece.kind === 'not followed') throw problems.invalidRequest([piece.problem]);
    return piece;
  }
}

interface Remembered {
  readonly file: string;
  /** Size of the journal at the time of the request, in bytes. */
  readonly size: number;
  readonly rendering: Promise<Followed>;
  bytes: number;
}

/** The most recently requested pieces, including those that are still being rendered. */
class RecentPieces {
  private readonly limit: number;
  /** In the order of the last request. */
  private readonly known = new Map<string, Remembered>();
  private bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A piece of a journal whose current size is `size`. */
  async get(job: FollowJob, size: number, render: () => Promise<Followed>): Promise<Followed> {
    const key = JSON.stringify([job.journal.file, job.form, job.from, job.skip]);
    const known = this.known.get(key) ?? this.add(key, job, size, render);
    this.known.delete(key);
    this.known.set(key, known);
    const followed = await known.rendering;
    const isEmpty = followed.kind === 'followed' && followed.to === job.from;
    if (!isEmpty || known.size >= size) return followed;
    // The record was incomplete.
    if (this.known.get(key) === known) this.remove(key, known);
    return this.get(job, size, render);
  }

  /** Removes the pieces of a journal. */
  forget(file: string): void {
    for (const [key, known] of this.known) if (known.file === file) this.remove(key, known);
  }

  private add(key: string, job: FollowJob, size: number, render: () => Promise<Followed>): Remembered {
    const added: Remembered = { file: job.journal.file, size, rendering: render(), bytes: 0 };
    const isThere = () => this.known.get(key) === added;
    added.rendering.then(
      (followed) => {
        if (!isThere()) return;
        if (followed.kind === 'not followed') return this.remove(key, added);
        added.bytes = followed.slices.reduce((sum, { length }) => sum + length, ENTRY_BYTES + 2 * key.length);
        this.bytes += added.bytes;
        this.trim();
      },
      () => isThere() && this.remove(key, added),
    );
    return added;
  }

  private trim(): void {
    for (const [key, known] of this.known) {
      if (this.bytes <= this.limit) return;
      if (known.bytes > 0) this.remove(key, known);
    }
  }

  private remove(key: string, known: Remembered): void {
    this.known.delete(key);
    this.bytes -= known.bytes;
    discard(known.bytes);
  }
}

/** Limits the bytes that are taken in one iteration of the event loop. Further requests wait for the next iteration. */
class Turns {
  private readonly limit: number;
  private taken = 0;
  private next: Promise<void> | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  async take(bytes: number): Promise<void> {
    while (this.taken >= this.limit) await this.next;
    this.taken += bytes;
    this.next ??= new Promise((resolve) => {
      setImmediate(() => {
        this.taken = 0;
        this.next = undefined;
        resolve();
      });
    });
  }
}
