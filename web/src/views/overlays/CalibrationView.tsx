import type { Calibration } from 'leapfrog';
import { useState } from 'react';
import { leastUniform, rankDifferences, rankHistogram } from '#engine/plots/calibration.js';
import { FEWEST_SIMULATIONS, MOST_SIMULATIONS, USUAL_SIMULATIONS } from '#engine/requests/calibration-request.js';
import { cancelCalibration, startCalibration } from '../../run/calibrating.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { Advice } from '../look/Advice.js';
import { Figure } from '../look/Figure.js';
import { Term } from '../Term.js';
import { CloseButton, Overlay } from './Overlay.js';

/** Parameters whose ranks are plotted, those that differ most from uniform ones. */
const MOST_PLOTTED = 8;

/** Simulation-based calibration of the current program. It continues when the window is closed. */
export function CalibrationView() {
  const calibration = useStore(({ calibration }) => calibration);
  const [count, setCount] = useState(calibration?.simulations ?? USUAL_SIMULATIONS);
  const isRunning = calibration?.isRunning === true;
  return (
    <Overlay label={t('calibration.label')}>
      <h2>
        {t('calibration.title')}
        <Term name="sbc" label={t('calibration.title')} />
      </h2>
      <p className="muted">{t('calibration.help')}</p>
      <form
        className="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          void startCalibration(count);
        }}
      >
        <label className="inline-field">
          {t('calibration.simulations')}{' '}
          <input
            type="number"
            min={FEWEST_SIMULATIONS}
            max={MOST_SIMULATIONS}
            value={count}
            disabled={isRunning}
            onChange={({ target }) => setCount(target.valueAsNumber)}
          />
        </label>
        {isRunning ? (
          // With one key for both, React would reuse the element, and the click on Cancel would submit the form.
          <button key="cancel" type="button" onClick={cancelCalibration}>
            {t('frame.cancel')}
          </button>
        ) : (
          <button key="start" type="submit" className="primary">
            {t('calibration.start')}
          </button>
        )}
        <CloseButton />
      </form>
      {calibration !== undefined && isRunning && (
        <p role="status">
          <progress max={calibration.simulations} value={calibration.done} aria-label={t('calibration.simulations')} />{' '}
          {calibration.done === 0
            ? t('calibration.drawing')
            : t('calibration.progress', { done: calibration.done, count: calibration.simulations })}
        </p>
      )}
      {calibration?.problem !== undefined && <p className="wrong">{calibration.problem}</p>}
      {calibration?.result !== undefined && <Result calibration={calibration.result} />}
    </Overlay>
  );
}

function Result({ calibration }: { readonly calibration: Calibration }) {
  const { band, greatestRank, ok, places, quantities } = calibration;
  const shown = leastUniform(quantities, MOST_PLOTTED);
  return (
    <section aria-label={t('calibration.result')}>
      <h3 className={ok ? '' : 'wrong'}>{t(ok ? 'calibration.good' : 'calibration.bad')}</h3>
      <Advice of={calibration} />
      <div className="figures calibrated">
        {shown.flatMap((each) => [
          <Figure
            key={`${each.name} differences`}
            height={150}
            plot={(size) => rankDifferences({ ...each, band, places }, size)}
            version={calibration}
          />,
          <Figure
            key={`${each.name} ranks`}
            height={150}
            plot={(size) => rankHistogram({ ...each, greatestRank }, size)}
            version={calibration}
          />,
        ])}
      </div>
      {shown.length < quantities.length && (
        <p className="muted">{t('calibration.plotted', { shown: shown.length, count: quantities.length })}</p>
      )}
    </section>
  );
}
