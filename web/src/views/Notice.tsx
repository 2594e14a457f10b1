import { update, useStore } from '../state/store.js';
import { t } from '../words/messages.js';
import { returnFocus } from './returning-focus.js';

/** The current notice, in a line above the status bar. */
export function Notice() {
  const notice = useStore(({ notice }) => notice);
  return (
    <div className="notice-place" role="status">
      {notice !== undefined && (
        <p className="notice">
          <span>{notice.text}</span>
          {notice.undo !== undefined && (
            <button
              type="button"
              onClick={() => {
                returnFocus();
                update({ notice: undefined });
                notice.undo?.();
              }}
            >
              {t('frame.undo')}
            </button>
          )}
          <button
            type="button"
            className="quiet"
            aria-label={t('frame.closeNotice')}
            onClick={() => {
              returnFocus();
              update({ notice: undefined });
            }}
          >
            <span aria-hidden="true">×</span>
          </button>
        </p>
      )}
    </div>
  );
}
