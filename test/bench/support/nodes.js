import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The Node versions that servers can be measured on. */

const NODE_24 = fileURLToPath(
  new URL('../../../.ci/node-24/node_modules/.bin/node', import.meta.url),
)

/** Command that installs a newer Node. */
export const INSTALL_NODE_24 = 'npm ci --prefix .ci/node-24'

/** The Node of this process and, if it is another and installed, Node 24. */
export function findNodes() {
  const own = { path: process.execPath, version: process.versions.node }
  if (!existsSync(NODE_24)) return [own]
  const version = spawnSync(NODE_24, ['-p', 'process.versions.node']).stdout.toString().trim()
  const isOther = version.split('.')[0] !== own.version.split('.')[0]
  return isOther ? [own, { path: NODE_24, version }] : [own]
}

/** True for a version of at least this major and minor version. */
export function isSince(version, since) {
  const [major, minor] = version.split('.').map(Number)
  const [sinceMajor, sinceMinor] = since.split('.').map(Number)
  return major > sinceMajor || (major === sinceMajor && minor >= sinceMinor)
}
