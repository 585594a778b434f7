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

/** The maximum size of the heap in bytes, which `--max-old-space-size` sets. */
export function heapLimit(): number {
  const { process } = globalThis as NodeGlobals
  const statistics = process?.getBuiltinModule?.('node:v8')?.getHeapStatistics()
  return statistics?.heap_size_limit ?? DEFAULT_HEAP_BYTES
}
