import { useState } from 'react';
import { fetchLinked, filesInAddress, forgetLinked } from '../../actions/opening-links.js';
import { closeOverlay, Overlay } from './Overlay.js';

const WORDS = { stan: 'Program', data: 'Data', project: 'Project' } as const;

/** Asks for confirmation before fetching files of a link from other servers. */
export function LinkedView() {
  const [files] = useState(filesInAddress);
  const hosts = [...new Set(files.map(({ shown }) => shown.host))];
  return (
    <Overlay label="Open the files of the link">
      <h2>Open files from {new Intl.ListFormat('en').format(hosts)}?</h2>
      <p className="muted">The link names these files. Opening them sends a request to their servers.</p>
      <dl className="linked">
        {files.map(({ kind, shown }) => (
          <div key={shown.href}>
            <dt>{WORDS[kind]}</dt>
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
          Open
        </button>
        <button
          type="button"
          onClick={() => {
            forgetLinked();
            closeOverlay();
          }}
        >
          Cancel
        </button>
      </div>
    </Overlay>
  );
}
