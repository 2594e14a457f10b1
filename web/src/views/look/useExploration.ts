import type { Fit } from 'leapfrog';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Exploration, type Explored, type Values } from '../../run/exploring.js';
import type { Run } from '../../state/run.js';

interface State {
  readonly values: Values;
  readonly explored?: Explored | undefined;
  readonly problem?: string | undefined;
  readonly isRunning?: boolean;
}

/** The last states, which remain while another view is shown. */
const kept = new Map<string, State>();

/** The draws for the values of the sliders of a run; `start` are the values of the run itself. */
export function useExploration(run: Run, fit: Fit | undefined, start: Values) {
  const [state, setState] = useState<State>(() => kept.get(run.id) ?? { values: start });
  const exploration = useRef<Exploration>(undefined);
  const change = useMemo(
    () => (part: Partial<State>) =>
      setState((before) => {
        const next = { ...before, ...part };
        kept.set(run.id, next);
        return next;
      }),
    [run.id],
  );
  useEffect(() => () => exploration.current?.close(), []);
  return {
    ...state,
    set: (values: Values) => {
      change({ values, isRunning: fit !== undefined });
      if (fit === undefined) return;
      exploration.current ??= new Exploration(run, fit, {
        onDraws: (explored) => change({ explored, problem: undefined }),
        onProblem: (problem) => change({ problem }),
        onPause: () => change({ isRunning: false }),
      });
      exploration.current.set(values);
    },
    reset: () => {
      exploration.current?.close();
      change({ values: start, explored: undefined, problem: undefined });
    },
  };
}
