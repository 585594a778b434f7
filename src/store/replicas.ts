import { setTimeout } from '../contract/timers.ts'
import type { World } from '../world/world.ts'
import { bytesOfWorlds, LoadedWorlds } from './loaded-worlds.ts'
import { Replica } from './replica.ts'
import type { ReplicaContext } from './replica.ts'
import type { WorldLimits } from './store-options.ts'

/** Maximum number of worlds drained at a time, because the snapshots of all worlds together might not fit into memory. */
const DRAINED_AT_ONCE = 8

type SharedContext = Omit<ReplicaContext, 'log' | 'loaded' | 'limits'> & { limits: WorldLimits }

/**
 * The replicas of this process, least recently used first. The world of a replica may be in memory, or only in the
 * store.
 */
export class Replicas {
  readonly #byId = new Map<string, Replica>()
  readonly #create: (id: string) => Replica

  constructor(
    heapLimit: number,
    {
      logOf,
      isLimited,
      limits,
      ...shared
    }: SharedContext & {
      logOf: (id: string) => ReplicaContext['log']
      isLimited: (id: string) => boolean
    },
  ) {
    const most = { worlds: limits.loaded, bytes: bytesOfWorlds(heapLimit) }
    const loaded = new LoadedWorlds(most, () => this.#unloadNext())
    this.#create = (id) =>
      new Replica(id, {
        ...shared,
        log: logOf(id),
        loaded,
        limits: isLimited(id) ? limits : undefined,
      })
  }

  get size(): number {
    return this.#byId.size
  }

  /** Returns the replica of a world, creating it if necessary, and makes it the most recently used one. */
  use(id: string): Replica {
    const replica = this.#byId.get(id) ?? this.#create(id)
    this.#byId.delete(id)
    this.#byId.set(id, replica)
    return replica
  }

  find(id: string): Replica | undefined {
    return this.#byId.get(id)
  }

  forget(id: string): void {
    this.#byId.get(id)?.retire()
    this.#byId.delete(id)
  }

  *worlds(): Generator<World> {
    for (const { world } of this.#byId.values()) if (world) yield world
  }

  /** Returns the ids of worlds that were damaged in the store when they were last used. */
  damaged(): string[] {
    return [...this.#byId.values()].filter(({ isDamaged }) => isDamaged).map(({ id }) => id)
  }

  /**
   * Spends at most `withinMs` milliseconds on storing snapshots of changed worlds. Changes that are in no snapshot remain in
   * the logs of their worlds.
   */
  async drain(withinMs: number): Promise<void> {
    const endMs = performance.now() + withinMs
    const left = [...this.#byId.values()]
    const drainOthers = async (): Promise<void> => {
      while (performance.now() < endMs) {
        const replica = left.pop()
        if (!replica) return
        await replica.drain()
      }
    }
    const drained = Promise.all(Array.from({ length: DRAINED_AT_ONCE }, drainOthers))
    const isLate = new Promise((resolve) => void setTimeout(resolve, withinMs).unref())
    await Promise.race([drained, isLate])
  }

  /**
   * Unloads the least recently used of the idle worlds or, if none is idle, of the unused ones. Returns false if all worlds
   * are in use.
   */
  #unloadNext(): boolean {
    const loaded = [...this.#byId].filter(([, { world, isUnused }]) => world && isUnused)
    // Idle worlds first, because a client that follows a world would make this server reload it.
    const [id, replica] = loaded.find(([, { isIdle }]) => isIdle) ?? loaded[0] ?? []
    if (!replica) return false
    if (replica.isIdle) this.forget(id!)
    else replica.unload()
    return true
  }
}
