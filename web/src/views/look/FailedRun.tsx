import { failedStart } from '#engine/chain/failed-start.js';
import { argumentsOf } from '#engine/requests/functions.js';
import { jumpToLine } from '../../language/editors.js';
import { algorithmOf } from '../../run/functions.js';
import type { Run } from '../../state/run.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';
import { showArgument, showInitialValues } from '../write/showing-arguments.js';

/** Why a run failed. If no initial value was accepted: the reason, and what can help. */
export function FailedRun({ run }: { readonly run: Run }) {
  const start = failedStart(run.log.map(({ text }) => text));
  const isCurrent = useStore(({ project }) => project.program === run.source.program);
  const at = start?.at;
  return (
    <div className="verdict">
      <h2 className="headline wrong">{t('runs.headlineFailed')}</h2>
      {start !== undefined && <p className="prose">{t('runs.startRejected', { count: start.count })}</p>}
      <pre className="message" lang="en">
        {start?.reason ?? run.message}
      </pre>
      {start?.isConstant === true && <p className="prose">{t('runs.constantArgument')}</p>}
      {at !== undefined && isCurrent && (
        <div className="buttons">
          <button type="button" onClick={() => jumpToLine(at)}>
            {t('runs.goToLine', { line: at.line })}
          </button>
        </div>
      )}
      {isWithoutStart(run) && start?.isConstant !== true && <WaysToStart />}
    </div>
  );
}

/** Whether a run ended because no initial value had a finite density. */
function isWithoutStart({ log, message = '' }: Run): boolean {
  return /initialization failed/i.test(message) || log.some(({ text }) => text.startsWith('Initialization between'));
}

function WaysToStart() {
  const algorithm = useStore(({ project }) => algorithmOf(project.settings));
  const hasRadius = argumentsOf(algorithm).some(({ name }) => name === INITIAL_RADIUS);
  return (
    <>
      <p className="prose">{rich('runs.noStart', { radius: INITIAL_RADIUS })}</p>
      <div className="buttons">
        {algorithm.inputs.includes('init') && (
          <button type="button" onClick={showInitialValues}>
            {t('runs.setInitialValues')}
          </button>
        )}
        {hasRadius && (
          <button type="button" onClick={() => showArgument(INITIAL_RADIUS)}>
            {t('runs.change', { name: INITIAL_RADIUS })}
          </button>
        )}
      </div>
    </>
  );
}

const INITIAL_RADIUS = 'init_radius';
