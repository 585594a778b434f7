import { signal } from '@preact/signals'
import { navigate } from './location.ts'

/** A file that was dropped on the page, for the panel that opens it. */
export const droppedFile = signal<File | null>(null)

/** Takes files that are dropped anywhere: a browser would leave the page for them. */
export function listenToDrops(): void {
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0]
    if (!file) return
    event.preventDefault()
    droppedFile.value = file
    navigate({ panel: 'traffic' })
  })
}
