import { lazy, Suspense } from 'react';
import { useStore } from '../../state/store.js';
import { Palette } from './Palette.js';

const KeysHelp = lazy(async () => ({ default: (await import('./KeysHelp.js')).KeysHelp }));
const AboutView = lazy(async () => ({ default: (await import('./AboutView.js')).AboutView }));
const ExamplesView = lazy(async () => ({ default: (await import('./ExamplesView.js')).ExamplesView }));
const CodeView = lazy(async () => ({ default: (await import('./CodeView.js')).CodeView }));
const TableView = lazy(async () => ({ default: (await import('./TableView.js')).TableView }));
const TokenView = lazy(async () => ({ default: (await import('./TokenView.js')).TokenView }));
const LinkedView = lazy(async () => ({ default: (await import('./LinkedView.js')).LinkedView }));
const CalibrationView = lazy(async () => ({ default: (await import('./CalibrationView.js')).CalibrationView }));
const QrView = lazy(async () => ({ default: (await import('./QrView.js')).QrView }));
const RunsView = lazy(async () => ({ default: (await import('./RunsView.js')).RunsView }));
const EnlargedView = lazy(async () => ({ default: (await import('./EnlargedView.js')).EnlargedView }));
const ProfileView = lazy(async () => ({ default: (await import('./ProfileView.js')).ProfileView }));

/** The window over the page that is open, if one is. */
export function Overlays() {
  const overlay = useStore(({ overlay }) => overlay);
  return (
    <Suspense fallback={null}>
      {overlay === 'palette' && <Palette />}
      {overlay === 'keys' && <KeysHelp />}
      {overlay === 'about' && <AboutView />}
      {overlay === 'examples' && <ExamplesView />}
      {overlay === 'code' && <CodeView />}
      {overlay === 'token' && <TokenView />}
      {overlay === 'linked' && <LinkedView />}
      {overlay === 'table' && <TableView />}
      {overlay === 'calibration' && <CalibrationView />}
      {overlay === 'qr' && <QrView />}
      {overlay === 'runs' && <RunsView />}
      {overlay === 'enlarged' && <EnlargedView />}
      {overlay === 'profile' && <ProfileView />}
    </Suspense>
  );
}
