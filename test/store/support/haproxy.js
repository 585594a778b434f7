import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../support/free-port.js'
import { startProgram } from './program.js'

/** Sends each request to the next replica, or all requests of a world to the same one. */
const BALANCE = {
  'round-robin': ['balance roundrobin'],
  world: ['balance hash var(txn.world)', 'hash-type consistent'],
}

/** Returns the reason why HAProxy cannot be started here; undefined if it can. */
export function whyNoHaproxy() {
  const { error } = spawnSync('haproxy', ['-v'])
  return error && 'It needs HAProxy: apt-get install haproxy.'
}

/**
 * Starts HAProxy in front of replicas, without stickiness. A request that was sent to a replica is sent to no other one.
 *
 * @param ports The replicas, which may be started later, and killed.
 * @param balance A key of `BALANCE`.
 */
export async function startHaproxy(ports, balance = 'round-robin') {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-haproxy-'))
  const port = await freePort()
  const file = join(folder, 'haproxy.cfg')
  await writeFile(file, toConfig(port, ports, BALANCE[balance]))
  const haproxy = await runHaproxy(file, port)
  const stop = async () => {
    await haproxy.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { ...haproxy, stop, [Symbol.asyncDispose]: stop }
}

/**
 * Starts HAProxy with a configuration, and resolves once it listens on a port.
 *
 * @param file The configuration.
 * @param env The variables that it uses.
 */
export async function runHaproxy(file, port, env = {}) {
  const child = startProgram('haproxy', ['-db', '-f', file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const closed = once(child, 'close')
  const notices = []
  createInterface(child.stderr).on('line', (line) => notices.push(line))
  while (!(await isListening(port))) {
    if (child.exitCode !== null) {
      throw new Error(`haproxy has ended with ${child.exitCode}: ${notices.join('\n')}`)
    }
    await wait(5)
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await closed
  }
  const { pid } = child
  return { port, pid, notices, url: `http://127.0.0.1:${port}`, stop, [Symbol.asyncDispose]: stop }
}

function toConfig(port, ports, balance) {
  return `
global
  nbthread 1
  maxconn 8192
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 5s
  retries 3
  option redispatch 1
  # A connection that a replica closes while nobody uses it is no client's: its next request would fail.
  http-reuse never
frontend clients
  bind 127.0.0.1:${port}
  # The world that a request names, or that of its token, which ends with ~ID-SECRET.
  http-request set-var(txn.world) url_param(world)
  http-request set-var(txn.world) req.hdr(authorization),regsub(^.*~,),regsub(-[^-]*$,) unless { var(txn.world) -m found }
  default_backend replicas
backend replicas
  ${balance.join('\n  ')}
  option httpchk
  http-check send meth GET uri /_sandbox/ready ver HTTP/1.1 hdr Host 127.0.0.1
  default-server check inter 100ms fall 1 rise 1
${ports.map((each) => `  server replica-${each} 127.0.0.1:${each}`).join('\n')}
`
}

function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const settle = (is) => () => {
      socket.destroy()
      resolve(is)
    }
    socket.once('connect', settle(true)).once('error', settle(false))
  })
}
