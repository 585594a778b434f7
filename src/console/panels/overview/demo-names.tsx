import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { NamedDemo } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { saveBlob } from '../../parts/files.tsx'
import { Select } from '../../parts/form-fields.tsx'
import { showNotice } from '../../state/notices.ts'
import { askToReplace } from '../../state/put-back.ts'

const FIELDS = ['name', 'domain', 'city', 'trade', 'keywords'] as const

/** What was filled in stays while other panels are shown, and once it is served. */
const filled = signal<NamedDemo | undefined>(undefined)

/** The demo with the names of a customer: as a form, as the file that it makes, and served. */
export function DemoNamesForm() {
  const demo = filled.value
  const [isShown, setShown] = useState(false)
  const write = async (names: object): Promise<NamedDemo> => {
    const written = await writeDemo(names)
    filled.value = written
    return written
  }
  if (!demo)
    return (
      <Card title="Names of your own">
        <p class="note soft">The demo with your agency and five of your customers.</p>
        <div class="row">
          <Button onPress={() => write({})}>Fill in names</Button>
        </div>
      </Card>
    )
  const { names, locales, countries, trades, situations } = demo
  const set = (change: object) => {
    filled.value = { ...demo, names: { ...names, ...change } }
  }
  const setCompany = (index: number, field: string, text: string) => {
    const value = field === 'keywords' ? text.split(',') : text
    set({
      companies: names.companies.toSpliced(index, 1, {
        ...names.companies[index]!,
        [field]: value,
      }),
    })
  }
  const current = () => write(toSent(names))
  return (
    <Card title="Names of your own">
      <form class="form names">
        <label>
          Country
          <Select
            label="Country"
            value={String([names.locale].flat()[0])}
            options={locales.map((locale, index) => [locale, countries[index]!])}
            onSelect={(locale) => void write({ locale })}
          />
        </label>
        <label>
          Agency
          <input
            class="field"
            value={names.agency.name}
            onInput={({ currentTarget }) => set({ agency: { name: currentTarget.value } })}
          />
        </label>
        {names.companies.map((company, index) => (
          <fieldset key={index} class="pair">
            <legend>
              Company {index + 1}: {situations[index]}
            </legend>
            {FIELDS.map((field) => (
              <label key={field}>
                {field}
                <input
                  class="field"
                  list={field === 'trade' ? 'trades' : undefined}
                  value={String(company[field] ?? '')}
                  onInput={({ currentTarget }) => setCompany(index, field, currentTarget.value)}
                />
              </label>
            ))}
          </fieldset>
        ))}
        <datalist id="trades">
          {trades.map((trade) => (
            <option key={trade} value={trade} />
          ))}
        </datalist>
        <div class="row">
          <Button variant="primary" onPress={async () => serve((await current()).yaml)}>
            Serve it
          </Button>
          <Button onPress={async () => saveBlob(new Blob([(await current()).yaml]), 'demo.yaml')}>
            Save the file
          </Button>
          <Button onPress={async () => setShown(Boolean(await current()))}>Show the file</Button>
        </div>
      </form>
      {isShown && <pre class="note">{demo.yaml}</pre>}
    </Card>
  )
}

/** The names without what is left empty. */
function toSent({ companies, ...names }: NamedDemo['names']): object {
  return {
    ...names,
    companies: companies
      .map((company) =>
        Object.fromEntries(
          FIELDS.flatMap((field) => {
            const value = company[field] ?? ''
            const written = Array.isArray(value)
              ? value.map((text) => text.trim()).filter(Boolean)
              : value.trim()
            return written.length > 0 ? [[field, written]] : []
          }),
        ),
      )
      .filter((company) => Object.keys(company).length > 0),
  }
}

function writeDemo(names: object): Promise<NamedDemo> {
  return api.receive('POST', '/demo', { body: names })
}

/** Asks, and puts the demo in the place of the world. */
export async function serveDemo(names: object): Promise<void> {
  await serve((await writeDemo(names)).yaml)
}

async function serve(fixtures: string): Promise<void> {
  const before = await askToReplace({
    title: 'Serve the demo with these names?',
    text: 'It replaces all records of this world, and from now on a reset returns to it, even after Undo. Clocks and rate windows continue.',
    button: 'Serve it',
  })
  if (before === undefined) return
  await api.command({ type: 'fixtures.load', fixtures }, 'Loaded the demo with names', before)
  showNotice('This world is the demo with your names now.')
}
