import { splitTarget } from '../adapters/node-request.ts'
import { createHandler } from '../adapters/node.ts'
import type { Middleware, MiddlewareOptions, Responder } from '../adapters/node.ts'
import { TrustedHops } from '../adapters/trusted-hops.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { OptionError } from '../world/options/option-error.ts'
import { parseOption, Switch } from '../world/options/parse-option.ts'
import { backendOf } from './backend.ts'
import { createListener } from './listener.ts'
import { AdminKeyOption, PublicUrlOption } from './server-options.ts'
import type { ServerOptions } from './server-options.ts'

/** Options for the parts mounted besides the API, and for access to them. */
export interface MountOptions
  extends MiddlewareOptions, Pick<ServerOptions, 'adminKey' | 'publicUrl'> {
  /**
   * True to mount the control API at `/_sandbox`, the report pages at `/reports` and the OpenAPI document at
   * `/openapi.json`; false if omitted. Without `adminKey`, only programs on this machine may use the control API.
   */
  control?: boolean
  /** True to mount the console at `/`, for browsers, and everything that `control` mounts; false if omitted. */
  console?: boolean
}

/**
 * Mounts a sandbox at the root of an application of Express 4 or 5, Connect or Vite's dev server, or in a bare `node:http` server.
 * The middleware serves `/api/v1` and below, and the paths that `control` and `console` add. All other requests go to `next`;
 * without it, they are answered with a 404.
 *
 * @throws OptionError for an invalid option, and for an isolated sandbox with `control` or `console`
 */
export function middleware(
  sandbox: Responder | Sandbox,
  { control = false, console = false, adminKey, publicUrl, ...options }: MountOptions = {},
): Middleware {
  const hasConsole = parseOption(Switch, console, 'console')
  if (!parseOption(Switch, control, 'control') && !hasConsole) {
    const handle = createHandler(sandbox, options)
    return (request, response, next) => handle(request, response, splitTarget(request), next)
  }
  const { trustProxy = 0, onResponse } = options
  const key = adminKey === undefined ? undefined : parseOption(AdminKeyOption, adminKey, 'adminKey')
  const whole = requireWhole(sandbox)
  if (key !== undefined) whole.world.options.givenValues.addForGood(key)
  const serve = createListener(backendOf(whole), {
    hasConsole,
    ...(onResponse && { onResponse }),
    control: {
      adminKey: key,
      publicUrl:
        publicUrl === undefined ? undefined : parseOption(PublicUrlOption, publicUrl, 'publicUrl'),
      hops: parseOption(TrustedHops, trustProxy, 'trustProxy'),
    },
  })
  return (request, response, next) => void serve(request, response, splitTarget(request), next)
}

function requireWhole(sandbox: Responder | Sandbox): Sandbox {
  if ('worlds' in sandbox && sandbox.world === sandbox.worlds.control.default) return sandbox
  throw new OptionError(
    'The control API is about all worlds of a sandbox: mount the sandbox that createSandbox returned, and not an isolated one.',
  )
}
