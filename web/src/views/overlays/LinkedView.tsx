import { useState } from 'react';
import { fetchLinked, filesInAddress, forgetLinked } from '../../actions/opening-links.js';
import { enumeration, t } from '../../words/messages.js';
import { closeOverlay, Overlay } from './Overlay.js';

const WORDS = { stan: 'files.linkedProgram', data: 'files.linkedData', project: 'files.linkedProject' } as const;

/** Asks for confirmation before fetching files of a link from other servers. */
export function LinkedView() {
  const [files] = useState(filesInAddress);
  const hosts = [...new Set(files.map(({ shown }) => shown.host))];
  return (
    <Overlay label={t('files.linkedLabel')}>
      <h2>{t('files.linkedTitle', { hosts: enumeration(hosts) })}</h2>
      <p className="muted">{t('files.linkedHelp')}</p>
      <dl className="linked">
        {files.map(({ kind, shown }) => (
          <div key={shown.href}>
            <dt>{t(WORDS[kind])}</dt>
            <dd>{shown.href}</dd>
          </div>
        ))}
      </dl>
      <div className="buttons">
        <button
          type="button"
          className="primary"
          onClick={() => {
            closeOverlay();
            void fetchLinked(files);
          }}
        >
          {t('files.open')}
        </button>
        <button
          type="button"
          onClick={() => {
            forgetLinked();
            closeOverlay();
          }}
        >
          {t('frame.cancel')}
        </button>
      </div>
    </Overlay>
  );
}
