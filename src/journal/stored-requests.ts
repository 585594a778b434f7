import type { PolicyName } from '../contract/policies.ts'
import type { ShownReport } from '../engine/messages.ts'
import { RecordedRequest } from './recorded-request.ts'
import type { Head, Sender, Target } from './recorded-request.ts'

/** Recorded requests as plain JSON. Equal requests give equal JSON, and equal parts are stored once. */
export interface StoredRequests {
  targets: Target[]
  senders: Partial<Sender>[]
  heads: Partial<Head>[]
  policies: (readonly PolicyName[])[]
  reports: (readonly ShownReport[])[]
  requests: StoredRequest[]
  /** The recorded ends of responses. */
  ends: StoredEnd[]
}

type StoredEnd = [sequence: number, after: number, rateMs: number, isAborted: 0 | 1]

/**
 * A request. Its last five items are indexes into the lists of parts; the last one is null if the body shows no
 * reports.
 */
type StoredRequest = [
  sequence: number,
  atMs: number,
  worldOffsetMs: number,
  rateOffsetMs: number,
  durationMicros: number | null,
  query: string,
  bodyBytes: number,
  bodyDigest: number,
  target: number,
  sender: number,
  head: number,
  policies: number,
  reports: number | null,
]

export function storeRequests(recorded: readonly RecordedRequest[]): StoredRequests {
  const targets = new Parts<Target>()
  const senders = new Parts<Partial<Sender>>()
  const heads = new Parts<Partial<Head>>()
  const policies = new Parts<readonly PolicyName[]>()
  const reports = new Parts<readonly ShownReport[]>()
  const requests = recorded.map((request): StoredRequest => [
    request.sequence,
    request.atMs,
    request.worldOffsetMs,
    request.rateOffsetMs,
    request.durationMicros,
    request.query,
    request.bodyBytes,
    request.bodyDigest,
    targets.indexOf(request.target, toStoredTarget),
    senders.indexOf(request.sender, toStoredSender),
    heads.indexOf(request.head),
    policies.indexOf(request.policies),
    request.shown?.reports ? reports.indexOf(request.shown.reports) : null,
  ])
  return {
    targets: targets.list,
    senders: senders.list,
    heads: heads.list,
    policies: policies.list,
    reports: reports.list,
    requests,
    ends: recorded.flatMap(({ sequence, responseEnd }): StoredEnd[] => {
      if (!responseEnd) return []
      const { after, rateMs, isAborted = false } = responseEnd
      return [[sequence, after, rateMs, isAborted ? 1 : 0]]
    }),
  }
}

/** Returns a target without fields that the journal does not need. */
function toStoredTarget({ path, operation, project }: Target): Target {
  return { path, ...(operation && { operation }), project }
}

function toStoredSender({ token, ...sender }: Partial<Sender>): Partial<Sender> {
  return { ...sender, ...(token && { token: { id: token.id, name: token.name } }) }
}

export function resumeRequests(stored: StoredRequests): RecordedRequest[] {
  const senders = stored.senders.map((sender) => ({ ...NO_SENDER, ...sender }))
  const heads = stored.heads.map((head) => ({ ...NO_HEAD, ...head }))
  const ends = new Map(
    stored.ends.map(([sequence, after, rateMs, isAborted]) => [
      sequence,
      { after, rateMs, ...(isAborted === 1 && { isAborted: true }) },
    ]),
  )
  return stored.requests.map((values) => {
    const [sequence, atMs, worldOffsetMs, rateOffsetMs, durationMicros, query, ...others] = values
    const [bodyBytes, bodyDigest, target, sender, head, policies, reports] = others
    const recorded = Object.assign(new RecordedRequest(), {
      sequence,
      atMs,
      worldOffsetMs,
      rateOffsetMs,
      durationMicros,
      query,
      bodyBytes,
      bodyDigest,
      target: stored.targets[target],
      sender: senders[sender],
      head: heads[head],
      policies: stored.policies[policies],
      responseEnd: ends.get(sequence),
      ...(reports !== null && { shown: { reports: stored.reports[reports] } }),
    })
    return recorded
  })
}

const { sender: NO_SENDER, head: NO_HEAD } = new RecordedRequest()

/** A list of parts in the order of first use, without duplicates. */
class Parts<Part extends object> {
  readonly list: Part[] = []
  readonly #known = new Map<Part, number>()
  readonly #byText = new Map<string, number>()

  indexOf(part: Part, toStored = (whole: Part): Part => whole): number {
    const known = this.#known.get(part)
    if (known !== undefined) return known
    const stored = toStored(part)
    const text = JSON.stringify(stored)
    const index = this.#byText.get(text) ?? this.list.push(stored) - 1
    this.#byText.set(text, index)
    this.#known.set(part, index)
    return index
  }
}
