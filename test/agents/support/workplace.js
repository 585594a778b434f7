/** Where a task is judged: a copy of the folder that an agent has left, the package that is installed there, and programs that are run in it. */
import { spawn } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { TOKEN } from './agency.js'

/** Ends only what hangs: thirty runs of a client that sends a request a second, to stay within its limit, take twenty minutes. */
const TIMEOUT_MS = 1_800_000

/** The variables that the prompts name. */
const NAMES = ['--env', 'API_URL=api', '--env', 'API_TOKEN=token', '--']

/** Copies the folder, so that what is judged stays as it is. */
export async function openWorkplace(original, command) {
  if (!existsSync(original))
    throw new Error(`There is no folder ${original}. Begin with prepare.js.`)
  const root = await mkdtemp(join(tmpdir(), 'seo-sandbox-agents-'))
  const folder = join(root, 'folder')
  await cp(original, folder, { recursive: true, verbatimSymlinks: true })
  const home = await installedPackage(folder, root)
  const library = await import(pathToFileURL(join(home, 'dist/server.js')).href)
  const open = []

  /** Starts a server of the package. Its token is that of `anAgency`. */
  async function serve(options) {
    const server = await library.startServer({ port: 0, ...options })
    open.push(server)
    return server
  }

  return {
    folder,
    serve,
    aFolder: () => mkdtemp(join(root, 'out-')),
    /** Runs any program in the folder. */
    program: (words, env) => run(words, { cwd: folder, env }),
    /** Runs the client of the task once against a server, as the prompt says. */
    client: (server, out, token = TOKEN) =>
      run(command(out), {
        cwd: folder,
        env: { API_URL: `${server.url}/api/v1`, API_TOKEN: token },
      }),
    /** Runs a command of the sandbox, such as `exec`, with the client of the task. */
    sandbox: (args, out) =>
      run(
        [process.execPath, join(home, 'bin/seo-sandbox.js'), ...args, ...NAMES, ...command(out)],
        {
          cwd: folder,
        },
      ),
    closeServers: async () => {
      await Promise.all(open.splice(0).map((server) => server.close()))
    },
    remove: () => rm(root, { recursive: true, force: true }),
  }
}

/** The package that the agent has used; that of the tarball where there is none any more. */
async function installedPackage(folder, root) {
  const installed = join(folder, 'node_modules/seo-sandbox')
  if (existsSync(installed)) return installed
  const tarball = join(folder, 'seo-sandbox-0.1.0.tgz')
  if (!existsSync(tarball)) {
    throw new Error(
      `${folder} has neither node_modules/seo-sandbox nor the tarball: begin with prepare.js.`,
    )
  }
  const { code, output } = await run(['npm', 'install', '--prefix', root, tarball], { cwd: root })
  if (code !== 0) throw new Error(`${tarball} cannot be installed: ${output}`)
  return join(root, 'node_modules/seo-sandbox')
}

/**
 * Runs a program, and ends it with all that it has started after a while. Resolves with its exit code, which is null then, and with the last of what it
 * printed.
 */
export function run([file, ...args], { cwd, env = {} }) {
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, CI: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-20_000)
    })
  }
  const { pid } = child
  const timer = setTimeout(() => {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  }, TIMEOUT_MS)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(timer)
      resolve({ code, output })
    })
  })
}
