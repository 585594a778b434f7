import v8 from 'node:v8'
import { vi } from 'vitest'

/** Limits the heap of sandboxes that are created from now on, of which their worlds may take half. */
export function limitHeap(bytes: number): void {
  const statistics = v8.getHeapStatistics()
  vi.spyOn(v8, 'getHeapStatistics').mockReturnValue({ ...statistics, heap_size_limit: bytes })
}
