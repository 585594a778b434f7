import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import proxyaddr from 'proxy-addr'
import { memoize } from '../contract/cache.ts'
import { parseUrl } from '../contract/url.ts'
import type { ApiRequest } from '../engine/messages.ts'
import { headerIn } from '../engine/messages.ts'

export interface RequestTarget {
  path: string
  /** Without the question mark; empty if there is no query. */
  query: string
}

/** A Node request in the engine's form, with access to every header. */
export interface NodeRequest extends ApiRequest {
  /** Returns the value of a header; undefined if the header is absent. `name` is in lower case. */
  header: (name: string) => string | undefined
}

/**
 * Converts a Node request to the engine's form. `hops` is the number of trusted proxies, whose headers state the address of the
 * client, and the scheme and host of the request.
 */
export function fromNodeRequest(
  message: IncomingMessage,
  { path, query }: RequestTarget,
  hops: number,
): NodeRequest {
  return {
    method: message.method ?? 'GET',
    path,
    query,
    header: (name) => headerOf(message, name),
    headers: message.rawHeaders,
    clientIp: clientAddress(message, hops),
    origin: requestOrigin(message, hops),
    connection: connectionNumber(message, hops),
    openConnections,
    observesEnd: 'all',
  }
}

const connections = new WeakMap<Socket, number>()
let lastConnection = 0
let openConnections = 0

/**
 * Returns the sequence number of a request's connection, from 1. Undefined behind a trusted proxy, because clients may share
 * its connections, and for HTTP/2, because simultaneous requests share a connection.
 */
function connectionNumber(
  { socket, httpVersionMajor }: IncomingMessage,
  hops: number,
): number | undefined {
  if (hops > 0 || httpVersionMajor > 1) return undefined
  const known = connections.get(socket)
  if (known !== undefined) return known
  lastConnection += 1
  connections.set(socket, lastConnection)
  openConnections += 1
  socket.once('close', () => (openConnections -= 1))
  return lastConnection
}

/** Reads the raw headers, because `headers` would make Node build an object of all headers. */
function headerOf({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  return headerIn(rawHeaders, name)
}

export function hasBody(message: IncomingMessage): boolean {
  return ['content-length', 'transfer-encoding'].some(
    (name) => headerOf(message, name) !== undefined,
  )
}

/** Splits a request target in origin form (`/path?query`) or absolute form (`http://host/path?query`). Drops the fragment. */
export function splitTarget({ url: target = '/' }: IncomingMessage): RequestTarget {
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '')
  const fragment = local.indexOf('#')
  const beforeFragment = fragment === -1 ? local : local.slice(0, fragment)
  const start = beforeFragment.indexOf('?')
  if (start === -1) return { path: beforeFragment, query: '' }
  return { path: beforeFragment.slice(0, start), query: beforeFragment.slice(start + 1) }
}

/**
 * Returns the client address that the outermost trusted proxy states. If there is no trusted proxy, or it states none, returns
 * the address of the socket. Empty if the socket is closed.
 */
export function clientAddress(message: IncomingMessage, hops: number): string {
  const address = message.socket.remoteAddress
  if (address === undefined) return ''
  return hops === 0 ? address : bareAddress(proxyaddr(message, (_, index) => index < hops))
}

/** Removes the quotes, brackets and port that some proxies add to an address. */
function bareAddress(text: string): string {
  const unquoted = text.replaceAll('"', '')
  return (
    /^\[([^\]]*)\](?::\d+)?$/.exec(unquoted)?.[1] ??
    /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(unquoted)?.[1] ??
    unquoted
  )
}

/**
 * Returns the scheme and host of a request, each as stated by the outermost trusted proxy, or else as received. If the Host
 * header is missing or invalid, the host is the local address of the connection.
 */
export function requestOrigin(message: IncomingMessage, hops = 0): string {
  const proto = forwarded(message, 'x-forwarded-proto', hops).toLowerCase()
  const reached = 'encrypted' in message.socket ? 'https' : 'http'
  const scheme = proto === 'https' || proto === 'http' ? proto : reached
  const host =
    toHost(forwarded(message, 'x-forwarded-host', hops)) ??
    toHost(headerOf(message, 'host') ?? '') ??
    localHostOf(message.socket)
  return `${scheme}://${host}`
}

/** Returns the value that the outermost trusted proxy stated in a header; empty if there is none. */
function forwarded(message: IncomingMessage, name: string, hops: number): string {
  if (hops === 0) return ''
  const values = (headerOf(message, name) ?? '').split(',')
  return values.at(-Math.min(hops, values.length))?.trim() ?? ''
}

const toHost = memoize((host: string) => {
  const isHost = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)
  return isHost && parseUrl(`http://${host}`) ? host : undefined
})

function localHostOf({ localAddress = 'localhost', localPort }: Socket): string {
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/i, '')
  const host = address.includes(':') ? `[${address}]` : address
  return localPort === undefined ? host : `${host}:${localPort}`
}
