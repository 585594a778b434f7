import type { ServerResponse } from 'node:http'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Responder } from '../adapters/node.ts'
import { API_PREFIX } from '../contract/url.ts'
import { ROUTES } from '../contract/routes.ts'
import { matchRoute } from '../control-api/control-routes.ts'
import { API_DOCUMENT_PATH, CONSOLE_PREFIX, CONTROL_PREFIX } from '../control-api/prefix.ts'
import type { ApiResponse } from '../engine/messages.ts'
import { route } from '../engine/router.ts'
import type { StoreMeter } from '../store/redis.ts'
import type { Backend } from './backend.ts'
import { PAGES_PREFIX } from '../report-pages/page-links.ts'

const PREFIX = 'seo_sandbox_'

/** Histogram buckets for durations, in seconds: from a response without a store to the longest call to a store. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

const ENTRIES = [0, 1, 10, 100, 1000]

/** Label of requests for unknown routes of the API. */
const OTHER = 'other'

/**
 * Metrics in the text format of Prometheus. The label `route` contains only routes of this package, never paths that clients
 * choose.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests = new Counter({
    name: `${PREFIX}requests_total`,
    help: 'Requests, by route and status of the response.',
    labelNames: ['route', 'status'] as const,
    registers: [this.#registry],
  })
  readonly #seconds = new Histogram({
    name: `${PREFIX}response_seconds`,
    help: 'Duration of responses, without the delays of faults and --latency.',
    labelNames: ['route'] as const,
    buckets: SECONDS,
    registers: [this.#registry],
  })

  readonly #storeSeconds = new Histogram({
    name: `${PREFIX}store_call_seconds`,
    help: 'Duration of calls to the store.',
    buckets: SECONDS,
    registers: [],
  })
  readonly #applied = new Counter({
    name: `${PREFIX}store_entries_applied_total`,
    help: 'Entries of the logs of worlds applied by this server.',
    registers: [],
  })
  readonly #behind = new Histogram({
    name: `${PREFIX}store_entries_behind`,
    help: 'Number of entries of other servers by which a world was behind, at each call to the store.',
    buckets: ENTRIES,
    registers: [],
  })

  readonly ofStore: StoreMeter = {
    replied: (ms) => this.#storeSeconds.observe(ms / 1000),
    applied: (entries, ofOthers) => {
      this.#applied.inc(entries)
      this.#behind.observe(ofOthers)
    },
  }

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
  }

  /** Adds the gauges of a backend and, if it has a store, the metrics of the store. */
  watch({ worlds, store, problems }: Pick<Backend, 'worlds' | 'store' | 'problems'>): void {
    const registers = [this.#registry]
    const show = (name: string, help: string, read: () => number): void => {
      const gauge: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        registers,
        collect: () => gauge.set(read()),
      })
    }
    show('worlds', 'Worlds in the memory of this server.', () => [...worlds.inMemory()].length)
    if (!store) return
    show(
      'worlds_limit',
      'Maximum number of worlds that this server holds in memory.',
      () => store.limits.loaded,
    )
    show('store_reached', '1 while the store answers, else 0.', () => Number(store.isReached))
    show(
      'store_takes_changes',
      '1 while the store accepts changes, else 0: full or read-only.',
      () => Number(store.takesChanges),
    )
    show(
      'damaged_worlds',
      'Damaged worlds, of which the store has lost a part.',
      () => store.damaged().length,
    )
    show(
      'store_problems',
      'Number of problems of the store listed by health.',
      () => problems?.().length ?? 0,
    )
    const largest: Gauge<'world'> = new Gauge({
      name: `${PREFIX}store_world_bytes`,
      help: 'Size of the largest worlds in the store, in bytes, while the store is nearly full.',
      labelNames: ['world'] as const,
      registers,
      collect: () => {
        largest.reset()
        for (const { id, bytes } of store.largestWorlds()) largest.set({ world: id }, bytes)
      },
    })
    for (const metric of [this.#storeSeconds, this.#applied, this.#behind])
      this.#registry.registerMetric(metric)
  }

  read(): Promise<string> {
    return this.#registry.metrics()
  }

  /** Wraps the API to count and time its requests. */
  ofApi({ answer }: Responder): Responder {
    return {
      answer: (request) => {
        const begunMs = performance.now()
        const count = (response: ApiResponse): ApiResponse => {
          const found = route(request.path)
          const label = found ? API_PREFIX + ROUTES[found.operation].path : OTHER
          this.#count(label, response.status, performance.now() - begunMs)
          return response
        }
        const responding = answer(request)
        return responding instanceof Promise ? responding.then(count) : count(responding)
      },
    }
  }

  /**
   * Counts and times requests to the control API, the report pages, the files of the console and the OpenAPI document. Requests for
   * `/` are not counted. Event streams are not counted either, because they end only with their connections.
   */
  countOther(path: string, response: ServerResponse): void {
    const found = findOther(response.req.method ?? 'GET', path)
    if (found === undefined) return
    const begunMs = performance.now()
    response.once('close', () => {
      const type = String(response.getHeader('content-type'))
      if (!type.startsWith('text/event-stream'))
        this.#count(found, response.statusCode, performance.now() - begunMs)
    })
  }

  #count(label: string, status: number, ms: number): void {
    this.#requests.inc({ route: label, status })
    this.#seconds.observe({ route: label }, ms / 1000)
  }
}

/**
 * Returns the label of a path: its route in the control API, or a prefix outside the API. Undefined for `/`, and for paths of the
 * API.
 */
function findOther(method: string, path: string): string | undefined {
  const isBelow = (prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`)
  if (!isBelow(CONTROL_PREFIX))
    return [PAGES_PREFIX, CONSOLE_PREFIX, API_DOCUMENT_PATH].find(isBelow)
  const matched = matchRoute(method, path.slice(CONTROL_PREFIX.length))
  return CONTROL_PREFIX + (matched?.route.path ?? '')
}
