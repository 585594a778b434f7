import { PublicUrl } from '../../server/server-options.ts'
import type { FlagText } from '../../world/options/flags.ts'
import type { FlagDefinition } from '../serve-options.ts'

/** Which world of which server a command shows, where no session is given. */
export const OBSERVE_OPTIONS = {
  url: {
    value: '<url>',
    description:
      'the server; SEO_SANDBOX_CONTROL_URL if omitted, or else the port of serve on this machine',
    read: PublicUrl,
  },
  world: {
    value: '<id>',
    description: 'an isolated world of the server, by its id; the default one if omitted',
  },
} as const satisfies Record<string, FlagText & Partial<FlagDefinition>>
