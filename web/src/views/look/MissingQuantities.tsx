import { useEffect, useState } from 'react';
import type { Missing } from '#engine/analysis/generated-quantities.js';
import { LOG_LIKELIHOOD } from '#engine/run/cross-validation.js';
import { simulatedVariables } from '#engine/run/predictions.js';
import { addMissingQuantities, missingQuantities } from '../../language/missing-quantities.js';
import { startRun } from '../../run/running.js';
import { notify, useStore } from '../../state/store.js';

/** Missing quantities for checks of predictions, and the lines that would add them to the program. */
export function MissingQuantities({
  lacksSimulations,
  lacksTerms,
  unclear,
}: {
  lacksSimulations: boolean;
  lacksTerms: boolean;
  /** Why quantities cannot be derived from the program. */
  unclear: readonly string[];
}) {
  const missing = useMissing();
  const generated = useStore(({ report }) => report?.info?.['generated quantities']);
  const names = Object.keys(generated ?? {});
  const isThere =
    (!lacksSimulations || simulatedVariables(names).length > 0) && (!lacksTerms || names.includes(LOG_LIKELIHOOD));
  if (!lacksSimulations && !lacksTerms) return null;
  return (
    <section className="empty" aria-label="What is missing">
      {lacksSimulations && (
        <p>
          Predictive checks compare data with simulations of them. They need a generated quantity that simulates a data
          variable, of the same size: <code>y_rep</code> for <code>y</code>.
        </p>
      )}
      {lacksTerms && (
        <p>
          Leave-one-out cross-validation estimates how well each observation is predicted from all others. It needs the
          log likelihood of each as a generated quantity: <code>log_lik</code>.
        </p>
      )}
      {unclear.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {isThere ? (
        <>
          <p>The program computes them now, but this run was made before the change.</p>
          <button type="button" className="primary" onClick={() => void startRun()}>
            Run it again
          </button>
        </>
      ) : (
        missing !== undefined && <Offer missing={missing} />
      )}
    </section>
  );
}

function Offer({ missing: { lines, names, unclear } }: { readonly missing: Missing }) {
  return (
    <>
      {lines !== '' && (
        <>
          <p>
            These lines of the generated quantities, made of the program’s own densities, compute {names.join(' and ')}:
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre className="code" tabIndex={0}>
            {lines}
          </pre>
          <div className="buttons">
            <button type="button" className="primary" onClick={() => void addMissingQuantities()}>
              Add to the program
            </button>
            <button type="button" onClick={() => void copy(lines)}>
              Copy
            </button>
          </div>
        </>
      )}
      {unclear.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
      {lines === '' && <p>The example “A line through points” shows both quantities.</p>}
    </>
  );
}

async function copy(lines: string): Promise<void> {
  await navigator.clipboard.writeText(lines);
  notify('The lines are in the clipboard.');
}

/** Missing quantities of the current program. */
function useMissing(): Missing | undefined {
  const report = useStore(({ report }) => report);
  const [missing, setMissing] = useState<Missing>();
  useEffect(() => {
    let isWanted = true;
    if (report?.info === undefined) setMissing(undefined);
    else void missingQuantities().then((found) => isWanted && setMissing(found));
    return () => {
      isWanted = false;
    };
  }, [report]);
  return missing;
}
