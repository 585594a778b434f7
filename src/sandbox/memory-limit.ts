/** The part of Node that browsers lack. */
interface NodeGlobals {
  process?: {
    getBuiltinModule?: (
      name: 'node:v8',
    ) => { getHeapStatistics: () => { heap_size_limit: number } } | undefined
  }
}

/** Assumed where it is not known, as in browsers. */
const DEFAULT_HEAP_BYTES = 1024 * 2 ** 20

/** The rest is left for work in progress, such as reading fixtures, and for what the estimates do not cover. */
const SHARE_OF_WORLDS = 0.5

/** How many bytes the worlds of a sandbox may take: half of the heap, which `--max-old-space-size` sets. */
export function memoryLimit(): number {
  const { process } = globalThis as NodeGlobals
  const statistics = process?.getBuiltinModule?.('node:v8')?.getHeapStatistics()
  return (statistics?.heap_size_limit ?? DEFAULT_HEAP_BYTES) * SHARE_OF_WORLDS
}
