import { Plus, Users } from 'lucide'
import { signal } from '@preact/signals'
import { useLayoutEffect, useState } from 'preact/hooks'
import { api } from '../../api/client.ts'
import type { NamedDemo } from '../../api/types.ts'
import { Button, Tile } from '../../parts/button.tsx'
import { CopyText } from '../../parts/copy-button.tsx'
import { saveBlob } from '../../parts/files.tsx'
import { Select, TextField } from '../../parts/form-fields.tsx'
import { Unread } from '../../parts/placeholders.tsx'
import { agencyRead } from '../../state/agency.ts'
import { navigate } from '../../state/location.ts'
import { demoLocale, localeChoices, writeDemo } from '../../state/demo.ts'
import { currentWorld } from '../../state/current-world.ts'
import { notifyOf, showNotice } from '../../state/notices.ts'
import { askToReplace } from '../../state/replace-world.ts'
import { useResource } from '../../state/resource.ts'

/** Fields of a customer. The fields after the third are shown on request. */
const FIELDS = ['name', 'city', 'trade', 'domain', 'keywords'] as const
type Field = (typeof FIELDS)[number]

/** Labels of the options that name no trade. */
const TRADES: Readonly<Record<string, string>> = {
  '': 'from its name, or any business',
  none: 'any business',
}

const LABELS: Record<Field, string> = {
  name: 'Company',
  city: 'Town in its texts',
  trade: 'Trade',
  domain: 'Website',
  keywords: 'Keywords, with commas between them',
}

type Situation = NonNullable<NamedDemo['names']['companies'][number]['situation']>

const SITUATIONS: Record<Situation, string> = {
  none: 'Going well',
  late: 'Late report',
  failing: 'Failed report',
  finished: 'New report',
  paused: 'Paused',
  new: 'No reports yet',
}

const SERVE_FILE = 'npx seo-sandbox --fixtures demo.yaml'
const EXPORT_FILE = 'npx seo-sandbox export --out demo-site --fixtures demo.yaml'

/** Contents of the form; null until they have been read, undefined until the form is opened. */
const filled = signal<NamedDemo | null | undefined>(undefined)
currentWorld.subscribe(() => (filled.value = undefined))

/** Names that the world had when the form was last filled from it, as JSON. */
let served = ''

const EMPTY = { name: '' }

export function DemoNamesTile() {
  const open = () => (filled.value ??= null)
  return (
    <Tile icon={Users} action="Fill in" title="Your own names" onPress={open}>
      A demo with your agency and customers
    </Tile>
  )
}

export function DemoNamesForm() {
  return filled.value === undefined ? null : <Filled />
}

/** The form, filled from the world again whenever the world has other names: after a rebuild, its undo, or a reset. */
function Filled() {
  const { name } = agencyRead.value.value?.agency ?? {}
  const read = useResource(() => writeDemo({ agency: name ? { name } : undefined }), [name])
  useLayoutEffect(() => {
    if (!read.value) return
    const names = JSON.stringify(read.value.names)
    if (filled.peek() && names === served) return
    served = names
    if (read.value.names.companies.length === 0) read.value.names.companies.push(EMPTY)
    filled.value = read.value
  }, [read.value])
  return filled.value ? <Form demo={filled.value} /> : <Unread of={read} />
}

function Form({ demo }: { demo: NamedDemo }) {
  const [isShown, setShown] = useState(false)
  const { names } = demo
  const { companies, agency } = names
  const set = (change: object) => {
    filled.value = { ...demo, names: { ...names, ...change } }
  }
  const sent = companies.filter((company) => writtenIn(company).length > 0)
  const current = async (): Promise<NamedDemo> => {
    // The demo supplies all other customers, including late and failing customers.
    const written = await writeDemo(toSent({ ...names, companies: sent }))
    filled.value = { ...written, names: filled.peek()?.names ?? names }
    return written
  }
  return (
    <form
      class="stack form names"
      aria-label="Your own names"
      onSubmit={(event) => event.preventDefault()}
    >
      <div class="columns">
        <label>
          Agency
          <TextField
            name="agency"
            aria-label="Agency"
            value={agency.name}
            onInput={(name) => set({ agency: { name } })}
          />
        </label>
        <label>
          Country
          <Select
            label="Country"
            value={demoLocale(demo)}
            options={localeChoices(demo)}
            onSelect={(locale) => {
              writeDemo({ locale, agency }).then((other) => {
                // A trade is a word of the country.
                const kept = companies.map((company) => ({ ...company, trade: '' }))
                filled.value = { ...other, names: { ...other.names, companies: kept } }
              }, notifyOf)
            }}
          />
        </label>
      </div>
      {companies.map((company, index) => (
        <Customer
          key={index}
          demo={demo}
          index={index}
          place={`companies[${sent.indexOf(company)}]`}
          onChange={(changed) =>
            set({ companies: companies.toSpliced(index, 1, Object.assign({}, company, changed)) })
          }
          onRemove={() => set({ companies: companies.toSpliced(index, 1) })}
        />
      ))}
      <div class="row">
        <Button icon={Plus} onPress={() => set({ companies: [...companies, EMPTY] })}>
          Add a customer
        </Button>
        <Button
          variant="primary"
          onPress={async () => {
            if (await serve((await current()).yaml)) navigate({ panel: 'world' })
          }}
        >
          Rebuild the demo
        </Button>
        <Button
          variant="quiet"
          onPress={async () => saveBlob(new Blob([(await current()).yaml]), 'demo.yaml')}
        >
          Save the file
        </Button>
        <Button variant="quiet" onPress={() => current().then(() => setShown(true))}>
          Show the file
        </Button>
      </div>
      <p class="small soft">
        Serve the saved file with <CopyText text={SERVE_FILE} name="the command" />, or make a
        static site of it with <CopyText text={EXPORT_FILE} name="the command of a site" />
      </p>
      {isShown && <pre class="beside">{demo.yaml}</pre>}
    </form>
  )
}

