import { useSignalEffect } from '@preact/signals'
import { Button } from '../../parts/button.tsx'
import { FileButton, save } from '../../parts/files.tsx'
import { droppedFile } from '../../state/dropped-file.ts'
import { closeFile, openedFile, openFile, opening } from './opened-file.ts'
import { clearFilter, heldAt, select } from './traffic-state.ts'

/** Saves the journal, and opens files of it. */
export function Files() {
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
      <FileButton
        title="Opens a HAR or session file, which can be dropped here too"
        accept=".har,.json,.jsonl"
        onFile={openFile}
      >
        Open file
      </FileButton>
    </div>
  )
}

/** Says that what is shown is a file, and leads back. */
export function FileBanner() {
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
        , a {file.kind} file with {count} entries. Nothing of it is sent.
      </span>
      <button
        type="button"
        class="button"
        onClick={() => {
          closeFile()
          heldAt.value = null
          clearFilter()
          select(undefined)
        }}
      >
        Back to the live traffic
      </button>
    </div>
  )
}
