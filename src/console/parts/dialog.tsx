import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'

interface DialogProps {
  title: string
  /** Called when it is closed by Escape. */
  onClose: () => void
  /** True for one that rises from the foot of a phone. */
  isSheet?: boolean
  children: ComponentChildren
}

/** A native modal dialog, which is open as long as it is there. */
export function Dialog({ title, onClose, isSheet = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // This gives the focus back to where it was opened from.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isSheet ? 'sheet' : ''}`}
      aria-label={title}
      onClose={onClose}
    >
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
