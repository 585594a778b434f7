/**
 * The sandbox over HTTP, with all checks and the journal, against other servers that give the same responses from static
 * JSON. They are installed into test/bench/peers when they are first measured; a short run measures only installed ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createSandbox } from 'seo-sandbox'
import { PEERS } from './peers/configurations.js'
import { programOf, versionOf, whyMissing, whyNoneInstalled } from './peers/installation.js'
import { CONNECTIONS, load, whyNoLoad } from './support/load.js'
import { findNodes, INSTALL_NODE_24, isSince } from './support/nodes.js'
import { PINNING, startServed } from './support/processes.js'
import { startProgram } from './support/programs.js'
import { atLeast, interleave, median, medianRatio } from './support/report.js'
import { REQUESTS, WORLD } from './support/world.js'

/** The requests to all servers. */
const ASKED = REQUESTS.filter(({ name }) => ['a project', 'a list of 100'].includes(name))

/** The lowest allowed throughput of the sandbox, relative to a peer. */
const BAR = 3

const title = 'HTTP, against other servers of JSON'

export async function measure({ isShort }) {
  const skipped = whyNoLoad() ?? (await whyNoneInstalled(PEERS, { isShort }))
  if (skipped) return { title, skipped }
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-peers-'))
  const opened = []
  const skips = []
  try {
    const answers = await Promise.all(ASKED.map(answerTo))
    for (const peer of PEERS) {
      try {
        const rounds = isShort ? 1 : 3
        opened.push(
          await openOnBestNode(peer, { answers, folder: join(folder, peer.name), rounds }),
        )
      } catch (error) {
        skips.push({ title: `${title}: ${peer.name}`, skipped: error.message })
      }
    }
    return opened.length === 0
      ? skips
      : [await compare(opened, { answers, rounds: isShort ? 3 : 7 }), ...skips]
  } finally {
    await stopAll(opened)
    await rm(folder, { recursive: true })
  }
}

async function compare(opened, { answers, rounds }) {
  const compared = []
  for (const version of new Set(opened.map(({ node }) => node.version))) {
    const peers = opened.filter(({ node }) => node.version === version)
    const own = await startServed('sandbox', WORLD, { node: peers[0].node.path })
    for (const answer of answers) {
      compared.push(...(await compareAnswer(answer, { own, peers, rounds })))
    }
    await own.stop()
  }
  // By peer, regardless of Node.
  const sorted = opened.flatMap(({ name }) => compared.filter(({ peer }) => peer.name === name))
  const sizes = answers.map(({ name, bytes }) => `${name} has ${bytes.toLocaleString('en')} bytes`)
  return {
    title,
    about: `medians of ${rounds} rounds of a second over ${CONNECTIONS} connections, ${PINNING}; each peer on its fastest installed Node, the sandbox on the same; all return the same JSON values (from the sandbox ${sizes.join(', ')}; json-server indents its own), the peers without logs, CORS, watching and templates if these can be turned off: Mockoon's log is discarded`,
    columns: ['', 'Node', 'body', 'bytes', 'peer /s', 'sandbox /s', 'ratio'],
    rows: sorted.map(({ peer, answer, peerRate, ownRate, ratio }) => [
      `${peer.name} ${peer.version}`,
      peer.node.version,
      answer.name,
      peer.bytes[answer.name],
      Math.round(peerRate),
      Math.round(ownRate),
      ratio,
    ]),
    bars: sorted.map(({ peer, answer, ratio }) =>
      atLeast(BAR, `${answer.name}, against ${peer.name}`, ratio),
    ),
  }
}

/** One response, of the peers on one Node and of the sandbox on the same, in alternation. */
async function compareAnswer(answer, { own, peers, rounds }) {
  const sides = [{ port: own.port, toTarget }, ...peers]
  const [ofOwn, ...ofPeers] = await interleave(sides, { rounds }, (side) => ask(side, answer))
  return peers.map((peer, index) => ({
    peer,
    answer,
    peerRate: median(ofPeers[index]),
    ownRate: median(ofOwn),
    ratio: medianRatio(ofOwn, ofPeers[index]),
  }))
}

/** The response that all have to give: the current one of the sandbox. */
async function answerTo({ name, target, token }) {
  const sandbox = await createSandbox(WORLD)
  const headers = { Authorization: `Bearer ${token}` }
  const text = await (await sandbox.fetch(target, { headers })).text()
  const [path] = target.split('?')
  return { name, target, path, headers, bytes: Buffer.byteLength(text), value: JSON.parse(text) }
}

/** The request target for the sandbox, and for a peer that does not define its own. */
function toTarget({ target }) {
  return target
}

/** Requests per second. */
async function ask(server, answer) {
  return (await load(urlOf(server, answer), { headers: answer.headers })).perSecond
}

function urlOf(server, answer) {
  return `http://127.0.0.1:${server.port}${server.toTarget(answer)}`
}

/**
 * A peer on its fastest Node, of the installed ones that it supports.
 *
 * @throws with the reason to skip it.
 */
async function openOnBestNode(peer, { answers, folder, rounds }) {
  const missing = whyMissing(peer)
  if (missing) throw new Error(missing)
  const nodes = findNodes().filter(({ version }) => isSince(version, peer.since))
  if (nodes.length === 0) throw new Error(`It needs Node ${peer.since}: ${INSTALL_NODE_24}.`)
  await writeFiles(folder, peer.files(answers))
  const opened = []
  try {
    for (const node of nodes) opened.push(await open(peer, { node, answers, folder }))
    const results = await interleave(opened, { rounds, warmUp: 0 }, (server) =>
      ask(server, answers[0]),
    )
    const rates = results.map(median)
    const [best] = opened.splice(rates.indexOf(Math.max(...rates)), 1)
    return best
  } finally {
    await stopAll(opened)
  }
}

/** A started peer that gives all responses. @throws with the reason to skip it. */
async function open(peer, { node, answers, folder }) {
  const env = { NODE_ENV: 'production' }
  const program = await startProgram(programOf(peer), peer.args, { node: node.path, folder, env })
  const server = {
    name: peer.name,
    version: versionOf(peer),
    node,
    toTarget: peer.toTarget ?? toTarget,
    bytes: {},
    ...program,
  }
  try {
    for (const answer of answers) server.bytes[answer.name] = await checkAnswer(server, answer)
    return server
  } catch (error) {
    await program.stop()
    throw error
  }
}

/** The size of a response, which may differ from the sandbox's only in whitespace. @throws if it differs. */
async function checkAnswer(server, { name, value, ...answer }) {
  const response = await fetch(urlOf(server, answer), { headers: answer.headers })
  const text = await response.text()
  if (!response.ok || !isDeepStrictEqual(JSON.parse(text), value)) {
    throw new Error(
      `Its response for ${name} differs from that of the sandbox; its status is ${response.status}.`,
    )
  }
  return Buffer.byteLength(text)
}

async function stopAll(servers) {
  await Promise.all(servers.map((server) => server.stop()))
}

async function writeFiles(folder, files) {
  for (const [name, value] of Object.entries(files)) {
    const file = join(folder, name)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, JSON.stringify(value))
  }
}
