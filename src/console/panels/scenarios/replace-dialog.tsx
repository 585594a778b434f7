import type { JSX } from 'preact'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'

/** Something that replaces the world, and is asked about first. */
export interface Replacement {
  title: string
  /** What is lost. */
  text: string
  /** What the button says. */
  act: string
  run: () => Promise<void>
}

export function ReplaceDialog({
  title,
  text,
  act,
  run,
  onClose,
}: Replacement & { onClose: () => void }): JSX.Element {
  const go = async (): Promise<void> => {
    try {
      await run()
    } finally {
      onClose()
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="acts">
        <Button variant="primary" onPress={go}>
          {act}
        </Button>
        <Button onPress={onClose}>Keep this world</Button>
      </div>
    </Dialog>
  )
}
