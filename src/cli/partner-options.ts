import type { ServeOptionName } from './serve-options.ts'

/** The options of `serve` that say what a partner's world is, and where. */
export const PARTNER_WORLD_OPTIONS = [
  'demo',
  'scenario',
  'fixtures',
  'projects',
  'locale',
  'store',
] as const satisfies ServeOptionName[]
