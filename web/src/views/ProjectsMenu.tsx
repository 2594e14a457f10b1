import { useState } from 'react';
import { openFile } from '../actions/taking.js';
import { keptProjects } from '../state/keeping.js';
import { duplicateProject, openProject } from '../state/opening.js';
import { emptyProject, type Project } from '../state/project.js';
import { useStore } from '../state/store.js';
import { type Discarded, discarded, discardProject, emptyTrash } from '../state/trash.js';
import { t } from '../words/messages.js';
import { Menu, MenuHeading, MenuItem, MenuLine } from './Menu.js';

const MOST_LISTED = 12;

/** Projects in the browser's storage. */
export function ProjectsMenu() {
  const current = useStore(({ project }) => project.id);
  return (
    <Menu label={t('frame.projects')}>
      <MenuItem title={t('frame.newProject')} onSelect={() => openProject(emptyProject())} />
      <MenuItem title={t('frame.openFiles')} detail={t('frame.openFilesHelp')} onSelect={openFile} />
      <MenuItem title={t('frame.duplicate')} onSelect={duplicateProject} />
      <Kept current={current} />
      <Trash />
    </Menu>
  );
}

function Kept({ current }: { readonly current: string }) {
  const [projects, setProjects] = useState<readonly Project[]>();
  if (projects === undefined) {
    void keptProjects().then(setProjects);
    return null;
  }
  const others = projects.filter(({ id }) => id !== current).slice(0, MOST_LISTED);
  return (
    <>
      {others.length > 0 && (
        <>
          <MenuLine />
          <MenuHeading>{t('frame.kept')}</MenuHeading>
          {others.map((project) => (
            <MenuItem
              key={project.id}
              title={project.name || t('frame.untitled')}
              detail={t('frame.savedAt', { at: new Date(project.savedAt) })}
              onSelect={() => openProject(project)}
            />
          ))}
        </>
      )}
      {projects.some(({ id }) => id === current) && (
        <>
          <MenuLine />
          <MenuItem title={t('frame.deleteProject')} isDangerous onSelect={() => void discardProject()} />
        </>
      )}
    </>
  );
}

/** Items deleted within the last 30 days. */
function Trash() {
  const [items, setItems] = useState<readonly Discarded[]>();
  if (items === undefined) {
    void discarded().then(setItems);
    return null;
  }
  if (items.length === 0) return null;
  return (
    <>
      <MenuLine />
      <MenuHeading>{t('frame.trash')}</MenuHeading>
      {items.slice(0, MOST_LISTED).map(({ id, title, deletedAt, restore }) => (
        <MenuItem
          key={id}
          title={title}
          detail={t('frame.deletedAt', { at: new Date(deletedAt) })}
          onSelect={() => void restore()}
        />
      ))}
      <MenuItem
        title={t('frame.emptyTrash', { count: items.length })}
        isDangerous
        onSelect={() => void emptyTrash(0)}
      />
    </>
  );
}
