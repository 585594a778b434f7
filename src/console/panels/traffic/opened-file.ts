import { signal } from '@preact/signals'
import { showNotice } from '../../state/notices.ts'
import type { FileQuestion, FileReply } from './file-worker.ts'
import { lineOf } from './traffic-lines.ts'
import type { Line } from './traffic-lines.ts'
import type { Detail, TrafficFile } from './traffic-file.ts'

interface OpenedFile {
  name: string
  kind: TrafficFile['kind']
  lines: readonly Line[]
  /** Reads the details of a request; null for a command. */
  detailOf: (sequence: number) => Promise<Detail | null>
}

export const openedFile = signal<OpenedFile | null>(null)

/** Name of the file that is being read; null if there is none. */
export const opening = signal<string | null>(null)

/** Bounded because the page has several copies of an opened file in memory. */
const MAXIMUM_BYTES = 200_000_000

let reader: Worker | undefined

/** Reader of the next file, loaded in advance because the server may have stopped when that file is opened. */
let spare: Worker | undefined = createReader()

function createReader(): Worker {
  const worker = new Worker(new URL('./file-worker.ts', import.meta.url), { type: 'module' })
  worker.addEventListener('error', () => {
    if (spare === worker) spare = undefined
  })
  return worker
}

/** Opens a HAR or session file. Shows a notice if the file cannot be opened. */
export function openFile(file: File): void {
  if (file.size > MAXIMUM_BYTES) {
    showNotice(`${file.name} has more than 200 MB, which a page cannot hold.`, { isError: true })
    return
  }
  opening.value = file.name
  const worker = spare ?? createReader()
  spare = createReader()
  const lines: Line[] = []
  const refuse = (reason: string): void => {
    worker.terminate()
    opening.value = null
    showNotice(`${file.name} is not opened. ${reason}`, { isError: true })
  }
  worker.addEventListener('error', () => refuse('Its reader did not load: is the server stopped?'))
  worker.addEventListener('message', ({ data }: MessageEvent<FileReply>) => {
    if (data.type === 'entries') {
      for (const entry of data.entries) lines.push(lineOf(entry))
    } else if (data.type === 'refused') {
      refuse(data.reason)
    } else if (data.type === 'end') {
      reader?.terminate()
      reader = worker
      opening.value = null
      const { name } = file
      openedFile.value = { name, kind: data.kind, lines, detailOf: detailFrom(worker) }
    }
  })
  worker.postMessage({ type: 'open', file } satisfies FileQuestion)
}

export function closeFile(): void {
  reader?.terminate()
  reader = undefined
  openedFile.value = null
}

function detailFrom(worker: Worker): OpenedFile['detailOf'] {
  return (sequence) =>
    new Promise((resolve) => {
      const take = ({ data }: MessageEvent<FileReply>): void => {
        if (data.type !== 'detail' || data.sequence !== sequence) return
        worker.removeEventListener('message', take)
        resolve(data.detail)
      }
      worker.addEventListener('message', take)
      worker.postMessage({ type: 'detail', sequence } satisfies FileQuestion)
    })
}
