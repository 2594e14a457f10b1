import { useEffect, useState } from 'react';

let queue: Promise<void> = Promise.resolve();

/**
 * The answer of a worker to a question about `subject`; undefined until the first one, the previous one until there is another. Questions that are
 * outdated when their turn comes are not asked.
 */
export function useAnswer<Question, Answer>(
  subject: unknown,
  question: Question,
  ask: (question: Question) => Promise<Answer>,
): Answer | undefined {
  const [answer, setAnswer] = useState<Answer>();
  const key = JSON.stringify(question);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the question is new in each rendering
  useEffect(() => {
    let isCurrent = true;
    queue = queue.then(async () => {
      if (!isCurrent) return;
      try {
        const found = await ask(question);
        if (isCurrent) setAnswer(found);
      } catch (error) {
        // The boundary of the view shows it.
        setAnswer(() => {
          throw error;
        });
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [subject, key]);
  return answer;
}
