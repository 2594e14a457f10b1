/** Stores the page across reloads: projects in IndexedDB, the layout in local storage. */
import type { OpenedFiles } from '../share/project-files.js';
import { t } from '../words/messages.js';
import { database } from './database.js';
import { areDrawsStored, keepLinked, keepUnstoredDraws, keepWithProject, keptRuns } from './kept-runs.js';
import { duplicateProject, firstSide, openProject } from './opening.js';
import { markOpening } from './opening-marks.js';
import { emptyProject, type Project, withSeed } from './project.js';
import { canShare, claimProject, leaveDeleted, watchTabs } from './sharing-tabs.js';
import { notify, type PageState, type Theme, update, useStore } from './store.js';
import { isTourNew } from './tour.js';
import { DAYS_KEPT, emptyTrash } from './trash.js';
import { reportUnstored } from './writing.js';

const LOOK = 'leapfrog.look';
type Look = Pick<PageState, 'theme' | 'ratio' | 'place'>;
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

/** Opens the most recent project and the layout; a new project and the default layout if the browser stores nothing. */
export async function openKept(): Promise<void> {
  update({ ...readLook(), isTourOffered: isTourNew() });
  applyTheme();
  const linked = await linkedProject();
  if (linked !== undefined) {
    const { project, runs } = linked;
    const side = runs.length > 0 ? 'right' : firstSide(project);
    update({ project: withSeed(project), runs, runId: runs[0]?.id, saved: 'link', side });
    keepChanges();
    void claimProject(project.id);
    return;
  }
  let project: Project;
  try {
    project = withSeed((await allKept())[0] ?? emptyProject());
  } catch (error) {
    update({ project: emptyProject() });
    void reportUnstored(error);
    keepChanges();
    return;
  }
  update({ project, side: firstSide(project) });
  keepChanges();
  await claimProject(project.id);
  const { isFollowing } = useStore.getState();
  const runs = await keptRuns(project.id, isFollowing);
  // In another tab, the project may be opening at this moment.
  const isSafe = markOpening(project.id) && !isFollowing;
  update({ isSafe, runs, ...(!isSafe && { runId: runs[0]?.id }) });
  void emptyTrash(DAYS_KEPT).catch(() => undefined);
}

/** The project in the page's address, with its runs. It stays in the address, across reloads, until it is stored. */
async function linkedProject(): Promise<OpenedFiles | undefined> {
  if (!/^#(?:project|results)=/.test(location.hash)) return undefined;
  const { projectIn } = await import('../share/link.js');
  const linked = await projectIn(location.hash);
  if (linked === undefined) {
    clearAddress();
    notify(t('files.linkDamaged'));
    return undefined;
  }
  keepWithProject(linked.runs);
  return linked;
}

function clearAddress(): void {
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
}

/** Handles a link that is pasted into the address of an open page. */
async function onAddress(): Promise<void> {
  const linked = await linkedProject();
  if (linked === undefined) return;
  const { project, runs } = linked;
  openProject(project, 'link');
  if (runs.length > 0) update({ runs, runId: runs[0]?.id, side: 'right' });
}

export async function keptProjects(): Promise<readonly Project[]> {
  try {
    return await allKept();
  } catch {
    return [];
  }
}

/** All stored projects, latest first, without those in the trash. */
async function allKept(): Promise<readonly Project[]> {
  const projects = await (await database()).getAllFromIndex('projects', 'savedAt');
  return projects.filter(({ deletedAt }) => deletedAt === undefined).reverse();
}

/** Milliseconds after the last change. */
const QUIET = 400;

function keepChanges(): void {
  watchTabs(keepProject);
  addEventListener('hashchange', () => void onAddress());
  addEventListener('pagehide', () => useStore.getState().saved === 'saving' && void keepProject());
  let timer: ReturnType<typeof setTimeout> | undefined;
  useStore.subscribe((state, before) => {
    const { theme, ratio, place } = state;
    if (theme !== before.theme || ratio !== before.ratio || place !== before.place) {
      localStorage.setItem(LOOK, JSON.stringify({ theme, ratio, place } satisfies Look));
      applyTheme();
    }
    const isOther = state.project.id !== before.project.id;
    const isTakenOver = !isOther && before.isFollowing && !state.isFollowing;
    if (state.project === before.project && !isTakenOver) return;
    clearTimeout(timer);
    if (isOther && before.saved === 'saving') void keep(before.project);
    if (isOther && state.saved === 'link') return;
    if (state.isFollowing) return;
    clearAddress();
    const isEmpty = isUntouched(state.project);
    if (state.saved !== 'full') update({ saved: isEmpty ? 'saved' : 'saving' });
    if (isEmpty) return;
    // The project that was opened last opens with the page, even after an immediate reload.
    if (isOther) void keepProject();
    else timer = setTimeout(keepProject, QUIET);
  });
}

/** Stores the current project at once, unless another tab writes it. */
export async function keepProject(): Promise<void> {
  const { isFollowing, project } = useStore.getState();
  if (!isFollowing) await keep(project);
}

/** Tries again to store the project and the draws that could not be stored. */
export async function keepAgain(): Promise<void> {
  await keepUnstoredDraws();
  await keepProject();
}

async function keep(project: Project): Promise<void> {
  if (isUntouched(project)) return;
  try {
    const kept = (await database()).transaction('projects', 'readwrite');
    const savedAt = Date.now();
    // With locks, nothing is awaited before the project is stored: the page may be closing.
    const stored = canShare ? undefined : await kept.store.get(project.id);
    if (stored?.deletedAt !== undefined) {
      if (useStore.getState().project.id === project.id) leaveDeleted();
      return;
    }
    if (isNewer(project, stored)) {
      keepAsCopy(project);
      return;
    }
    keptAt.set(project.id, savedAt);
    const put = kept.store.put({ ...project, savedAt });
    // Closing the page would now abort an uncommitted transaction.
    kept.commit();
    await Promise.all([put, kept.done]);
    void keepLinked();
    if (useStore.getState().project !== project) return;
    clearAddress();
    update({ saved: 'saved', ...(areDrawsStored() && { storageFault: undefined }) });
  } catch (error) {
    await reportUnstored(error);
  }
}

/** When this tab stored projects, by id; needed if tabs cannot lock them. */
const keptAt = new Map<string, number>();

/** Whether another tab has stored the project since this one opened or stored it. */
function isNewer({ id, savedAt }: Project, stored: Project | undefined): boolean {
  return stored !== undefined && stored.savedAt > (keptAt.get(id) ?? savedAt);
}

/** Stores a version that conflicts with the stored one as another project. */
function keepAsCopy(project: Project): void {
  if (useStore.getState().project.id !== project.id) return;
  duplicateProject();
  notify(t('frame.conflict'));
}

function isUntouched({ about, program, data, script = '' }: Project): boolean {
  return about === '' && script.trim() === '' && program.trim() === '' && (data.trim() === '' || data.trim() === '{}');
}

function readLook(): Partial<Look> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(LOOK) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return {};
    const theme = 'theme' in kept ? THEMES.find((each) => each === kept.theme) : undefined;
    const ratio = 'ratio' in kept && typeof kept.ratio === 'number' ? kept.ratio : undefined;
    const place = 'place' in kept && kept.place === 'server' ? 'server' : 'browser';
    return {
      place,
      ...(theme && { theme }),
      ...(ratio !== undefined && { ratio: Math.min(0.8, Math.max(0.2, ratio)) }),
    };
  } catch {
    return {};
  }
}

function applyTheme(): void {
  const { theme } = useStore.getState();
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
