import type { IconNode } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { notice, notifyOf } from '../state/notices.ts'
import { Icon } from './icon.tsx'

interface ButtonProps {
  /** Words of the button. A button with only an icon needs a `label` instead. */
  children?: ComponentChildren
  icon?: IconNode
  /** Performs the action. An error is shown by `notifyOf`. The button cannot be pressed again until the action has ended. */
  onPress: () => unknown
  /** `plain` if omitted. `primary` marks the usual next action; `quiet` has no fill. */
  variant?: 'plain' | 'primary' | 'quiet'
  disabled?: boolean
  /** State of a toggle button: true while it is on; omitted for other buttons. */
  pressed?: boolean
  title?: string
  /** Name for screen readers, if the text of the button does not say enough. */
  label?: string
  class?: string
}

export function Button({ children, icon, onPress, variant = 'plain', ...rest }: ButtonProps) {
  const [isBusy, setBusy] = useState(false)
  const press = async ({ form }: HTMLButtonElement): Promise<void> => {
    if (isBusy) return
    setBusy(true)
    if (form) notice.value = null
    try {
      await onPress()
    } catch (error) {
      notifyOf(error, form)
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type="button"
      class={`button ${variant} ${children === undefined ? 'bare' : ''} ${rest.class ?? ''}`}
      disabled={rest.disabled}
      aria-busy={isBusy}
      aria-pressed={rest.pressed}
      aria-label={rest.label}
      title={rest.title ?? (children === undefined ? rest.label : undefined)}
      onClick={({ currentTarget }) => void press(currentTarget)}
    >
      {icon && <Icon of={icon} />}
      {children}
    </button>
  )
}

interface TileProps {
  icon: IconNode
  /** Action before the title, for screen readers: `Arm:`. */
  action: string
  title: string
  children: ComponentChildren
  onPress: () => unknown
}

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
