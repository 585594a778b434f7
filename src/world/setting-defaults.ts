import { DEFAULT_RATE_LIMITS } from '../contract/rate-limits.ts'

/** The default of a setting, and how a world's own value combines with the default world's. */
export interface SettingDefault {
  default?: unknown
  /** Combines the value of the default world with a world's own, for settings where the latter does not replace it. */
  merge?: (base: never, own: never) => unknown
}

/** How many requests a journal keeps. */
export const DEFAULT_JOURNAL = 5000

/** The options of a running world. Those without a default may be undefined. */
export const SETTING_DEFAULTS = {
  seed: { default: '1' },
  now: {},
  frozen: {},
  policies: {
    default: {},
    merge: (base: object, own: object) => ({ ...base, ...own }),
  },
  rateLimit: { default: DEFAULT_RATE_LIMITS },
  latency: {},
  showGaps: { default: false },
  journal: { default: DEFAULT_JOURNAL },
} as const satisfies Record<string, SettingDefault>

export type SettingName = keyof typeof SETTING_DEFAULTS
export const SETTING_NAMES = Object.keys(SETTING_DEFAULTS) as SettingName[]
