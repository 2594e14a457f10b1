import { useEffect } from 'react';
import { formatProgram } from '../language/analysis.js';
import { startRun } from '../run/running.js';
import { update, useStore } from '../state/store.js';
import { Header } from './Header.js';
import { LookPane } from './look/LookPane.js';
import { SplitView } from './SplitView.js';
import { StatusBar } from './StatusBar.js';
import { WritePane } from './write/WritePane.js';

export function App() {
  useEffect(() => {
    // Before anything that has the focus and knows Enter, too.
    addEventListener('keydown', onKey, true);
    return () => removeEventListener('keydown', onKey, true);
  }, []);
  const side = useStore(({ side }) => side);
  return (
    <div className="page" data-side={side}>
      <Header />
      <SplitView left={<WritePane />} right={<LookPane />} />
      <StatusBar />
      <SideSwitch />
    </div>
  );
}

/** Keys that work everywhere. */
function onKey(event: KeyboardEvent): void {
  if (event.isComposing) return;
  const isCommand = event.metaKey || event.ctrlKey;
  if (isCommand && event.key === 'Enter') {
    take(event);
    void startRun();
  } else if (isCommand && event.key === 's') {
    take(event);
    void formatProgram();
  } else if (event.key === 'F6') {
    take(event);
    focusNextPane(event.shiftKey ? -1 : 1);
  }
}

function take(event: KeyboardEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

const PANES = ['.header', '.write', '.settings', '.look', '.status'];

function focusNextPane(step: number): void {
  const panes = PANES.flatMap((selector) => {
    const found = document.querySelector<HTMLElement>(selector);
    return found === null || found.offsetParent === null ? [] : [found];
  });
  const current = panes.findLastIndex((pane) => pane.contains(document.activeElement));
  const next = panes[(current + step + panes.length) % panes.length];
  next?.querySelector<HTMLElement>('.editor, button:not([disabled]), input, select, a, [tabindex="0"]')?.focus();
}

/** Narrow pages show one half at a time. */
function SideSwitch() {
  const side = useStore(({ side }) => side);
  return (
    <nav className="sides" aria-label="Half of the page">
      <button type="button" aria-pressed={side === 'left'} onClick={() => update({ side: 'left' })}>
        Write
      </button>
      <button type="button" aria-pressed={side === 'right'} onClick={() => update({ side: 'right' })}>
        Look
      </button>
    </nav>
  );
}
