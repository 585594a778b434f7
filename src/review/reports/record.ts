import { withoutControls } from '../../contract/text.ts'
import type { JudgedReview, RunContext } from '../judge.ts'

export interface Demand {
  what: string
  label: 'met' | 'not met' | 'used' | 'unused' | 'expired' | 'waived'
  text: string
}

export interface DemandList {
  name: 'required' | 'waivers'
  /** Counts by label, such as `1 met, 1 not met`. */
  summary: string
  list: Demand[]
}

export function demandsOf({ required, waived }: JudgedReview): DemandList[] {
  const isWaived = (what: string) =>
    waived.some((waiver) => waiver.what === what && waiver.state === 'used')
  const requirements = required.map(({ what, met, message, exercise }): Demand => {
    const label = met ? 'met' : isWaived(what) ? 'waived' : 'not met'
    return { what, label, text: met ? message : `${message} ${exercise}` }
  })
  const waivers = waived.map(({ what, reason, until, state }): Demand => {
    return { what, label: state, text: `until ${until}: ${reason}${REMEDIES[state]}` }
  })
  const lists = [summarize('required', requirements), summarize('waivers', waivers)]
  return lists.filter(({ list }) => list.length > 0)
}

const REMEDIES = {
  used: '',
  unused: ' (It did not fail. Remove the waiver.)',
  expired: ' (Remove the waiver, or extend it.)',
}

function summarize(name: DemandList['name'], list: Demand[]): DemandList {
  const labels = list.map(({ label }) => label)
  const counts = [...new Set(labels)].map(
    (label) => `${labels.filter((one) => one === label).length} ${label}`,
  )
  return { name, summary: counts.join(', '), list }
}

export const HEADINGS = { required: 'Requirements', waivers: 'Waivers' } as const

export const TONES = {
  met: 'passed',
  used: 'warning',
  unused: 'warning',
  waived: 'warning',
  'not met': 'failed',
  expired: 'failed',
} as const satisfies Record<Demand['label'], string>

export function describeRun({ context, sessions }: JudgedReview): [name: string, text: string][] {
  const { command, exit, storm, version, date, world, policies, clocks } = context
  const facts: [string, string | null][] = [
    ['command', command],
    ['exit code', exit === null ? null : String(exit)],
    ['storm', storm?.map((one) => `${one.run} (exit code ${one.exit})`).join(', then ') ?? null],
    ['date', showTime(date)],
    ['release', version],
    ['world', listFacts(world) || null],
    ['policies', listFacts(policies) || 'the defaults'],
    ['world clock', describeSpan(clocks.world)],
    ['rate clock', clocks.rate && describeSpan(clocks.rate)],
    ['sessions', String(sessions)],
  ]
  return facts.flatMap(([name, text]) => (text === null ? [] : [[name, withoutControls(text)]]))
}

function listFacts(facts: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(facts).map(([name, value]) => {
    const items: unknown[] = [value].flat()
    const text = items.map((item) => (typeof item === 'string' ? item : JSON.stringify(item)))
    return `${name} ${text.join(' and ')}`
  })
  return texts.join(', ')
}

function describeSpan({ from, to }: RunContext['clocks']['world']): string {
  return `${showTime(from)} to ${showTime(to)}`
}

/** Formats an ISO 8601 time in UTC, such as `2026-03-04 12:00:00`; a dash for null. */
export function showTime(time: string | null): string {
  if (time === null) return '–'
  return withoutControls(time).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2')
}
