import { useEffect, useState } from 'react';
import { LOG_LIKELIHOOD } from '#engine/derive/derived-names.js';
import type { Missing } from '#engine/derive/generated-quantities.js';
import { simulatedVariables } from '#engine/fits/predictions.js';
import { addMissingQuantities, missingQuantities } from '../../language/missing-quantities.js';
import { startRun } from '../../run/running.js';
import { notify, useStore } from '../../state/store.js';
import { enumeration, t } from '../../words/messages.js';
import { rich } from '../../words/rich.js';

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
    <section className="empty" aria-label={t('plots.missing')}>
      {lacksSimulations && <p>{rich('plots.needsSimulation')}</p>}
      {lacksTerms && <p>{rich('plots.needsTerms')}</p>}
      {unclear.map((sentence) => (
        <p key={sentence} lang="en">
          {sentence}
        </p>
      ))}
      {isThere ? (
        <>
          <p>{t('plots.computedNow')}</p>
          <button type="button" className="primary" onClick={() => void startRun()}>
            {t('plots.runAgain')}
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
          <p>{t('plots.offer', { names: enumeration(names) })}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
          <pre className="code" tabIndex={0}>
            {lines}
          </pre>
          <div className="buttons">
            <button type="button" className="primary" onClick={() => void addMissingQuantities()}>
              {t('plots.add')}
            </button>
            <button type="button" onClick={() => void copy(lines)}>
              {t('frame.copy')}
            </button>
          </div>
        </>
      )}
      {unclear.map((sentence) => (
        <p key={sentence} lang="en">
          {sentence}
        </p>
      ))}
      {lines === '' && <p>{t('plots.seeExample', { example: t('titles.line') })}</p>}
    </>
  );
}

async function copy(lines: string): Promise<void> {
  await navigator.clipboard.writeText(lines);
  notify(t('plots.linesCopied'));
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
