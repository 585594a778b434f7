import type { IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { Button } from './button.tsx'

interface TileProps {
  icon: IconNode
  /** Action, for screen readers, before the title. */
  action: string
  title: string
  /** A sentence on the effect of the button. */
  children: ComponentChildren
  onPress: () => unknown
}

/** A large quiet button: a title, and a sentence below it. */
export function Tile({ icon, action, title, children, onPress }: TileProps) {
  return (
    <Button class="tile" icon={icon} onPress={onPress}>
      <span>
        <span class="hidden">{action} </span>
        <b>{title}</b>
        <small class="soft">{children}</small>
      </span>
    </Button>
  )
}
