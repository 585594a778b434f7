import { flagNameOf, WORLD_OPTION_NAMES } from '../world/options/flags.ts'
import type { ServeOptionName } from './serve-options.ts'

/** The options of `export` that `serve` does not have. */
export const EXPORT_OPTIONS = {
  out: { value: '<folder>', description: 'where to write it' },
  title: {
    value: '<text>',
    description: 'the title of the page, such as the name of a customer',
    default: 'seo-sandbox',
  },
  base: {
    value: '<path>',
    description:
      'the path that the site will have on its host, for its OpenAPI documents; it works below any',
  },
  json: { description: 'print what was written as one JSON object' },
} as const

/** The options of `serve` that say what a world is like. */
export const EXPORT_SERVE_OPTIONS = WORLD_OPTION_NAMES.map(flagNameOf) as ServeOptionName[]
