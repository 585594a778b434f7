import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { droppedFile } from '../../state/dropped-file.ts'
import { closeFile, openedFile, openFile, opening } from './opened-file.ts'
import { clearFilter, heldAt, select } from './traffic-state.ts'

/** Saves the journal, and opens files of it. */
export function Files(): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  useSignalEffect(() => {
    const file = droppedFile.value
    if (!file) return
    droppedFile.value = null
    openFile(file)
  })
  return (
    <div class="files">
      {!openedFile.value && (
        <>
          <Button
            title="Requests as an HTTP archive, for the developer tools of browsers"
            onPress={() => save('/requests.har', 'requests.har')}
          >
            Save HAR
          </Button>
          <Button
            title="All that happened, for seo-sandbox replay"
            onPress={() => save('/session', 'session.json')}
          >
            Save session
          </Button>
        </>
      )}
      <Button
        title="Opens a HAR or session file; one can be dropped on the page too"
        onPress={() => input.current?.click()}
      >
        Open file
      </Button>
      <input
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label="HAR or session file"
        accept=".har,.json"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          currentTarget.value = ''
          if (file) openFile(file)
        }}
      />
    </div>
  )
}

/** Says that what is shown is a file, and leads back. */
export function FileBanner(): JSX.Element | null {
  const file = openedFile.value
  if (opening.value !== null) {
    return (
      <p class="file-banner" role="status">
        Reading <bdi>{opening.value.slice(0, 100)}</bdi> …
      </p>
    )
  }
  if (!file) return null
  const count = file.lines.length.toLocaleString('en')
  return (
    <div class="file-banner" role="status">
      <span>
        <strong>
          <bdi>{file.name.slice(0, 100)}</bdi>
        </strong>
        , a {file.kind} file with {count} entries. It is only looked at: nothing of it is sent.
      </span>
      <button
        type="button"
        class="button"
        onClick={() => {
          closeFile()
          leave()
        }}
      >
        Back to the live traffic
      </button>
    </div>
  )
}

function leave(): void {
  heldAt.value = null
  clearFilter()
  select(undefined)
}

async function save(path: string, name: string): Promise<void> {
  const response = await api.send('GET', path)
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
