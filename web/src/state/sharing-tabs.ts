/**
 * Tabs that have the same project open. One tab writes it: the one that holds the project's lock (Web Locks API). The
 * others follow its changes through a channel, and take over when it is closed or when the user chooses to. Without these
 * interfaces, each tab writes, and `keeping.ts` stores a conflicting version as a copy.
 */
import { isEmbedded } from './embedded.js';
import { keptRuns } from './kept-runs.js';
import type { Project } from './project.js';
import { update, useStore } from './store.js';
import { unsettled } from './unsettled.js';
import { write } from './writing.js';

const NAME = 'leapfrog.project';

export const canShare: boolean = !isEmbedded && 'locks' in navigator && 'BroadcastChannel' in globalThis;

type Message =
  /** From a tab that has opened the project, to the one that writes it. */
  | { readonly kind: 'opened'; readonly id: string }
  | { readonly kind: 'changed'; readonly id: string; readonly change: Partial<Project> }
  | { readonly kind: 'runs changed'; readonly id: string }
  /** From a tab that has moved the project to the trash, or has restored it. */
  | { readonly kind: 'deleted' | 'restored'; readonly id: string }
  /** From a tab that has obtained the lock. */
  | { readonly kind: 'writing'; readonly id: string }
  | { readonly kind: 'take over'; readonly id: string }
  /** The writing tab has stored its changes, and accepts no more. */
  | { readonly kind: 'yielded'; readonly id: string };

/** Milliseconds after which a tab that does not answer counts as suspended. */
const PATIENCE = 1500;

/** The claim of this tab to the open project. */
interface Claim {
  readonly id: string;
  /** Aborting it leaves the queue for the lock. */
  queued: AbortController;
  isHeld: boolean;
  /** Whether another tab has asked for the changes. */
  hasFollowers: boolean;
  /** Releases the lock. */
  release: () => void;
  /** Called when this tab holds the lock, or knows that another one does. */
  decide: () => void;
  /** Called when the writing tab has stored its changes. */
  onYielded: () => void;
}

let claim: Claim | undefined;
let storeNow: () => Promise<void> = async () => undefined;
const channel = canShare ? new BroadcastChannel(NAME) : undefined;

function post(message: Message): void {
  channel?.postMessage(message);
}

/** Follows messages and changes. `store` stores the open project at once. */
export function watchTabs(store: () => Promise<void>): void {
  storeNow = store;
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => void receive(data));
  useStore.subscribe(({ project }, { project: before }) => {
    if (claim?.hasFollowers !== true || !claim.isHeld || project === before || project.id !== claim.id) return;
    post({ kind: 'changed', id: project.id, change: changesOf(project, before) });
  });
}

function changesOf(project: Project, before: Project): Partial<Project> {
  const names = new Set([...Object.keys(project), ...Object.keys(before)] as (keyof Project)[]);
  const changed = [...names].filter((name) => project[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, project[name]]));
}

/** Gives up the previous project, and claims another one. Resolves when it is known whether this tab writes it. */
export async function claimProject(id: string): Promise<void> {
  if (!canShare) return;
  claim?.queued.abort();
  claim?.release();
  const nothing = () => undefined;
  const queued = new AbortController();
  const own: Claim = {
    id,
    queued,
    isHeld: false,
    hasFollowers: false,
    release: nothing,
    decide: nothing,
    onYielded: nothing,
  };
  claim = own;
  await within(PATIENCE, (resolve) => {
    own.decide = resolve;
    void queue(own);
    post({ kind: 'opened', id });
  });
  // The lock belongs to a tab that does not answer, perhaps a suspended one.
  if (claim === own && !own.isHeld) update({ isFollowing: true });
}

