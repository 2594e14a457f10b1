import { useState } from 'react';
import { keptProjects } from '../state/keeping.js';
import { openProject } from '../state/opening.js';
import { emptyProject, type Project } from '../state/project.js';
import { useStore } from '../state/store.js';
import { type Discarded, discarded, discardProject, emptyTrash } from '../state/trash.js';
import { Menu, MenuHeading, MenuItem, MenuLine } from './Menu.js';

const MOST_LISTED = 12;

/** Projects in the browser's storage. */
export function ProjectsMenu() {
  const current = useStore(({ project }) => project.id);
  return (
    <Menu label="Projects">
      <MenuItem title="New project" onSelect={() => openProject(emptyProject())} />
      <MenuItem
        title="Duplicate this project"
        onSelect={() => {
          const { project } = useStore.getState();
          openProject({ ...project, id: crypto.randomUUID(), name: `${project.name} (copy)`, savedAt: Date.now() });
        }}
      />
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
          <MenuHeading>Kept in this browser</MenuHeading>
          {others.map((project) => (
            <MenuItem
              key={project.id}
              title={project.name || 'Untitled'}
              detail={new Date(project.savedAt).toLocaleString()}
              onSelect={() => openProject(project)}
            />
          ))}
        </>
      )}
      {projects.some(({ id }) => id === current) && (
        <>
          <MenuLine />
          <MenuItem title="Delete this project" isDangerous onSelect={() => void discardProject()} />
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
      <MenuHeading>Deleted. Choose one to restore it</MenuHeading>
      {items.slice(0, MOST_LISTED).map(({ id, title, deletedAt, restore }) => (
        <MenuItem
          key={id}
          title={title}
          detail={`deleted ${new Date(deletedAt).toLocaleString()}`}
          onSelect={() => void restore()}
        />
      ))}
      <MenuItem
        title={`Delete ${items.length === 1 ? 'it' : `all ${items.length}`} for good`}
        isDangerous
        onSelect={() => void emptyTrash(0)}
      />
    </>
  );
}
