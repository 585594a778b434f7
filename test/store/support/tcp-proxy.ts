import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { setInterval as every } from 'node:timers/promises'

/** Together, these take longer than any call may be silent. */
const PIECES = 12
const PIECE_MS = 500

/** The command that a proxy was told to hold, and now keeps back. */
interface Held {
  /** Sends the command on. */
  release: () => void
}

/** A TCP proxy in front of Redis. */
export interface TcpProxy extends AsyncDisposable {
  url: string
  /** Leads new connections to another port from now on. */
  leadTo: (port: number) => void
  /** Passes nothing on in either direction, but keeps the connections, until `resume`. */
  stall: () => void
  resume: () => void
  /** Serves new connections, while the existing ones stay stalled. */
  admit: () => void
  /** Closes all connections. */
  cut: () => void
  /**
   * Sends the next command with this text on, but closes its connection instead of replying. Resolves when Redis has replied.
   */
  loseReply: (text: string) => Promise<void>
  /**
   * Passes the reply to the next command with this text on in pieces, over six seconds. Resolves when the last piece is sent.
   */
  trickle: (text: string) => Promise<void>
  /** Keeps the next command with this text back. Resolves when the command has arrived. */
  hold: (text: string) => Promise<Held>
}

interface Connection {
  client: Socket
  redis: Socket
  /** Set when the next reply is to be lost; called when it is. */
  lose?: () => void
  /** Set when the next reply, and everything after it, is to be passed on in pieces. */
  trickle?: (reply: Buffer) => void
  /** Data that is kept back, and all data after it: only their order tells replies apart. */
  held?: Buffer[]
}

interface Watch {
  text: string
  take: (connection: Connection, bytes: Buffer) => void
}

export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const connections = new Set<Connection>()
  const watches = new Set<Watch>()
  let target = port
  let isStalled = false

  const server = createServer((client) => {
    const redis = connect(target, '127.0.0.1')
    const connection: Connection = { client, redis }
    connections.add(connection)
    const end = () => {
      connections.delete(connection)
      client.destroy()
      redis.destroy()
    }
    for (const socket of [client, redis]) {
      socket.setNoDelay().on('close', end).on('error', end)
      if (isStalled) socket.pause()
    }
    client.on('data', (bytes) => {
      if (connection.held) {
        connection.held.push(bytes)
        return
      }
      const watch = [...watches].find(({ text }) => bytes.includes(text))
      if (!watch) {
        redis.write(bytes)
        return
      }
      watches.delete(watch)
      watch.take(connection, bytes)
    })
    redis.on('data', (bytes) => {
      if (connection.trickle) {
        connection.trickle(bytes)
        return
      }
      if (!connection.lose) {
        client.write(bytes)
        return
      }
      connection.lose()
      end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const eachSocket = (act: (socket: Socket) => void) => {
    for (const { client, redis } of connections) {
      act(client)
      act(redis)
    }
  }
  const cut = () => eachSocket((socket) => socket.destroy())
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (other) => {
      target = other
    },
    stall: () => {
      isStalled = true
      eachSocket((socket) => socket.pause())
    },
    resume: () => {
      isStalled = false
      eachSocket((socket) => socket.resume())
    },
    admit: () => {
      isStalled = false
    },
    cut,
    loseReply: (text) =>
      new Promise((resolve) => {
        watches.add({
          text,
          take: (connection, bytes) => {
            connection.lose = resolve
            connection.redis.write(bytes)
          },
        })
      }),
    trickle: (text) =>
      new Promise((resolve) => {
        watches.add({
          text,
          take: (connection, bytes) => {
            let sent = Promise.resolve()
            connection.trickle = (reply) => {
              sent = sent.then(() => sendInPieces(connection.client, reply))
              void sent.then(resolve)
            }
            connection.redis.write(bytes)
          },
        })
      }),
    hold: (text) =>
      new Promise((resolve) => {
        watches.add({
          text,
          take: (connection, bytes) => {
            connection.held = [bytes]
            resolve({
              release: () => {
                for (const kept of connection.held ?? []) connection.redis.write(kept)
                delete connection.held
              },
            })
          },
        })
      }),
    async [Symbol.asyncDispose]() {
      server.close()
      cut()
      await once(server, 'close')
    },
  }
}

async function sendInPieces(client: Socket, reply: Buffer): Promise<void> {
  const size = Math.ceil(reply.length / PIECES)
  let at = 0
  for await (const _ of every(PIECE_MS)) {
    client.write(reply.subarray(at, at + size))
    at += size
    if (at >= reply.length) return
  }
}