/** Waits for the lock, and holds it until it is released or another tab takes it. */
async function queue(own: Claim, steal = false): Promise<void> {
  const { signal } = own.queued;
  try {
    await navigator.locks.request(`${NAME}.${own.id}`, steal ? { steal } : { signal }, () => {
      if (claim !== own || useStore.getState().isDeleted) return undefined;
      own.isHeld = true;
      const held = new Promise<void>((resolve) => {
        own.release = resolve;
      });
      if (useStore.getState().isFollowing) {
        update({ isFollowing: false });
        void refreshRuns(own.id);
      }
      own.decide();
      post({ kind: 'writing', id: own.id });
      return held;
    });
  } catch {
    // Another tab has taken the lock, or this one has left the queue.
    if (claim !== own || signal.aborted) return;
    own.isHeld = false;
    update({ isFollowing: true });
    void queue(own);
    post({ kind: 'opened', id: own.id });
  }
}

async function receive(message: Message): Promise<void> {
  const own = claim;
  if (own === undefined || message.id !== own.id) return;
  switch (message.kind) {
    case 'opened':
      if (!own.isHeld) return;
      own.hasFollowers = true;
      post({ kind: 'changed', id: own.id, change: useStore.getState().project });
      return;
    case 'changed':
      if (own.isHeld) return;
      if (!useStore.getState().isFollowing) void refreshRuns(own.id);
      update(({ project }) => ({ isFollowing: true, project: { ...project, ...message.change } }));
      own.decide();
      return;
    case 'runs changed':
      await refreshRuns(own.id);
      return;
    case 'deleted': {
      const { isHeld } = own;
      leaveDeleted();
      // This tab has changes, or has stored the project as soon as its lock was free.
      const { project } = useStore.getState();
      if (isHeld) await write((kept) => kept.put('projects', { ...project, deletedAt: Date.now() }));
      return;
    }
    case 'restored':
      if (!useStore.getState().isDeleted) return;
      update({ isDeleted: false });
      await claimProject(own.id);
      return;
    case 'writing':
      if (!own.isHeld) post({ kind: 'opened', id: own.id });
      return;
    case 'take over':
      if (!own.isHeld) return;
      await storeNow();
      update({ isFollowing: true });
      post({ kind: 'yielded', id: own.id });
      return;
    case 'yielded':
      own.onYielded();
      return;
  }
}

/** Makes this tab the one that writes the project, after the other one has stored its changes. */
export async function takeOver(): Promise<void> {
  const own = claim;
  if (own === undefined || own.isHeld || useStore.getState().isDeleted) return;
  await within(PATIENCE, (resolve) => {
    own.onYielded = resolve;
    post({ kind: 'take over', id: own.id });
  });
  if (claim !== own || own.isHeld) return;
  own.queued.abort();
  own.queued = new AbortController();
  await new Promise<void>((resolve) => {
    own.decide = resolve;
    void queue(own, true);
  });
}

/** Stops writing the open project, because it is in the trash. Nothing in this tab changes it until it is restored. */
export function leaveDeleted(): void {
  claim?.queued.abort();
  claim?.release();
  if (claim !== undefined) claim.isHeld = false;
  update({ isDeleted: true, isFollowing: true });
}

/** Notifies other tabs that a project was moved to the trash or was restored. */
export function announceProject(id: string, kind: 'deleted' | 'restored'): void {
  post({ kind, id });
}

/** Notifies other tabs that a run of a project was stored, deleted or restored. */
export function announceRuns(id: string | undefined): void {
  if (id !== undefined) post({ kind: 'runs changed', id });
}

/** Adds runs that other tabs have stored, and removes those that they have deleted. */
async function refreshRuns(id: string): Promise<void> {
  const kept = await keptRuns(id, true);
  update(({ project, runId, runs }) => {
    if (project.id !== id) return {};
    const going = runs.filter((run) => unsettled.has(run.id));
    const others = kept.filter((run) => !going.some((each) => each.id === run.id));
    const all = [...going, ...others].toSorted((a, b) => b.number - a.number);
    return { runs: all, runId: all.some((run) => run.id === runId) ? runId : all[0]?.id };
  });
}

/** Waits until `begin` has its callback called, but at most for a number of milliseconds. */
function within(milliseconds: number, begin: (resolve: () => void) => void): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    begin(resolve);
  });
}
