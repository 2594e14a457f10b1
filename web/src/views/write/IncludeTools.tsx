import { useState } from 'react';
import { changeInclude, removeInclude } from '../../state/includes.js';
import type { TextFile } from '../../state/project.js';
import { useStore } from '../../state/store.js';
import { t } from '../../words/messages.js';

/** The name of an included file, and a button to remove it. */
export function IncludeTools({ include }: { readonly include: TextFile }) {
  const [name, setName] = useState(include.name);
  const includes = useStore(({ project }) => project.includes);
  const isTaken = includes.some((other) => other !== include && other.name === name.trim());
  const isWrong = name.trim() === '' || isTaken;
  return (
    <div className="toolbar data-tools">
      <label className="inline-field">
        #include
        <input
          value={name}
          aria-invalid={isWrong}
          onChange={({ target }) => setName(target.value)}
          onBlur={() =>
            isWrong ? setName(include.name) : changeInclude(include.name, { ...include, name: name.trim() })
          }
          onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
        />
      </label>
      {isTaken && <span className="wrong">{t('write.nameTaken')}</span>}
      <span className="space" />
      <button type="button" className="quiet" onClick={() => removeInclude(include.name)}>
        {t('write.remove')}
      </button>
    </div>
  );
}
