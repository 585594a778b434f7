import type { IncomingMessage } from 'node:http'
import {
  EXPIRED,
  guardControl,
  guardWorld,
  tooManyKeys,
  tooManyRefused,
} from '../control-api/guard.ts'
import type { Requester } from '../control-api/guard.ts'
import type { Admission } from '../control-api/respond.ts'
import type { ControlResponse, ControlRole } from '../control-api/routes/route.ts'
import { isLocalHost } from '../contract/addresses.ts'
import { clientAddress } from '../adapters/node-request.ts'
import { bearerOf } from '../engine/authenticator.ts'
import { worldOfKey } from '../store/world-key.ts'
import { createKeyReader, WrongTries } from './admin-key.ts'
import type { Backend } from './backend.ts'

export interface ControlAccess {
  /** The key that gives access to the control API; undefined if no key is set. */
  adminKey?: string | undefined
  /** Number of trusted proxies in front of the server. */
  hops: number
}

interface GuardOptions extends ControlAccess {
  store: Backend['store']
  rates: Backend['rates']
}

/** An admitted request. `key` is the key of a world; undefined if the request has the admin key, or no key. */
interface KeyAdmission extends Admission {
  key?: string | undefined
}

interface ShownKey {
  shown: Requester['shown']
  /** The key of a world; undefined for the admin key, a wrong key, or no key. */
  key?: string
  /** The id of the world that `key` opens. */
  own?: string
  isExpired?: boolean
  isUseDue?: boolean
}

/**
 * Creates a function that checks the key of a request before its body is read. The function admits the request, or returns a
 * refusal if the request may not use the route. It throws StoreError if the store cannot be reached, or if the world of the key has
 * used up its requests of the current second.
 */
export function createGuard({
  adminKey,
  hops,
  store,
  rates,
}: GuardOptions): (
  request: IncomingMessage,
  role: ControlRole,
  named: string | undefined,
) => Promise<KeyAdmission | { refusal: ControlResponse }> {
  const readAdminKey = createKeyReader(adminKey)
  const wrongKeys = new WrongTries()

  const readKey = async (authorization: string | undefined): Promise<ShownKey> => {
    const shown = readAdminKey(authorization)
    const key = bearerOf(authorization)
    if (shown === 'right' || !store || key === undefined || worldOfKey(key) === undefined) {
      return { shown }
    }
    const found = await store.partners.worldOf(key)
    if (!found) return { shown: 'wrong' }
    const { world: own, ...facts } = found
    return { shown: 'right', key, own, ...facts }
  }

  return async (request, role, named) => {
    if (role === 'public') return {}
    const { headers, socket } = request
    const isInvited = role === 'invited'
    const {
      shown,
      key,
      own,
      isExpired = false,
      isUseDue = false,
    } = isInvited ? { shown: undefined } : await readKey(headers.authorization)
    const ofWorld = own === undefined ? undefined : guardWorld(role, { own, named })
    const isWrong = shown === 'wrong'
    const isRefused = isWrong || isExpired || ofWorld !== undefined
    const waitSeconds = isRefused ? wrongKeys.count(clientAddress(request, hops)) : 0
    if (waitSeconds > 0)
      return { refusal: isWrong ? tooManyKeys(waitSeconds) : tooManyRefused(waitSeconds) }
    const requester: Requester = {
      localAddress: socket.localAddress,
      isInvited,
      hasKey: adminKey !== undefined,
      shown,
      origin: headers.origin,
      host: foreignHostOf(request) ?? headers.host,
      site: headers['sec-fetch-site'],
      isForwarded: isForwarded(request),
    }
    const refusal = guardControl(requester) ?? (isExpired ? EXPIRED : undefined) ?? ofWorld
    if (refusal) return { refusal }
    if (own !== undefined) rates?.take(own)
    if (key !== undefined && isUseDue) await store?.partners.noteUse(key)
    return { own, key }
  }
}

const PROXY_HEADER =
  /^(?:forwarded|via|x-forwarded(?:-.+)?|x-original-.+|(?:.+-)?(?:client|connecting|real)-ip)$/

/** True if a request seems to be forwarded by a proxy. HTTP/1.0 is a sign, because hardly anything but proxies still uses it. */
function isForwarded({ headers, httpVersion }: IncomingMessage): boolean {
  return httpVersion === '1.0' || Object.keys(headers).some((name) => PROXY_HEADER.test(name))
}

/**
 * Returns the host of an absolute request target, to be checked in place of the Host header. Undefined if the host is this machine,
 * and for any other request target.
 */
function foreignHostOf({ url = '' }: IncomingMessage): string | undefined {
  const [, host] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? []
  return host !== undefined && isLocalHost(host) ? undefined : host
}
