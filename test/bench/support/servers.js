/**
 * The measured servers, each in its own process. It sends its port to the parent, then replies to
 * `MESSAGES`: with its processor time, its heap in use, or the cost of its turns.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { processorTime, Turns } from './turns.js'

const SERVERS = {
  /** The sandbox, as the command line serves it without its log. */
  sandbox: async (options) => {
    const { startServer } = await import('seo-sandbox/server')
    const { port } = await startServer({ ...options, port: 0 })
    return port
  },
  /** The sandbox without noticing the ends of responses. */
  'not-noticing': (options) => startObserving(undefined, options),
  /** The sandbox in the same modules as `not-noticing`. */
  noticing: (options) => startObserving('all', options),
  /** The sandbox that only records requests in every other turn. */
  'journal-in-turn': async (options) => {
    const { Journal } = await import('../../../build/journal/journal.js')
    const { SessionRecorder } = await import('../../../build/session/session-recorder.js')
    const { RecordedRequest } = await import('../../../build/journal/recorded-request.js')
    const { ReviewQueue } = await import('../../../build/review/record-review.js')
    turns = new Turns()
    const notRecorded = new RecordedRequest()
    replaceMethod(ReviewQueue, 'onRequest', () => () => undefined)
    replaceMethod(ReviewQueue, 'onResponseEnd', () => () => undefined)
    replaceMethod(Journal, 'addRequest', (own) => {
      return function add(answered, isKept) {
        return turns.next() ? own.call(this, answered, isKept) : notRecorded
      }
    })
    replaceMethod(SessionRecorder, 'onRequest', (own) => {
      return function add(recorded) {
        if (recorded !== notRecorded) own.call(this, recorded)
      }
    })
    const { startServer } = await import('../../../build/server.js')
    const { port } = await startServer({ ...options, port: 0 })
    return port
  },
  /** The sandbox that only reviews requests in every other turn; all of them are recorded. */
  'review-in-turn': async (options) => {
    const { ReviewQueue } = await import('../../../build/review/record-review.js')
    turns = new Turns()
    // The sequences of the requests of the last turn that were reviewed.
    let [first, last] = [0, -1]
    let isReviewing = false
    replaceMethod(ReviewQueue, 'onRequest', (own) => {
      return function review(recorded) {
        const wasReviewing = isReviewing
        isReviewing = turns.next()
        if (!isReviewing) return
        if (!wasReviewing) first = recorded.sequence
        last = recorded.sequence
        own.call(this, recorded)
      }
    })
    replaceMethod(ReviewQueue, 'onResponseEnd', (own) => {
      return function review(recorded) {
        if (recorded.sequence >= first && recorded.sequence <= last) own.call(this, recorded)
      }
    })
    const { startServer } = await import('../../../build/server.js')
    const { port } = await startServer({ ...options, port: 0 })
    return port
  },
  /** `node:http` that writes a response from a prepared buffer. */
  bare: ({ status, headers, body }) => {
    const bytes = Buffer.from(body, 'base64')
    const head = { ...headers, 'Content-Length': bytes.byteLength }
    const server = createServer((_request, response) => {
      response.writeHead(status, head)
      response.end(bytes)
    })
    return new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(server.address().port))
    })
  },
}

/** The sandbox; `observesEnd` is `all` to observe its responses until they end, or undefined for none. */
async function startObserving(observesEnd, options) {
  const { World } = await import('../../../build/world/world.js')
  replaceMethod(World, 'handle', (own) => {
    return function handle(request, ...rest) {
      request.observesEnd = observesEnd
      return own.call(this, request, ...rest)
    }
  })
  const { startServer } = await import('../../../build/server.js')
  const { port } = await startServer({ ...options, port: 0 })
  return port
}

/** Replaces a method of a class; `replace` receives the original. */
function replaceMethod({ prototype }, name, replace) {
  prototype[name] = replace(prototype[name])
}

/** Set by the server that alternates. */
let turns

/** The messages to a server, and its replies. */
const MESSAGES = {
  always: () => turns.begin('always'),
  never: () => turns.begin('never'),
  'in turn': () => turns.begin('in turn'),
  turns: () => turns.figures(),
  'processor time': processorTime,
  'live heap': () => {
    setFlagsFromString('--expose-gc')
    runInNewContext('gc')()
    return process.memoryUsage().heapUsed
  },
}

const [settings] = await once(process, 'message')
const port = await SERVERS[process.argv[2]](settings)
process.on('message', (message) => process.send(MESSAGES[message]() ?? 'done'))
process.on('disconnect', () => process.exit())
process.send(port)
