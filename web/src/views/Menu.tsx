import { DropdownMenu } from 'radix-ui';
import { type ReactNode, useRef, useState } from 'react';

/** A button that opens a menu. */
export function Menu({
  label,
  children,
  align = 'start',
  isDisabled = false,
}: {
  readonly label: ReactNode;
  readonly children: ReactNode;
  readonly align?: 'start' | 'end';
  readonly isDisabled?: boolean;
}) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [landmark, setLandmark] = useState<HTMLElement | null>(null);
  return (
    <DropdownMenu.Root
      modal={false}
      onOpenChange={() => setLandmark(trigger.current?.closest('dialog') ?? document.querySelector('main'))}
    >
      <DropdownMenu.Trigger className="quiet menu-button" disabled={isDisabled} ref={trigger}>
        {label}
        <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
          <path d="M2 3.5 5 6.5 8 3.5" fill="none" stroke="currentColor" strokeWidth="1.3" />
        </svg>
      </DropdownMenu.Trigger>
      {/* Content outside of landmarks is hard to find with a screen reader, and a window covers what is outside of it. */}
      <DropdownMenu.Portal container={landmark}>
        <DropdownMenu.Content className="menu" align={align} sideOffset={4} collisionPadding={8}>
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export interface MenuItemProps {
  readonly title: string;
  readonly detail?: string;
  readonly onSelect: () => void;
  readonly isDangerous?: boolean;
}

export function MenuItem({ title, detail, onSelect, isDangerous = false }: MenuItemProps) {
  return (
    <DropdownMenu.Item className={isDangerous ? 'menu-item dangerous' : 'menu-item'} onSelect={onSelect}>
      <span className="menu-title">{title}</span>
      {detail !== undefined && <span className="menu-detail">{detail}</span>}
    </DropdownMenu.Item>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <DropdownMenu.Label className="menu-heading">{children}</DropdownMenu.Label>;
}

export function MenuLine() {
  return <DropdownMenu.Separator className="menu-line" />;
}
