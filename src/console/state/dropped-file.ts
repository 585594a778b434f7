import { signal } from '@preact/signals'
import { navigate } from './location.ts'

/** A file that was dropped on the page, for the panel that opens it. */
export const droppedFile = signal<File | null>(null)

/** Shows a file that was dropped in the panel that opens it. */
export function showDropped(file: File): void {
  droppedFile.value = file
  navigate({ panel: 'traffic' })
}

let take = showDropped

/** Has something else done with files that are dropped. */
export function takeDropped(other: (file: File) => void): void {
  take = other
}

/** Takes files that are dropped anywhere: a browser would leave the page for them. */
export function listenToDrops(): void {
  addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  addEventListener('drop', (event) => {
    const file = event.dataTransfer?.files[0]
    if (!file) return
    event.preventDefault()
    take(file)
  })
}
