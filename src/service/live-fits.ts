/**
 * Fits that are being made, as followers read them. The events of a chain are in its journal on the disk. Workers render it
 * piece by piece, each piece once for all followers that want it at about the same time. A follower holds one slice of a piece,
 * whatever its pace: a piece that has been forgotten is rendered again from the journal.
 */
import pLimit from 'p-limit';
import { problems } from './errors.js';
import {
  type Followed,
  type FollowJob,
  type LiveForm,
  type LiveJournal,
  PART_BYTES,
  SLICE_BYTES,
} from './fits/follow-job.js';
import { chainProblem } from './fits/selection.js';
import { discard } from './garbage.js';
import { type FitInTheMaking, type JournalSizes, openJournals, type WatchedJournals } from './watched-journals.js';

/** What a follower wants: one chain or all of them, in a form. */
export interface Following extends LiveForm {
  readonly chain?: number;
}

/** The fit that was followed will not be finished. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  /** The stream ends early on purpose: what compresses and sends it logs no error then. */
  readonly code = 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Pieces that are rendered at once: threads are left to those who read finished fits. */
const RENDERED_AT_ONCE = 2;
/** Bytes of rendered pieces that are remembered. */
const REMEMBERED_BYTES = 1 << 24;
/** What a piece takes beside its text, about. */
const ENTRY_BYTES = 1000;
/** Bytes that followers are given before everything else has its turn on the event loop. */
const TURN_BYTES = 1 << 20;

type Piece = Extract<Followed, { kind: 'followed' }>;

/** The journals of a fit, and how many follow it. */
interface Shared {
  readonly opening: Promise<WatchedJournals | undefined>;
  followers: number;
}

/** How far a follower has read a journal. */
interface Place {
  readonly journal: LiveJournal;
  /** Its place among the journals of the fit. */
  readonly index: number;
  /** Where the piece begins in which it is, and how many bytes of that it has been given. */
  from: number;
  given: number;
}

/** Follows fits that are being made, each of them for any number of followers. */
export class LiveFits {
  private readonly render: (job: FollowJob) => Promise<Followed>;
  private readonly fits = new Map<string, Shared>();
  private readonly pieces: RecentPieces;
  private readonly limit = pLimit(RENDERED_AT_ONCE);
  private readonly turns = new Turns(TURN_BYTES);

  /** `render` has a worker do the job; `remembered` bounds the bytes of rendered pieces. */
  constructor(render: (job: FollowJob) => Promise<Followed>, remembered = REMEMBERED_BYTES) {
    this.render = render;
    this.pieces = new RecentPieces(remembered);
  }

  /**
   * What a follower is sent, in slices as it comes. Ends when the fit is finished and throws `GivenUp` when it is not going to be.
   * Undefined when the fit is made before it could be opened. Throws when it has not got what is wanted, which of variables is
   * known when a chain has begun. `gone` ends it early.
   */
  async follow(
    making: FitInTheMaking,
    following: Following,
    gone: AbortSignal,
  ): Promise<AsyncGenerator<Uint8Array> | undefined> {
    const shared = this.share(making);
    const slices = this.slices(making, shared, following, gone);
    // Once it has begun, its end takes care of what it holds.
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

  /** An empty slice when it is known that all is right, then what has come. */
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
        if (sizes.state === 'given up') throw new GivenUp('the fit that was followed was given up');
      }
    } finally {
      await this.leave(making, shared);
    }
  }

  private async hasBegun(making: FitInTheMaking, place: Place, form: LiveForm, sizes: JournalSizes): Promise<boolean> {
    const piece = await this.piece(making, place, form, sizes);
    return piece !== undefined && piece.to > 0;
  }

  /** Undefined when nothing more has come. */
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

  /** The part of a piece from which a follower is given the next slice. */
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
  /** The journal's bytes when it was asked for. */
  readonly size: number;
  readonly rendering: Promise<Followed>;
  bytes: number;
}

/** Pieces that were asked for last, those that are still being rendered included. */
class RecentPieces {
  private readonly limit: number;
  /** The one that was asked for last at the end. */
  private readonly known = new Map<string, Remembered>();
  private bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** A piece of a journal that has this size now. */
  async get(job: FollowJob, size: number, render: () => Promise<Followed>): Promise<Followed> {
    const key = JSON.stringify([job.journal.file, job.form, job.from, job.skip]);
    const known = this.known.get(key) ?? this.add(key, job, size, render);
    this.known.delete(key);
    this.known.set(key, known);
    const followed = await known.rendering;
    const isEmpty = followed.kind === 'followed' && followed.to === job.from;
    if (!isEmpty || known.size >= size) return followed;
    // The record was not whole then.
    if (this.known.get(key) === known) this.remove(key, known);
    return this.get(job, size, render);
  }

  /** Forgets what is known of a journal. */
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

/** Limits the bytes taken in one iteration of the event loop; further requests wait for the next one. */
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
