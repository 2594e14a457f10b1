import { keyNames } from '../actions/actions.js';
import { share } from '../actions/share.js';
import { cancelRun, startRun } from '../run/running.js';
import { isOver } from '../state/run.js';
import { currentRun, update, updateProject, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { PlaceSwitch } from './PlaceSwitch.js';
import { ProjectsMenu } from './ProjectsMenu.js';
import { ShareMenu } from './ShareMenu.js';

/** The header of an embedded page. */
export function EmbeddedHeader() {
  const name = useStore(({ project }) => project.name);
  return (
    <header className="header">
      <h1 className="project-title">{name}</h1>
      <span className="space" />
      <button type="button" className="quiet" onClick={() => void share('openWhole')}>
        {t('frame.openWhole')}
      </button>
      <RunButton />
    </header>
  );
}

export function Header() {
  const name = useStore(({ project }) => project.name);
  return (
    <header className="header">
      <h1>
        <img className="logo" src="./icon.svg" alt="Leapfrog" width={24} height={24} />
      </h1>
      <input
        className="project-name"
        aria-label={t('frame.projectName')}
        value={name}
        onChange={({ target }) => updateProject({ name: target.value })}
        onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
      />
      <nav className="menus" aria-label={t('frame.menus')}>
        <ProjectsMenu />
        <button type="button" className="quiet menu-button" onClick={() => update({ overlay: 'examples' })}>
          {t('frame.examples')}
        </button>
        <ShareMenu />
      </nav>
      <span className="space" />
      <PlaceSwitch />
      <RunButton />
    </header>
  );
}

function RunButton() {
  const run = useStore(currentRun);
  const isEmpty = useStore(({ project }) => project.program.trim() === '');
  const isRunning = run !== undefined && !isOver(run);
  if (isRunning) {
    return (
      <button type="button" className="primary run" onClick={() => cancelRun(run.id)}>
        <span aria-hidden="true">■</span> {t('frame.cancel')}
      </button>
    );
  }
  return (
    <button type="button" className="primary run" disabled={isEmpty} onClick={() => startRun()}>
      <span aria-hidden="true">▶</span> {t('frame.run')} <kbd>{keyNames('Mod+Enter').join(' ')}</kbd>
    </button>
  );
}
