import { lazy, Suspense, useEffect, useRef } from 'react';
import { isPossible } from '../actions/action.js';
import { actionOf } from '../actions/actions.js';
import { takeTransfer } from '../actions/taking.js';
import { reasonOf } from '../reasons.js';
import { isEmbedded } from '../state/embedded.js';
import { notify, update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { Banner } from './Banner.js';
import { Boundary } from './Boundary.js';
import { EmbeddedHeader, Header } from './Header.js';
import { LookPane } from './look/LookPane.js';
import { Notice } from './Notice.js';
import { Overlays } from './overlays/Overlays.js';
import { SplitView } from './SplitView.js';
import { StatusBar } from './StatusBar.js';
import { WritePane } from './write/WritePane.js';

const Tour = lazy(async () => ({ default: (await import('./Tour.js')).Tour }));

export function App() {
  useEffect(() => {
    // Handled before the focused element, which may also handle Enter.
    addEventListener('keydown', onKey, true);
    addEventListener('dragover', onDragOver);
    addEventListener('drop', onDrop, true);
    addEventListener('paste', onPaste, true);
    return () => {
      removeEventListener('keydown', onKey, true);
      removeEventListener('dragover', onDragOver);
      removeEventListener('drop', onDrop, true);
      removeEventListener('paste', onPaste, true);
    };
  }, []);
  const side = useStore(({ side }) => side);
  const language = useStore(({ language }) => language);
  const shown = useRef(language);
  useEffect(() => {
    // The views of the previous language have taken the focus with them.
    if (language !== shown.current && document.activeElement === document.body)
      document.querySelector<HTMLElement>('.language')?.focus();
    shown.current = language;
  }, [language]);
  const id = useStore(({ project }) => project.id);
  const overlay = useStore(({ overlay }) => overlay);
  const isTouring = useStore(({ tourStop }) => tourStop !== undefined);
  return (
    // The views are created again in another language, because some of them keep texts.
    <div key={language} className={isEmbedded ? 'page embedded' : 'page'} data-side={side}>
      <Boundary of={id}>{isEmbedded ? <EmbeddedHeader /> : <Header />}</Boundary>
      <div className="middle">
        <Banner />
        <SplitView
          left={
            <Boundary of={id}>
              <WritePane />
            </Boundary>
          }
          right={
            <Boundary of={id}>
              <LookPane />
            </Boundary>
          }
        />
      </div>
      {!isEmbedded && (
        <Boundary of={id}>
          <StatusBar />
        </Boundary>
      )}
      <SideSwitch />
      <Notice />
      {isTouring && (
        <Suspense>
          <Tour />
        </Suspense>
      )}
      <Boundary of={overlay} onFailure={closeFailed}>
        <Overlays />
      </Boundary>
    </div>
  );
}

/** Closes a window that failed, which would lie below the page. */
function closeFailed(error: unknown): void {
  update({ overlay: undefined });
  notify(t('frame.overlayFailed', { reason: reasonOf(error) }));
}

/** Global keys, except while a window over the page is open. */
function onKey(event: KeyboardEvent): void {
  if (event.isComposing || useStore.getState().overlay !== undefined) return;
  const action = actionOf(event);
  if (action === undefined) return;
  event.preventDefault();
  event.stopPropagation();
  if (isPossible(action, useStore.getState())) action.act();
}

/** Files can be dropped anywhere. */
function onDragOver(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files') === true) event.preventDefault();
}

function onDrop(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files') !== true) return;
  event.preventDefault();
  event.stopPropagation();
  void takeTransfer(event.dataTransfer);
}

/** Files can be pasted anywhere; text is pasted at the cursor. */
function onPaste(event: ClipboardEvent): void {
  const { clipboardData } = event;
  if (clipboardData === null || clipboardData.files.length === 0 || clipboardData.types.includes('text/plain')) return;
  event.preventDefault();
  event.stopPropagation();
  void takeTransfer(clipboardData);
}

/** Narrow pages show one half at a time. */
function SideSwitch() {
  const side = useStore(({ side }) => side);
  return (
    <nav className="sides" aria-label={t('frame.halves')}>
      <button type="button" aria-pressed={side === 'left'} onClick={() => update({ side: 'left' })}>
        {t('frame.write')}
      </button>
      <button type="button" aria-pressed={side === 'right'} onClick={() => update({ side: 'right' })}>
        {t('frame.look')}
      </button>
    </nav>
  );
}
