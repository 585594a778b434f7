import { inspect } from 'node:util'
import express from 'express'
import type { ErrorRequestHandler, Express, Request, Response } from 'express'
import {
  CONTROL_PREFIX,
  CONTROL_ROUTES,
  errorAnswer,
  toErrorAnswer,
} from '../control/control-routes.ts'
import type { ControlAnswer } from '../control/control-routes.ts'
import { guardControl } from '../control/guard.ts'
import type { Sandbox } from '../sandbox.ts'

const BODY_LIMIT = '1mb'

/** The control API of a sandbox, under `/_sandbox`, for a server that listens on that address. */
export function createControlApp(sandbox: Sandbox, listensOn: string): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  const control = express.Router()

  for (const route of CONTROL_ROUTES.filter(({ isOpen }) => isOpen)) mount(route)
  control.use((request, response, next) => {
    const { origin, host } = request.headers
    const refusal = guardControl({ listensOn, origin, host })
    if (refusal) send(response, refusal)
    else next()
  })
  control.use(express.json({ limit: BODY_LIMIT, strict: false, type: () => true }))
  for (const route of CONTROL_ROUTES.filter(({ isOpen }) => !isOpen)) mount(route)
  control.use((request, response) => {
    send(response, unknownRoute(request))
  })

  app.use(CONTROL_PREFIX, control)
  app.use(answerError)
  return app

  function mount({ method, path, answer }: (typeof CONTROL_ROUTES)[number]): void {
    control[method](path, async (request, response) => {
      const { params, body } = request as Request<Record<string, string>>
      send(response, await answer(sandbox.world, { params, body: body as unknown }))
    })
  }
}

function send(response: Response, { status, body }: ControlAnswer): void {
  response.status(status)
  if (body === undefined) response.end()
  else response.json(body)
}

/** A path or a method that no route has. */
function unknownRoute({ method, path }: Request): ControlAnswer {
  const paths = [...new Set(CONTROL_ROUTES.map((route) => `${CONTROL_PREFIX}${route.path}`))]
  return errorAnswer(
    404,
    'route_not_found',
    `There is no ${method} ${CONTROL_PREFIX}${path}. The control API has ${paths.join(', ')}.`,
  )
}

/** What commands and the reading of bodies refuse. Anything else is a bug, which stderr tells in full. */
const answerError: ErrorRequestHandler = (error: unknown, _request, response, next) => {
  if (response.headersSent) {
    next(error)
    return
  }
  const answer = toErrorAnswer(error) ?? toBodyAnswer(error)
  if (!answer) process.stderr.write(`${inspect(error)}\n`)
  send(response, answer ?? errorAnswer(500, 'internal_error', 'This is a bug of seo-sandbox.'))
}

function toBodyAnswer(error: unknown): ControlAnswer | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined
  const status = Number(error.status)
  if (status === 413) return errorAnswer(413, 'body_too_large', `A body has at most ${BODY_LIMIT}.`)
  if (status < 400 || status >= 500) return undefined
  const isJson = 'type' in error && error.type === 'entity.parse.failed'
  return errorAnswer(
    status,
    isJson ? 'invalid_json' : 'invalid_request',
    isJson ? `The body is not JSON: ${error.message}. Send a JSON object.` : `${error.message}.`,
  )
}
