import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FileButton, save } from '../../parts/files.tsx'
import { clocks } from '../../state/clock.ts'
import { notify } from '../../state/notices.ts'
import { ask } from '../../state/question.ts'

/** Saves the world to a file, and restores it from one. */
export function Snapshots() {
  return (
    <Card title="Snapshots">
      <p class="note soft">
        The whole world as a file, with the values of its tokens: keep it as secret as those.
      </p>
      <div class="row">
        <Button onPress={take}>Take a snapshot</Button>
        <FileButton accept=".json,application/json" onFile={choose}>
          Restore from a file
        </FileButton>
      </div>
    </Card>
  )
}

function take(): Promise<void> {
  const day = new Date(clocks.peek()?.worldMs ?? 0).toISOString().slice(0, 10)
  return save('/snapshots', `seo-sandbox-${day}.snapshot.json`)
}

async function choose(file: File): Promise<void> {
  const text = await file.text()
  const name = file.name.slice(0, 80)
  const isConfirmed = await ask({
    title: `Restore ${name}?`,
    text: 'It replaces this world, which continues from the snapshot. This cannot be undone: take a snapshot first to come back.',
    act: 'Restore it',
  })
  if (!isConfirmed) return
  await api.restore(parse(text, name))
  notify(`The world continues from ${name} now.`)
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message = `${name} is not JSON. Choose a file that was saved as a snapshot.`
    throw new ApiError(400, 'invalid_json', message)
  }
}
