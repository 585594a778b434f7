import { once } from 'node:events'
import { createServer } from 'node:net'

// Below the ports that Linux gives to connections and to servers on port 0, so that no other process is given one of them
// in between. Workers of Vitest have ports of their own, because each server listens a while after it was given its port;
// workers of another run, which has another parent, most likely do too. Above 10080, which fetch refuses.
const LOWEST = 10_100
const PORTS_OF_A_WORKER = 500
const worker = process.ppid * 8 + Number(process.env.VITEST_POOL_ID ?? 0)
const lowest = LOWEST + PORTS_OF_A_WORKER * (worker % 44)

let taken = Math.floor(Math.random() * PORTS_OF_A_WORKER)

/** A port of loopback on which nothing listens, and which is not given again soon. */
export async function freePort() {
  for (let tries = 0; tries < PORTS_OF_A_WORKER; tries += 1) {
    taken += 1
    const port = lowest + (taken % PORTS_OF_A_WORKER)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${lowest} to ${lowest + PORTS_OF_A_WORKER - 1} is free.`)
}

async function isFree(port) {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch (error) {
    if (error.code === 'EADDRINUSE') return false
    throw error
  }
  server.close()
  await once(server, 'close')
  return true
}
