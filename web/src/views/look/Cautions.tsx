import type { Comparison } from 'leapfrog';
import { Advice } from './Advice.js';

/** Cautions about the reliability of a comparison. */
export function Cautions({ cautions, statements }: Pick<Comparison, 'cautions' | 'statements'>) {
  return statements.map((statement, index) => (
    <Advice
      key={cautions[index] ?? statement.key}
      of={{ message: cautions[index] ?? '', statements: [statement] }}
      className="prose muted"
    />
  ));
}
