import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The peers are installed in this folder only. */

const FOLDER = fileURLToPath(new URL('.', import.meta.url))
const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

const INSTALL = ['ci', '--prefix', 'test/bench/peers', '--no-audit', '--no-fund']
const COMMAND = `npm ${INSTALL.join(' ')}`

/**
 * Installs missing peers, except in a short run. Returns the reason why there is nothing to measure; undefined if there is
 * something.
 */
export async function whyNoneInstalled(peers, { isShort }) {
  if (!peers.some(whyMissing)) return undefined
  const reason = isShort
    ? `The peers are not installed, and a short run does not install them: ${COMMAND}.`
    : await install()
  return peers.every(whyMissing) ? reason : undefined
}

/** Returns the reason of a failure; undefined for success. */
async function install() {
  process.stderr.write(`Installing the peers, once, which takes a minute: ${COMMAND}\n`)
  const npm = spawn('npm', INSTALL, { cwd: ROOT, stdio: 'ignore' })
  const [code] = await once(npm, 'close').catch(({ message }) => [message])
  return code === 0 ? undefined : `The peers cannot be installed (${code}): ${COMMAND}.`
}

/** The reason why the required version of a peer is not installed; undefined if it is. */
export function whyMissing(peer) {
  const wanted = versionOf(peer)
  const folder = join(FOLDER, 'node_modules', peer.package)
  const found = existsSync(folder) ? readPackage(folder).version : undefined
  return found === wanted ? undefined : `${peer.package} ${wanted} is not installed: ${COMMAND}.`
}

/** The required version of a peer. */
export function versionOf(peer) {
  return readPackage(FOLDER).dependencies[peer.package]
}

/** The program of a peer. */
export function programOf(peer) {
  return join(FOLDER, peer.file)
}

function readPackage(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
