import type { Calibration } from 'leapfrog';
import { useState } from 'react';
import { rankDifferences, rankHistogram } from '#engine/plots/calibration.js';
import { cancelCalibration, startCalibration } from '../../run/calibrating.js';
import { useStore } from '../../state/store.js';
import { Figure } from '../look/Figure.js';
import { closeOverlay, Overlay } from './Overlay.js';

const USUAL = 100;
/** Parameters whose ranks are plotted, those that differ most from uniform ones. */
const MOST_PLOTTED = 8;

/** Simulation-based calibration of the current program. It continues when the window is closed. */
export function CalibrationView() {
  const calibration = useStore(({ calibration }) => calibration);
  const [count, setCount] = useState(calibration?.simulations ?? USUAL);
  const isRunning = calibration?.isRunning === true;
  return (
    <Overlay label="Calibration">
      <h2>Simulation-based calibration</h2>
      <p className="muted">
        Draws parameters from the prior, simulates data sets, and fits each of them with the current sampler. If the
        program and the sampler are right, the ranks of the parameters among the draws of their fits are uniform. Values
        of outcomes in the data only determine their sizes.
      </p>
      <form
        className="buttons"
        onSubmit={(event) => {
          event.preventDefault();
          void startCalibration(count);
        }}
      >
        <label className="inline-field">
          Simulations{' '}
          <input
            type="number"
            min={10}
            max={10_000}
            value={count}
            disabled={isRunning}
            onChange={({ target }) => setCount(target.valueAsNumber)}
          />
        </label>
        {isRunning ? (
          // With one key for both, React would reuse the element, and the click on Cancel would submit the form.
          <button key="cancel" type="button" onClick={cancelCalibration}>
            Cancel
          </button>
        ) : (
          <button key="start" type="submit" className="primary">
            Calibrate
          </button>
        )}
        <button type="button" onClick={closeOverlay}>
          Close
        </button>
      </form>
      {calibration !== undefined && isRunning && (
        <p role="status">
          <progress max={calibration.simulations} value={calibration.done} aria-label="Simulations" />{' '}
          {calibration.done === 0
            ? 'Drawing from the prior…'
            : `${calibration.done} of ${calibration.simulations} simulations`}
        </p>
      )}
      {calibration?.problem !== undefined && <p className="wrong">{calibration.problem}</p>}
      {calibration?.result !== undefined && <Result calibration={calibration.result} />}
    </Overlay>
  );
}

function Result({ calibration }: { readonly calibration: Calibration }) {
  const { band, greatestRank, message, ok, places, quantities } = calibration;
  const least = quantities.toSorted((a, b) => a.probability - b.probability).slice(0, MOST_PLOTTED);
  const shown = quantities.filter((each) => least.includes(each));
  return (
    <section aria-label="Result of the calibration">
      <h3 className={ok ? '' : 'wrong'}>{ok ? 'No miscalibration was found' : 'The fits are not calibrated'}</h3>
      <p>{message}</p>
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
        <p className="muted">
          {shown.length} of {quantities.length} parameters are plotted, those whose ranks differ most from uniform ones.
        </p>
      )}
    </section>
  );
}
