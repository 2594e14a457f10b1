import { openLanguage } from './state/language.js';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/settings.css';
import './styles/narrow.css';
import './styles/lessons.css';
import './styles/cards.css';
import './styles/data.css';
import './styles/running.css';
import './styles/verdict.css';
import './styles/tables.css';
import './styles/figures.css';
import './styles/predictive.css';
import './styles/sliders.css';
import './styles/runs.css';
import './styles/compare.css';
import './styles/script.css';
import './styles/overlays.css';
import './styles/embedded.css';
import './styles/print.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { openLinked } from './actions/opening-links.js';
import { watchData } from './data/checking.js';
import { keepForOffline } from './files/offline.js';
import { watchProgram } from './language/analysis.js';
import { watchReports } from './run/compiled.js';
import { findServer } from './run/reaching-server.js';
import { openKept } from './state/keeping.js';
import { watchOpening } from './state/opening-marks.js';
import { App } from './views/App.js';
import { Boundary } from './views/Boundary.js';

await openLanguage();
await openKept();
watchOpening();
watchReports();
watchProgram();
watchData();
void findServer();
openLinked();
keepForOffline();
const page = document.getElementById('page');
if (page !== null)
  createRoot(page).render(
    <StrictMode>
      <Boundary>
        <App />
      </Boundary>
    </StrictMode>,
  );