interface CustomerProps {
  demo: NamedDemo
  index: number
  /** Path of the customer in what is sent. */
  place: string
  onChange: (changed: object) => void
  onRemove: () => void
}

function Customer({ demo, index, place, onChange, onRemove }: CustomerProps) {
  const { names, trades } = demo
  const company = names.companies[index]!
  const [isOpened, setOpened] = useState(false)
  // Without a trade, only its own keywords are about more than its name.
  const isWhole = isOpened || company.trade === 'none'
  const fields = isWhole ? FIELDS : FIELDS.slice(0, 3)
  return (
    <fieldset>
      <legend>
        <h3>{`Customer ${index + 1}`}</h3>
      </legend>
      <div class="columns">
        {fields.map((field) => (
          <label key={field} class={field}>
            {LABELS[field]}
            {field === 'trade' ? (
              <Select
                label="Trade"
                value={company.trade ?? ''}
                options={[...new Set(['', company.trade ?? '', ...trades, 'none'])].map((trade) => [
                  trade,
                  TRADES[trade] ?? trade,
                ])}
                onSelect={(trade) => onChange({ trade })}
              />
            ) : (
              <TextField
                name={`${place}.${field}`}
                aria-label={LABELS[field]}
                value={String(company[field] ?? '')}
                placeholder={field === 'city' ? 'from its name, or any' : undefined}
                onInput={(value) =>
                  onChange({ [field]: field === 'keywords' ? value.split(',') : value })
                }
              />
            )}
          </label>
        ))}
        <label>
          How it is doing
          <Select
            label="How it is doing"
            value={company.situation ?? 'none'}
            options={Object.entries(SITUATIONS)}
            onSelect={(situation) => onChange({ situation })}
          />
        </label>
      </div>
      <div class="row">
        {!isWhole && (
          <Button variant="quiet" onPress={() => setOpened(true)}>
            Add its website and keywords
          </Button>
        )}
        <Button variant="quiet" onPress={onRemove}>
          Remove the customer
        </Button>
      </div>
    </fieldset>
  )
}

/** Returns the fields of a customer that are not empty. */
function writtenIn(company: NamedDemo['names']['companies'][number]): [Field, unknown][] {
  return FIELDS.flatMap((field): [Field, unknown][] => {
    const value = company[field] ?? ''
    const text = Array.isArray(value)
      ? value.map((each) => each.trim()).filter(Boolean)
      : value.trim()
    return text.length > 0 ? [[field, text]] : []
  })
}

/** Returns the names without empty fields, but with a name for each customer, even an empty one. */
function toSent({ companies, ...names }: NamedDemo['names']): object {
  return {
    ...names,
    companies: companies.map((company) => ({
      name: '',
      ...Object.fromEntries(writtenIn(company)),
      situation: company.situation ?? 'none',
    })),
  }
}

/** Replaces the world with the demo, after asking. */
export async function serveDemo(): Promise<void> {
  await serve((await writeDemo({})).yaml)
}

/** Resolves to false if the user declined. */
async function serve(fixtures: string): Promise<boolean> {
  const before = await askToReplace({
    title: 'Rebuild the demo with these names?',
    text: 'It replaces all records of this world, and a reset returns to it, even after Undo. Clocks and rate limits continue.',
    button: 'Rebuild it',
  })
  if (before === undefined) return false
  await api.command({ type: 'fixtures.load', fixtures }, 'Loaded the demo with names', before)
  showNotice('This world is the demo with your names now.')
  return true
}
