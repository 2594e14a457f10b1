import type { ReactNode } from 'react';
import { share } from '../actions/share.js';
import { isEmbedded } from '../state/embedded.js';
import { keepAgain } from '../state/keeping.js';
import { duplicateProject } from '../state/opening.js';
import { endSafeMode } from '../state/opening-marks.js';
import { takeOver } from '../state/sharing-tabs.js';
import { useStore } from '../state/store.js';
import { makeWritable } from '../state/trash.js';
import { t } from '../words/messages.js';

/** The state of the open project that limits what the page does with it, below the header. */
export function Banner() {
  const isFollowing = useStore(({ isFollowing }) => isFollowing);
  const isDeleted = useStore(({ isDeleted }) => isDeleted);
  const isUnstored = useStore(({ storageFault }) => storageFault !== undefined) && !isEmbedded;
  const isSafe = useStore(({ isSafe }) => isSafe);
  return (
    <div role="status">
      {isDeleted ? <Deleted /> : isFollowing && <Following />}
      {isSafe && <SafeMode />}
      {isUnstored && <Unstored />}
    </div>
  );
}

function Following() {
  return (
    <Line text={t('frame.following')}>
      <button type="button" onClick={() => void takeOver()}>
        {t('frame.takeOver')}
      </button>
      <button type="button" onClick={duplicateProject}>
        {t('frame.makeCopy')}
      </button>
    </Line>
  );
}

/** Another tab has moved the project to the trash. */
function Deleted() {
  return (
    <Line text={t('frame.deletedElsewhere')}>
      <button type="button" onClick={() => void makeWritable()}>
        {t('frame.restore')}
      </button>
      <button type="button" onClick={duplicateProject}>
        {t('frame.keepCopy')}
      </button>
    </Line>
  );
}

const MEGABYTE = 1_000_000;

function Unstored() {
  const fault = useStore(({ storageFault }) => storageFault);
  const { isFull = false, quota, usage } = fault ?? {};
  const sizes =
    quota === undefined || usage === undefined
      ? ''
      : t('frame.storageSizes', { usage: usage / MEGABYTE, quota: quota / MEGABYTE });
  return (
    <Line text={isFull ? t('frame.storageFull', { sizes }) : t('frame.full')}>
      <button type="button" onClick={() => void share('saveZip')}>
        {t('frame.saveZip')}
      </button>
      <button type="button" onClick={() => void keepAgain()}>
        {t('frame.storeAgain')}
      </button>
    </Line>
  );
}

function SafeMode() {
  return (
    <Line text={t('frame.safeMode')}>
      <button type="button" onClick={endSafeMode}>
        {t('frame.checkNow')}
      </button>
    </Line>
  );
}

function Line({ children, text }: { readonly children: ReactNode; readonly text: string }) {
  return (
    <div className="banner">
      <span>{text}</span>
      <span className="banner-buttons">{children}</span>
    </div>
  );
}
