import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { clocks } from '../../state/clock.ts'
import { notify, notifyOf } from '../../state/notices.ts'
import { ask } from '../../state/question.ts'

/** Saves the world to a file, and restores it from one. */
export function Snapshots(): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const choose = async (): Promise<void> => {
    const file = input.current?.files?.[0]
    if (!file) return
    const text = await file.text()
    if (input.current) input.current.value = ''
    const isConfirmed = await ask({
      title: `Restore ${file.name.slice(0, 80)}?`,
      text: 'It replaces this world, which continues from the snapshot.',
      act: 'Restore it',
    })
    if (isConfirmed) await restore(text, file.name)
  }
  return (
    <Card title="Snapshots">
      <p class="note soft">
        A file with the whole world as it stands, its time and the values of its tokens included:
        keep it as secret as those.
      </p>
      <div class="row">
        <Button onPress={take}>Take a snapshot</Button>
        <label class="button file">
          Restore from a file
          <input
            ref={input}
            type="file"
            accept=".json,application/json"
            onChange={() => void choose().catch(notifyOf)}
          />
        </label>
      </div>
    </Card>
  )
}

async function take(): Promise<void> {
  const response = await api.send('GET', '/snapshots')
  const url = URL.createObjectURL(await response.blob())
  const day = new Date(clocks.peek()?.worldMs ?? 0).toISOString().slice(0, 10)
  const link = Object.assign(document.createElement('a'), {
    href: url,
    download: `seo-sandbox-${day}.snapshot.json`,
  })
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 1000)
}

async function restore(text: string, name: string): Promise<void> {
  await api.restore(parse(text, name))
  notify(`The world is that of ${name.slice(0, 80)} now.`)
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message = `${name.slice(0, 80)} is not JSON. Choose a file that was saved as a snapshot.`
    throw new ApiError(400, 'invalid_json', message)
  }
}
