import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { hasWords } from '../../parts/texts.ts'
import { Unread } from '../../parts/unread.tsx'
import { navigate, query } from '../../state/location.ts'
import { notify } from '../../state/notices.ts'
import { askToReplace } from '../../state/put-back.ts'
import { useGet } from '../../state/resource.ts'
import { Snapshots } from './snapshots.tsx'
import './scenarios.css'

/** Other states for the world: scenarios, snapshots, and as it was created. */
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
      <div class="toolbar">
        <SearchField
          label="Search scenarios"
          value={search}
          onInput={(text) => navigate({ search: text }, { replace: true })}
        />
        <Button onPress={reset}>Reset the world</Button>
      </div>
      <Snapshots />
      <Unread of={scenarios} lines={12} />
      {shown?.length === 0 && (
        <EmptyState
          title="No scenario matches"
          action={<Button onPress={() => navigate({ search: undefined })}>Show all</Button>}
        >
          Search for a word of what it shows, such as failed, month or tokens.
        </EmptyState>
      )}
      {shown && shown.length > 0 && (
        <Card class="scenarios">
          <ul>
            {shown.map(({ name, purpose }) => (
              <li key={name}>
                <div>
                  <h2>{name}</h2>
                  <p class="soft">{purpose}</p>
                </div>
                <Button label={`Load ${name}`} onPress={() => load(name)}>
                  Load
                </Button>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  )
}

async function reset(): Promise<void> {
  const before = await askToReplace({
    title: 'Reset the world?',
    text: 'Records, clocks, policies, faults and rate windows become as they were created, and the journal starts again.',
    act: 'Reset it',
  })
  if (before === undefined) return
  await api.command({ type: 'reset' }, 'Reset the world', before)
  notify('The world is as it was loaded.')
}

async function load(name: string): Promise<void> {
  const before = await askToReplace({
    title: `Load ${name}?`,
    text: 'It replaces records, clocks, policies, faults and rate windows until a reset, and the journal starts again.',
    act: 'Load it',
  })
  if (before === undefined) return
  const command = { type: 'scenario.load', scenario: name } as const
  await api.command(command, `Loaded the scenario ${name}`, before)
  notify(`This world is the scenario ${name} now, until a reset.`)
}
