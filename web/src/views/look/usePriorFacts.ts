import { useEffect, useState } from 'react';
import type { PriorFacts } from '#engine/derive/prior-facts.js';
import { language, programText } from '../../language/analysis.js';
import type { Run } from '../../state/run.js';

/** What the program of a run states about its prior; undefined until it is analyzed, or if `isWanted` is false. */
export function usePriorFacts({ id, source }: Run, isWanted: boolean): PriorFacts | undefined {
  const [found, setFound] = useState<{ readonly id: string; readonly facts: PriorFacts }>();
  const isAnalyzed = isWanted && source.program.trim() !== '';
  useEffect(() => {
    let isCurrent = true;
    if (isAnalyzed)
      void language()
        .priorFacts(programText(source))
        .then((facts) => isCurrent && setFound({ id, facts }));
    return () => {
      isCurrent = false;
    };
  }, [id, isAnalyzed, source]);
  return isAnalyzed && found?.id === id ? found.facts : undefined;
}
