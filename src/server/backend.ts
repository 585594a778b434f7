import type { ControlContext, ControlledWorlds } from '../control-api/routes/route.ts'
import type { ApiRequest, ApiResponse } from '../engine/messages.ts'
import type { Show } from '../report-pages/page-links.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { World } from '../world/world.ts'
import type { WorldRates } from './world-rates.ts'

/** The worlds behind a server: those of a sandbox, or those of a store. */
export interface Backend extends Pick<ControlContext, 'store' | 'problems'> {
  /** Responds to a request to the API, in the world of its token. */
  answer: (request: ApiRequest, show: Show) => ApiResponse | Promise<ApiResponse>
  /** The default world; with a store, in its state at creation. */
  world: World
  worlds: HostedWorlds
  /** Limits on control requests and report pages, per world; undefined without a store. */
  rates?: WorldRates | undefined
}

interface HostedWorlds extends ControlledWorlds {
  /** Returns the world that answers a request; undefined if it is not in memory. */
  worldOf: (request: Pick<ApiRequest, 'header'>) => World | undefined
  /** Returns a world in its current state. @throws CommandError for an unknown id; with a store, StoreError */
  get: (id: string) => World | Promise<World>
  /** Same as `get`, but returns undefined for an unknown id, and for an expired world. */
  find: (id: string) => World | undefined | Promise<World | undefined>
  inMemory: () => Iterable<World>
  /** True if the memory of this process has the world; omitted if it has all worlds. */
  holds?: (id: string) => boolean
  /**
   * Keeps a world up to date while a client follows its events. Returns a function that stops this. Omitted if worlds are always up
   * to date. `onEnd` is called when the world is unloaded from memory. With `key`, it is also called when the world expires, or
   * when the key no longer opens the world.
   */
  follow?: (id: string, how: { onEnd: () => void; key?: string | undefined }) => () => void
}

export function backendOf({ world: defaultWorld, worlds: { control } }: Sandbox): Backend {
  return {
    world: defaultWorld,
    worlds: control,
    answer: (request, show) => {
      const world = control.worldOf(request)
      return show(world.handle(request), request, world)
    },
  }
}
