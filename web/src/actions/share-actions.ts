/** The ways to share the open project, of the menu and the palette. */
import { isOver } from '../state/run.js';
import { currentRun, type PageState, update } from '../state/store.js';
import { t } from '../words/messages.js';
import { type Action, hasProgram } from './action.js';
import { share } from './share.js';

const hasResults = (state: PageState) => {
  const run = currentRun(state);
  return run !== undefined && isOver(run) && run.draws > 1 && run.remote?.isLarge !== true;
};

/** In the order of the menu. */
export const shareActions = (): readonly Action[] =>
  [
    {
      name: t('frame.copyLink'),
      detail: t('frame.copyLinkHelp'),
      act: () => void share('copyLink'),
    },
    { name: t('frame.qr'), detail: t('frame.qrHelp'), act: () => update({ overlay: 'qr' }) },
    {
      name: t('frame.copyResults'),
      detail: t('frame.copyResultsHelp'),
      isPossible: hasResults,
      act: () => void share('copyResults'),
    },
    {
      name: t('frame.copyEmbedding'),
      detail: t('frame.copyEmbeddingHelp'),
      act: () => void share('copyEmbedding'),
    },
    { name: t('frame.saveZip'), detail: t('frame.saveZipHelp'), act: () => void share('saveZip') },
    {
      name: t('frame.picture'),
      detail: t('frame.pictureHelp'),
      isPossible: hasResults,
      act: () => void share('savePicture'),
    },
    {
      name: t('frame.report'),
      detail: t('frame.reportHelp'),
      isPossible: hasResults,
      act: () => void share('saveReport'),
    },
    { name: t('frame.code'), detail: t('frame.codeHelp'), act: () => update({ overlay: 'code' }) },
  ].map((action): Action => ({ group: t('frame.share'), isPossible: hasProgram, ...action }));
