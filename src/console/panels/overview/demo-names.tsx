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
import { demoLocale, localeChoices, writeDemo } from '../../state/demo.ts'
import { currentWorld } from '../../state/current-world.ts'
import { notifyOf, showNotice } from '../../state/notices.ts'
import { askToReplace } from '../../state/replace-world.ts'
import { useResource } from '../../state/resource.ts'

const FIELDS = ['name', 'city', 'trade', 'domain', 'keywords'] as const
type Field = (typeof FIELDS)[number]

const LABELS_WITHOUT_TRADE: Readonly<Record<string, string>> = {
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

/** Contents of the form; undefined while the form is closed, null while the server prepares the first contents. */
const filled = signal<NamedDemo | null | undefined>(undefined)
currentWorld.subscribe(() => (filled.value = undefined))

/** Names of the world when it last filled the form, as JSON. */
let served = ''

const EMPTY = { name: '' }

export function DemoNamesTile() {
  const open = () => {
    filled.value ??= null
    showForm()
  }
  return (
    <Tile icon={Users} action="Fill in" title="Your own names" onPress={open}>
      A demo with your agency and customers
    </Tile>
  )
}

function showForm(): void {
  document.querySelector<HTMLElement>('[name=agency]')?.focus()
}

export function DemoNamesForm() {
  return filled.value === undefined ? null : <Filled />
}

/** Fills the form, and refills it whenever the names of the world change: after a rebuild, an undo or a reset. */
function Filled() {
  const { name } = agencyRead.value.value?.agency ?? {}
  const read = useResource(() => writeDemo({ agency: name ? { name } : undefined }), [name])
  useLayoutEffect(() => {
    if (!read.value) return
    const names = JSON.stringify(read.value.names)
    if (filled.peek() && names === served) return
    served = names
    if (read.value.names.companies.length === 0) read.value.names.companies.push(EMPTY)
    if (!filled.peek()) setTimeout(showForm)
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
  const sent = companies.filter((company) => nonBlankFields(company).length > 0)
  const current = async (): Promise<NamedDemo> => {
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
                // A trade is named in the language of its country, so it is invalid in another country.
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
            if (await serve((await current()).yaml)) document.querySelector('main')?.scrollTo(0, 0)
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
        Invented customers fill the agency up to 40. Serve the saved file with{' '}
        <CopyText text={SERVE_FILE} name="the command" />, or make a static site of it with{' '}
        <CopyText text={EXPORT_FILE} name="the command of a site" />
      </p>
      {isShown && <pre class="beside">{demo.yaml}</pre>}
    </form>
  )
}

interface CustomerProps {
  demo: NamedDemo
  index: number
  /** Path of the customer in the request body, to show errors at its fields: `companies[0]`. */
  place: string
  onChange: (changed: object) => void
  onRemove: () => void
}

function Customer({ demo, index, place, onChange, onRemove }: CustomerProps) {
  const { names, trades } = demo
  const company = names.companies[index]!
  const [isOpened, setOpened] = useState(false)
  // Without a trade, every generated keyword contains the customer's name, so the form shows the keywords field.
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
                  LABELS_WITHOUT_TRADE[trade] ?? trade,
                ])}
                onSelect={(trade) => onChange({ trade })}
              />
            ) : (
              <TextField
                name={`${place}.${field}`}
                aria-label={LABELS[field]}
                value={String(company[field] ?? '')}
                placeholder={field === 'city' ? 'from its name, or any town' : undefined}
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

function nonBlankFields(company: NamedDemo['names']['companies'][number]): [Field, unknown][] {
  return FIELDS.flatMap((field): [Field, unknown][] => {
    const value = company[field] ?? ''
    const text = Array.isArray(value)
      ? value.map((each) => each.trim()).filter(Boolean)
      : value.trim()
    return text.length > 0 ? [[field, text]] : []
  })
}

function toSent({ companies, ...names }: NamedDemo['names']): object {
  return {
    ...names,
    companies: companies.map((company) => ({
      name: '',
      ...Object.fromEntries(nonBlankFields(company)),
      situation: company.situation ?? 'none',
    })),
  }
}

/** Replaces the world with the demo if the user agrees. */
export async function serveDemo(): Promise<void> {
  await serve((await writeDemo({})).yaml)
}

/** Resolves to false if the user declined. */
async function serve(fixtures: string): Promise<boolean> {
  const before = await askToReplace({
    title: 'Rebuild the demo with these names?',
    text: 'It replaces all records of this world, also for later resets.',
    button: 'Rebuild it',
  })
  if (before === undefined) return false
  await api.command({ type: 'fixtures.load', fixtures }, 'Loaded the demo with names', before)
  showNotice('This world is the demo with your names now.')
  return true
}
