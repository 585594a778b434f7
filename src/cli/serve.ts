import { startServer } from '../adapters/server.ts'
import type { SandboxServer, ServerOptions } from '../adapters/server.ts'
import { loadFixtures } from '../fixtures/load-fixtures.ts'
import type { ServeSettings } from '../options.ts'
import { createBanner } from './banner.ts'
import { colorsFor } from './colors.ts'
import { loadHandlers } from './load-handlers.ts'
import { formatRequest, toLoggedRequest } from './request-log.ts'
import { readSettings } from './settings.ts'

const DEFAULT_ORIGIN = 'the default world, fixtures/default.yaml'

/** `seo-sandbox serve`: serves until SIGINT or SIGTERM. */
export async function serve(flags: Record<string, unknown>): Promise<void> {
  const settings = await readSettings(flags)
  let server: SandboxServer | undefined
  const options = await toServerOptions(settings)
  if (settings.quiet !== true) {
    options.onAnswer = (request, answer) => {
      if (server) print(logLine(toLoggedRequest(request, answer, server.sandbox), settings))
    }
  }
  ignoreClosedPipe()
  server = await startServer(options)
  stopOnSignal(server)
  print(startLine(server, settings))
}

async function toServerOptions(settings: ServeSettings): Promise<ServerOptions> {
  const { port, host, fixtures, now, frozen, policy, cors, handlers } = settings
  const candidates = {
    port,
    host,
    now,
    frozen,
    cors,
    policies: policy,
    rateLimit: settings['rate-limit'],
    trustProxy: settings['trust-proxy'],
    fixtures: fixtures && (await loadFixtures(...fixtures)),
    ...(handlers !== undefined && (await loadHandlers(handlers))),
  }
  const set = Object.entries(candidates).filter(([, value]) => value !== undefined)
  return Object.fromEntries(set)
}

function startLine({ url, port, sandbox }: SandboxServer, settings: ServeSettings): string {
  const origin = settings.fixtures?.join(', ') ?? DEFAULT_ORIGIN
  if (settings.json) {
    const { now, frozen } = sandbox.clock.read()
    return `${JSON.stringify({ event: 'listening', url, port, world: origin, now, frozen })}\n`
  }
  if (settings.quiet) return `${url}/api/v1\n`
  const rateLimits = settings['rate-limit']
  return createBanner({ url, sandbox, origin, rateLimits, colors: colorsFor(process.stdout) })
}

function logLine(request: ReturnType<typeof toLoggedRequest>, { json }: ServeSettings): string {
  if (json) return `${JSON.stringify({ event: 'request', ...request })}\n`
  return `  ${formatRequest(request, colorsFor(process.stdout))}\n`
}

function print(text: string): void {
  process.stdout.write(text)
}

/** A reader of the log that goes away, like `| head`, does not end the server. */
function ignoreClosedPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
}

const INTERRUPTED = 130

/** The first signal lets answers under way finish; the second ends the process at once. */
function stopOnSignal(server: SandboxServer): void {
  let isStopping = false
  const stop = () => {
    if (isStopping) process.exit(INTERRUPTED)
    isStopping = true
    void server.close()
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}
