import type { IncomingMessage, ServerResponse } from 'node:http'
import { failWith } from '../adapters/fail-with.ts'
import { clientAddress } from '../adapters/node-request.ts'
import type { RequestTarget } from '../adapters/node-request.ts'
import { isSigned } from '../report-pages/page-links.ts'
import type { PageAddress } from '../report-pages/page-links.ts'
import { respondWithPage, toPage } from '../report-pages/respond-with-page.ts'
import type { PageResponse, PageSource, SentencePage } from '../report-pages/respond-with-page.ts'
import { StoreError } from '../store/store-error.ts'
import type { World } from '../world/world.ts'
import { DEFAULT_WORLD } from '../world/worlds.ts'
import { WrongTries } from './admin-key.ts'
import type { Backend } from './backend.ts'
import { LIMITED_HEADER, refusalHeaders, refusalStatus } from './store-refusal.ts'

/** Creates the handler of the pages to which reports link. */
export function createReportPages(
  { worlds, store, rates }: Backend,
  hops: number,
): (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => void {
  const wrongLinks = new WrongTries()
  return (request, response, { path }) => {
    const source: PageSource = {
      find: (address) => findWorld(address, clientAddress(request, hops)),
      admit: ({ world, isPdf }, render) => {
        if (!rates || world === DEFAULT_WORLD) return render()
        if (isPdf) return rates.takeCostly(world, render)
        rates.take(world)
        return render()
      },
      hasLeft: () => response.destroyed,
    }
    respondWithPage({ method: request.method ?? 'GET', path }, source)
      .catch((error: unknown) => {
        if (error instanceof StoreError) return toPage(toRefusalPage(error))
        throw error
      })
      .then((page) => page && send(request, response, page))
      .catch((error: unknown) => failWith(error, response))
  }

  /**
   * Returns the world of a link, or a page with a refusal; undefined for a wrong link. A client can load only a few worlds per
   * period with wrong links, because each link that loads a world in vain counts in `WrongTries`.
   */
  async function findWorld(
    address: PageAddress,
    client: string,
  ): Promise<World | SentencePage | undefined> {
    const { world: id } = address
    // Anyone who knows the seed of the default world can compute its links.
    if (id === DEFAULT_WORLD && store?.isDefaultClosed === true) return undefined
    const isHeld = worlds.holds?.(id) ?? true
    const waitSeconds = isHeld ? 0 : wrongLinks.count(client)
    if (waitSeconds > 0) return tooManyWrong(waitSeconds)
    let isLoadedInVain = false
    try {
      const world = await worlds.find(id)
      if (world && isSigned(address, world)) return world
      isLoadedInVain = world !== undefined
      return undefined
    } finally {
      if (!isHeld && !isLoadedInVain) wrongLinks.forgive(client)
    }
  }
}

function tooManyWrong(waitSeconds: number): SentencePage {
  return {
    status: 429,
    title: 'Too many wrong links',
    sentence: `Too many wrong links came from this address. Open this one again after ${waitSeconds} s.`,
    headers: { 'Retry-After': String(waitSeconds), [LIMITED_HEADER]: 'host' },
  }
}

function toRefusalPage(error: StoreError): SentencePage {
  return {
    status: refusalStatus(error),
    title: 'Not now',
    sentence: error.message,
    headers: refusalHeaders(error),
  }
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: PageResponse,
): void {
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  response.end(method === 'HEAD' ? undefined : body)
}
