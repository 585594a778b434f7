import { createSandbox } from '../../sandbox/create-sandbox.ts'
import type { Site, TabStart, TabStarted } from '../site.ts'
import { createTabFetch } from '../tab-fetch.ts'
import type { TabFetch } from '../tab-fetch.ts'
import { continueWorld, keepWorld } from './kept-world.ts'
import { serveOver } from './port-fetch.ts'

/** The worker of a page: the sandbox of its tab. Its first message starts it, and each other one has the port of a request. */

let started: Promise<TabFetch> | undefined

addEventListener('message', ({ data, ports: [port] }: MessageEvent<TabStart>) => {
  if (port) {
    started
      ?.then((serve) => serveOver(port, serve))
      // The page has been told.
      .catch(() => port.close())
    return
  }
  started = start(data)
  started.catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error)
    postMessage({ type: 'failed', message } satisfies TabStarted)
  })
})

async function start({ id, base }: TabStart): Promise<TabFetch> {
  const readJson = async (file: string): Promise<object> => (await fetch(`${base}/${file}`)).json()
  const { options, ...site } = (await readJson('site.json')) as Site
  const sandbox = await createSandbox(options)
  const { digest } = site
  // A browser that stores nothing for pages has worlds all the same.
  const isContinued = await continueWorld(sandbox, { id, digest }).catch(() => false)
  keepWorld(sandbox, { id, digest, onError: console.warn })
  postMessage({ type: 'ready', site, isContinued } satisfies TabStarted)
  return createTabFetch(sandbox, {
    id,
    base,
    documents: {
      api: () => readJson('openapi.json'),
      control: () => readJson('control-openapi.json'),
    },
    onBug: reportError,
  })
}
