import { useEffect, useMemo } from 'react';
import { holds } from '../../lessons/checking-goals.js';
import { goalText, readLesson, type Step } from '../../lessons/lesson.js';
import { Markdown } from '../../lessons/Markdown.js';
import { reasonOf } from '../../reasons.js';
import { currentRun, notify, updateProject, useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';
import { useFit } from '../look/useFit.js';

/** The step of a lesson, above the program. */
export function LessonPane({ source }: { readonly source: string }) {
  const read = useMemo(() => stepsOf(source), [source]);
  if ('problem' in read) {
    return (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where there is little room, which the keyboard must be able to do
      <section className="about" aria-label={t('write.lesson')} tabIndex={0}>
        {t('write.lessonProblem', { reason: read.problem })}
      </section>
    );
  }
  return read.steps.length === 0 ? null : <Steps steps={read.steps} />;
}

function stepsOf(source: string): { readonly steps: readonly Step[] } | { readonly problem: string } {
  try {
    return { steps: readLesson(source) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const progress = useStore(({ project }) => project.progress) ?? { at: 0, done: [] };
  const at = Math.min(progress.at, steps.length - 1);
  const step = steps[at];
  const isDone = useGoals(at, step, steps.length);
  const go = (to: number) => updateProject({ progress: { ...progress, at: to } });
  return (
    <section className="lesson" aria-label={t('write.lesson')}>
      <section
        className="lesson-text"
        aria-label={t('write.step', { step: at + 1, count: steps.length })}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
        key={at}
      >
        <Markdown text={step?.text ?? ''} />
        {step !== undefined && step.goals.length > 0 && <Goals step={step} isDone={isDone} />}
      </section>
      <div className="lesson-bar">
        <span className="muted">{t('write.step', { step: at + 1, count: steps.length })}</span>
        <span className="space" />
        <button type="button" disabled={at === 0} onClick={() => go(at - 1)}>
          {t('write.back')}
        </button>
        {at < steps.length - 1 && (
          <button type="button" className={isDone ? 'primary' : ''} onClick={() => go(at + 1)}>
            {t(isDone || step?.goals.length === 0 ? 'write.nextStep' : 'write.skipStep')}
          </button>
        )}
      </div>
    </section>
  );
}

/** The goals with their current state; all of them count as reached in a completed step. */
function Goals({ step, isDone }: { readonly step: Step; readonly isDone: boolean }) {
  const fit = useFit(useStore(currentRun));
  const held = useStore((state) => step.goals.map((goal) => (isDone || holds(goal, state, fit) ? '1' : '0')).join(''));
  return (
    <ul className="goals" aria-label={t('write.goals')} aria-live="polite">
      {step.goals.map((goal, index) => {
        const isHeld = held[index] === '1';
        return (
          <li key={goalText(goal)} className={isHeld ? 'held' : ''}>
            <span aria-hidden="true">{isHeld ? '✓' : '○'}</span>
            <span className="visually-hidden">{t(isHeld ? 'write.goalDone' : 'write.goalOpen')} </span>
            {goalText(goal)}
          </li>
        );
      })}
    </ul>
  );
}

/** Whether a step is completed: all its goals have been reached simultaneously. It stays completed. */
function useGoals(at: number, step: Step | undefined, count: number): boolean {
  const done = useStore(({ project }) => project.progress?.done) ?? NONE;
  const fit = useFit(useStore(currentRun));
  const isReached = useStore(
    (state) => step !== undefined && step.goals.length > 0 && step.goals.every((goal) => holds(goal, state, fit)),
  );
  const isDone = done.includes(at);
  useEffect(() => {
    if (!isReached || isDone) return;
    updateProject({ progress: { at, done: [...done, at] } });
    notify(at === count - 1 ? t('write.lastStepDone') : t('write.stepDone', { step: at + 1 }));
  }, [at, count, done, isDone, isReached]);
  return isDone;
}

const NONE: readonly number[] = [];
