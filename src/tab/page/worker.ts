import { ShareError } from '../../share/share-error.ts'
import type { SharedSession } from '../../session/session.ts'
import { CommandError } from '../../world/command-error.ts'
import type { Site, TabCall, TabCalls, TabPlace, TabReply } from '../site.ts'
import { SavedWorlds, readSharedText, TabSandbox } from './tab-sandbox.ts'
import { serveOver } from './port-fetch.ts'

/** The worker of a page, which runs the sandbox of the tab. */

let started: TabSandbox | undefined
let site: Promise<Site> | undefined
/** The shared session that was last read, and the id of the tab that read it. */
let lastRead: { shared: SharedSession; id: string } | undefined

const CALLS: {
  [Name in keyof TabCalls]: (ask: TabCalls[Name]['ask']) => Promise<TabCalls[Name]['reply']>
} = {
  start: async (place) => {
    const { tab, ...reply } = await TabSandbox.start(await siteAt(place), place)
    started = tab
    return reply
  },
  read: async ({ shared: text, ...place }) => {
    const { shared, difference } = await readSharedText(text, await siteAt(place))
    lastRead = { shared, id: place.id }
    return { difference }
  },
  take: async () => {
    const { shared, id } = lastRead!
    started?.stopSaving()
    await new SavedWorlds((await site!).digest).save(id, {
      world: { shared },
      nowMs: shared.site.shared_ms,
    })
    return {}
  },
  share: ({ screen }) => started!.share(screen),
  forget: async () => {
    await started?.forget()
    return {}
  },
}

addEventListener('message', ({ data, ports: [port] }: MessageEvent<TabCall | null>) => {
  if (!port) return
  if (data) void answer(data, port)
  else if (started) serveOver(port, started.fetch)
})

function siteAt({ base }: TabPlace): Promise<Site> {
  site ??= fetch(`${base}/site.json`).then((response) => response.json() as Promise<Site>)
  return site
}

async function answer({ call, ...ask }: TabCall, port: MessagePort): Promise<void> {
  const reply = (message: TabReply<typeof call>): void => port.postMessage(message)
  try {
    reply({ value: await CALLS[call](ask as never) })
  } catch (error) {
    // Errors of any other class are bugs. A reload may help.
    const isExpected = error instanceof ShareError || error instanceof CommandError
    if (!isExpected) reportError(error)
    reply({ refusal: isExpected ? error.message : BUG })
  }
}

const BUG = 'Something went wrong in the sandbox of this site. Reload the page.'
