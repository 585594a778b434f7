import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The Nodes that servers can be measured on. */

const NODE_24 = fileURLToPath(
  new URL('../../../.ci/node-24/node_modules/.bin/node', import.meta.url),
)

/** What gives a newer Node, if this is an older one. */
export const INSTALL_NODE_24 = 'npm ci --prefix .ci/node-24'

/** The Node of this process and, where that is another and is installed, Node 24. */
export function findNodes() {
  const own = { path: process.execPath, version: process.versions.node }
  if (!existsSync(NODE_24)) return [own]
  const version = spawnSync(NODE_24, ['-p', 'process.versions.node']).stdout.toString().trim()
  const isOther = version.split('.')[0] !== own.version.split('.')[0]
  return isOther ? [own, { path: NODE_24, version }] : [own]
}

/** Whether a version is that of a major and a minor, or a later one. */
export function isSince(version, since) {
  const [major, minor] = version.split('.').map(Number)
  const [sinceMajor, sinceMinor] = since.split('.').map(Number)
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor)
}
