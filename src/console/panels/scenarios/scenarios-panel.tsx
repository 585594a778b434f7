import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState, Unread } from '../../parts/placeholders.tsx'
import { SearchField } from '../../parts/form-fields.tsx'
import { hasWords } from '../../parts/value-words.ts'
import { navigate, query } from '../../state/location.ts'
import { showNotice, ask } from '../../state/notices.ts'
import { askToReplace } from '../../state/replace-world.ts'
import { useGet } from '../../state/resource.ts'
import './scenarios.css'
import { ApiError } from '../../api/api-error.ts'
import { FileButton, save } from '../../parts/files.tsx'
import { forgetActions } from '../../state/current-world.ts'
import { clocks } from '../../state/shown-clocks.ts'

export function ScenariosPanel() {
  const scenarios = useGet('/scenarios')
  const { value } = scenarios
  const search = query.value['search'] ?? ''
  const shown = value?.filter(({ name, purpose }) => hasWords(`${name} ${purpose}`, search))
  return (
    <>
      <h1>Scenarios</h1>
      <p class="sub">
        Small worlds, each around one situation that a client should handle. One replaces this world
        until a reset.
      </p>
      <div class="row">
        <SearchField
          label="Search scenarios"
          value={search}
          onInput={(text) => navigate({ search: text }, { replace: true })}
        />
        <Button onPress={reset}>Reset the world</Button>
        <Button onPress={take}>Take a snapshot</Button>
        <FileButton accept=".json,application/json" onFile={choose}>
          Restore a snapshot
        </FileButton>
      </div>
      <small class="soft">
        A snapshot is the world as a file, with the values of its tokens: keep it secret.
      </small>
      <Unread of={scenarios} lines={12} />
      {shown?.length === 0 && (
        <EmptyState
          title="No scenario matches"
          action={
            <Button onPress={() => navigate({ search: undefined })}>Show all scenarios</Button>
          }
        >
          Search for a word, such as failed, month or tokens.
        </EmptyState>
      )}
      <ul class="scenarios lines">
        {shown?.map(({ name, purpose }) => (
          <li key={name}>
            <p>{purpose}.</p>
            <Button onPress={() => load(name)}>
              Load <code>{name}</code>
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}

async function reset(): Promise<void> {
  const before = await askToReplace({
    title: 'Reset the world?',
    text: 'Records, clocks, policies, faults and rate windows become as they were loaded, and Traffic starts again.',
    button: 'Reset it',
  })
  if (before === undefined) return
  await api.command({ type: 'reset' }, 'Reset the world', before)
  showNotice('The world is as it was loaded.')
}

async function load(name: string): Promise<void> {
  const before = await askToReplace({
    title: `Load ${name}?`,
    text: 'It replaces records, clocks, policies, faults and rate windows until a reset, and Traffic starts again.',
    button: 'Load it',
  })
  if (before === undefined) return
  const command = { type: 'scenario.load', scenario: name } as const
  await api.command(command, `Loaded the scenario ${name}`, before)
  showNotice(`This world is the scenario ${name} now, until a reset.`)
}

async function take(): Promise<void> {
  const day = new Date(clocks.peek()?.worldMs ?? 0).toISOString().slice(0, 10)
  const name = `seo-sandbox-${day}.snapshot.json`
  await save('/snapshots', name)
  showNotice(`The snapshot was saved as ${name}.`)
}

async function choose(file: File): Promise<void> {
  const text = await file.text()
  const name = file.name.slice(0, 80)
  const isConfirmed = await ask({
    title: `Restore ${name}?`,
    text: 'It replaces this world, and discards the requests in Traffic with its review. This cannot be undone: take a snapshot first to come back.',
    button: 'Restore it',
  })
  if (!isConfirmed) return
  await api.restore(parse(text, name))
  // The recorded actions do not lead to the restored world.
  forgetActions()
  showNotice(`This world is now the one in ${name}.`)
}

function parse(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    const message = /\.ya?ml$/i.test(name)
      ? `${name} is a fixture, not a snapshot. Serve it: npx seo-sandbox --fixtures ${name}`
      : `${name} is not JSON. Choose a file that was saved as a snapshot.`
    throw new ApiError(400, 'invalid_json', message)
  }
}
