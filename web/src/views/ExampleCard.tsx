import type { MouseEvent } from 'react';
import { pictures } from '../examples/pictures.generated.js';

interface ExampleCardProps {
  readonly title: string;
  readonly teaches: string;
  /** The folder of an example, whose posterior is pictured. */
  readonly folder?: string | undefined;
  readonly onOpen: (event: MouseEvent<HTMLElement>) => void;
}

/** An example or a lesson that can be opened. */
export function ExampleCard({ folder = '', onOpen, teaches, title }: ExampleCardProps) {
  const shapes = pictures[folder];
  return (
    <button type="button" className="card example" onClick={onOpen}>
      {shapes !== undefined && (
        <svg viewBox="0 0 480 144" aria-hidden="true">
          {shapes.map(([kind, path]) => (
            <path key={path} className={kind} d={path} />
          ))}
        </svg>
      )}
      <strong>{title}</strong>
      <span>{teaches}</span>
    </button>
  );
}
