import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Button } from './button.tsx'

interface DialogProps {
  title: string
  /** Called when Escape or the last button closes the dialog. If omitted, the user cannot close the dialog. */
  onClose?: () => void
  /** Label of the last button, which closes the dialog; `Close` if omitted. */
  close?: string
  actions?: ComponentChildren
  /** True for a dialog that rises from the bottom of the screen on a phone. */
  isSheet?: boolean
  children: ComponentChildren
}

export function Dialog(props: DialogProps) {
  const { title, onClose, close = 'Close', actions, isSheet = false, children } = props
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = dialog
    current?.showModal()
    // Closing returns the focus to the element that had it before.
    return () => current?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isSheet ? 'sheet' : ''}`}
      aria-label={title}
      onClose={onClose ?? (() => dialog.current?.showModal())}
    >
      <h2>{title}</h2>
      {children}
      {onClose && (
        <div class="row">
          {actions}
          <Button onPress={onClose}>{close}</Button>
        </div>
      )}
    </dialog>
  )
}
