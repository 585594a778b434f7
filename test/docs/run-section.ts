import assert from 'node:assert/strict'
import { parse } from 'yaml'
import {
  cloneCommands,
  installCommands,
  packageCommand,
  packCommands,
  storeCommands,
} from '../derived/repository.ts'
import { ASSUMED_FILES } from './assumed-files.ts'
import { Project } from './project.ts'
import type { Block, Section } from './sections.ts'
import { runWithStandIns } from './stand-ins.ts'
import { fileNamedIn, toModule } from './typescript.ts'

/** Runs one block in the project of its section, and throws if it does not do what it shows. */
type Run = (block: Block, project: Project) => Promise<void>

/** Functions that run a block, by its language. */
const LANGUAGES: Record<string, Run> = {
  sh: ({ code }, project) => project.run(code),
  ts: runTypeScript,
  js: runTypeScript,
  yaml: runFixture,
  json: compareJson,
  text: compareText,
  python: keepFile,
  php: keepFile,
  java: keepFile,
  go: keepFile,
}

/** Blocks that need another function, by their first line. */
const EXCEPTIONS: Record<string, Run> = {
  // `.ci/smoke` installs the package file, `.ci/published` the package, and `.ci/run` the clone; this is the part that
  // starts.
  [packageCommand()]: (_, project) => project.run('npx seo-sandbox'),
  [cloneCommands().split('\n')[0] ?? '']: (_, project) => project.run('npx seo-sandbox'),
  // `.ci/smoke` packs and installs it, `.ci/published` installs it from a registry.
  [installCommands().split('\n')[0] ?? '']: () => Promise.resolve(),
  // `.ci/openapi` generates these clients, and compiles them.
  'npx openapi-typescript node_modules/seo-sandbox/dist/openapi.json -o api.ts': () =>
    Promise.resolve(),
  '# seo-sandbox.config.yaml': async ({ code }, project) => {
    await project.write('seo-sandbox.config.yaml', code)
    await project.run('npx seo-sandbox gaps --set')
    assert.match(project.output, /foreign-project/)
    await project.run('npx seo-sandbox')
    assert.match(project.output, /Config +\S*seo-sandbox\.config\.yaml/)
  },
  '# In seo-sandbox.config.yaml': async ({ code }, project) => {
    await project.write('seo-sandbox.config.yaml', code)
    await project.run('npx seo-sandbox exec --review -- true 2>&1 || [ $? = 1 ]')
    assert.match(
      project.output,
      /not met delivered: [^]+ backoff: until 2026-05-31: The old client/,
    )
  },
  'Depends on 1 of 5:': async (block, project) => {
    const projects = '"$SEO_SANDBOX_URL/api/v1/projects?per_page=500"'
    const headers = `-H "Authorization: Bearer $SEO_SANDBOX_TOKEN" -H 'Accept: application/json'`
    await project.write('client.sh', `curl -s --fail ${headers} ${projects}\n`)
    await project.run('npx seo-sandbox exec --vary -- sh client.sh 2>&1 || [ $? = 1 ]')
    await compareText(block, project)
  },
  // Docker is not needed: no example of Testcontainers concerns the container itself.
  'import static org.junit.jupiter.api.Assertions.assertEquals;': runWithStandIns,
  'package client_test': runWithStandIns,
  "import { GenericContainer, Wait } from 'testcontainers'": runWithStandIns,
  'from urllib.request import Request, urlopen': runWithStandIns,
  // The stand-in for `sync.py` here shows neither.
  'npx seo-sandbox exec --require delivered --require retry-after -- python3 sync.py': async (
    { code },
    project,
  ) => {
    await project.run(`${code.trim()} 2>&1 || [ $? = 1 ]`)
    assert.match(project.output, /requirements 2 not met/)
  },
  'agency.yaml:17:17  projects[0].reports[0].status': async ({ code }, project) => {
    const mistake = (await project.read('agency.yaml')).replace(': completed', ': done')
    await project.write('agency.yaml', mistake)
    await project.run('npx seo-sandbox --fixtures agency.yaml 2>&1 || [ $? = 2 ]')
    assert.ok(project.output.includes(code), project.output)
  },
  // Its client reads a report that is not completed.
  'npx seo-sandbox exec --review --rate-limit unlimited -- python3 sync.py': ({ code }, project) =>
    project.run(`${code.trim()} 2>&1 || [ $? = 1 ]`),
  // Servers with a store are tested in test/store; this is the message of one without the client.
  [storeCommands().split('\n')[0] ?? '']: async (_block, project) => {
    await project.run('npx seo-sandbox --store redis://127.0.0.1:1 2>&1 || [ $? = 2 ]')
    assert.match(project.output, /npm install redis|There is no Redis or Valkey/)
  },
  // test/store/hosting-proxy.test.ts runs it.
  'CERTIFICATE=/etc/haproxy/site.pem REPLICA_1=10.0.0.1:4010 REPLICA_2=10.0.0.2:4010 haproxy -f haproxy.cfg':
    () => Promise.resolve(),
  'npx seo-sandbox partners add Acme --demo --locale da --store redis://127.0.0.1:6379 --public-url https://seo.example.com':
    async (_block, project) => {
      await project.run('npx seo-sandbox partners list 2>&1 || [ $? = 2 ]')
      assert.match(project.output, /Partners need a store/)
    },
  // `.ci/smoke` shows the server's message without it.
  'npm install seo-sandbox prom-client': () => Promise.resolve(),
  // `.ci/container` runs the commands of the Dockerfile, and test/store/compose.test.ts those of compose.yaml.
  'npm pack seo-sandbox': () => Promise.resolve(),
  [packCommands().split('\n')[0] ?? '']: () => Promise.resolve(),
  'cat fullchain.pem privkey.pem > certificate.pem': () => Promise.resolve(),
  // test/store/redis-access.test.ts starts Redis with it, and servers with a private authority.
  'user seo-sandbox on >PASSWORD resetchannels ~seo-sandbox:* -@all +@read +@write +@connection -@dangerous -function +function|load +fcall +fcall_ro +time +info':
    () => Promise.resolve(),
  'NODE_EXTRA_CA_CERTS=/etc/redis/authority.pem npx seo-sandbox --store rediss://redis.example.com:6379':
    () => Promise.resolve(),
  // test/store/backup.test.ts restores its output.
  'redis-cli --rdb backup.rdb': () => Promise.resolve(),
  // test/store/hosting-proxy.test.ts runs it.
  "curl -s -o /dev/null -w '%{http_code}\\n' -H 'Authorization: Bearer sandbox-agency' https://seo.example.com/api/v1/me":
    () => Promise.resolve(),
  "curl -H 'Authorization: Bearer KEY' 'https://seo.example.com/_sandbox/review?require=delivered,retry-after,missing-after-error,retry-unauthorised,unfinished-content,warnings'":
    async ({ code }, project) => {
      await project.run('npx seo-sandbox')
      await project.run(code.replace('https://seo.example.com', String(project.url)))
      assert.match(project.output, /"what":"warnings","met":true/)
    },
  // The plans alone: asking takes minutes, and test/processes/compare.test.ts does it.
  'npx seo-sandbox compare --url https://seo.example.com --plan': async ({ code }, project) => {
    const lines = code.trim().split('\n')
    await project.run(lines.map((line) => `${line.replace(' --plan', '')} --plan`).join('\n'))
  },
  // The plans alone; test/processes/rehearse-command.test.ts runs commands, and rehearse-languages.test.ts the right clients.
  'npx seo-sandbox rehearse --profile smoke --client-state state -- python3 sync.py state':
    planRehearsals,
  'npx seo-sandbox rehearse --profile smoke --start 2026-01-01 --client-state state -- python3 sync.py state':
    planRehearsals,
  'npx seo-sandbox rehearse --profile year --client-state state --report html=rehearsal.html -- php sync.php state':
    planRehearsals,
  // The command of a workflow is run, as far as the plan.
  '# .github/workflows/rehearsal.yml': async ({ code }, project) => {
    const { jobs } = parse(code) as {
      jobs: Record<string, { steps: { name?: string; run?: string }[] }>
    }
    const { steps } = jobs['rehearse']!
    const index = steps.findIndex(({ name }) => name === 'Rehearse')
    const command = steps[index]?.run?.replace(' -- ', ' --dry-run -- ')
    // The packages of the client, which is in Python, are installed first.
    assert.match(command ?? '', /-- python3 /)
    assert.ok(steps.slice(0, index).some(({ run }) => run?.startsWith('pip install')))
    await project.run(`PROFILE=smoke; ${command}`)
    assert.match(project.output, /^40 runs from 2026-01-01 on/)
  },
  // test/store has the tests of partners.
  'for name in Alder Birch Cedar Dogwood Elm Fir Ginkgo Hazel Ivy Juniper; do': () =>
    Promise.resolve(),
  '# yaml-language-server: $schema=./node_modules/seo-sandbox/fixtures/schema.json': async (
    { code },
    project,
  ) => {
    await project.run('npx seo-sandbox init')
    assert.ok((await project.read('agency.yaml')).startsWith(code))
  },
}

async function planRehearsals({ code }: Block, project: Project): Promise<void> {
  for (const line of code.trim().split('\n')) {
    await project.run(line.replace(' -- ', ' --dry-run -- '))
    assert.match(project.output, /^\d+ runs from /)
  }
}

/** The first lines of the exceptional blocks, to check that they still exist. */
export const EXCEPTIONAL_LINES = Object.keys(EXCEPTIONS)

export function firstLineOf({ code }: Block): string {
  return code.split('\n', 1)[0] ?? ''
}

/**
 * Runs the blocks of a section in order, in a new project, like a reader who follows it.
 *
 * @throws Error that names the line of the block that does not do what it shows.
 */
export async function runSection({ blocks }: Section): Promise<void> {
  await using project = await Project.create()
  for (const block of blocks) {
    const run = wayToRun(block)
    try {
      await run(await prepare(block, project), project)
    } catch (error) {
      if (error instanceof Error) error.message = `Line ${block.line}: ${error.message}`
      throw error
    }
  }
}

function wayToRun(block: Block): Run {
  const run = EXCEPTIONS[firstLineOf(block)] ?? LANGUAGES[block.language]
  if (run) return run
  throw new Error(
    `Line ${block.line}: Nothing runs a block in "${block.language}". Add the language to test/docs/run-section.ts.`,
  )
}

const DOCUMENTED_URL = 'http://127.0.0.1:4010'
/** Command lines that look at a server which they need not name. */
const LOOKS_AT_SERVER = /^npx seo-sandbox (?:traffic|why \d+)$/m

/**
 * Prepares the assumptions of the guide at a block: a server that listens, with the default options if its section started
 * none; the files that it reads; a path instead of a placeholder.
 */
async function prepare(block: Block, project: Project): Promise<Block> {
  const { code } = block
  if ((code.includes(DOCUMENTED_URL) || LOOKS_AT_SERVER.test(code)) && project.url === undefined) {
    await project.run('npx seo-sandbox')
  }
  for (const [name, { usedBy, create }] of Object.entries(ASSUMED_FILES)) {
    if (usedBy.test(code) && !project.has(name)) await project.write(name, await create())
  }
  const settled = code
    .replaceAll(DOCUMENTED_URL, project.url ?? DOCUMENTED_URL)
    .replaceAll('PATH…', 'agency.yaml')
  return { ...block, code: settled }
}

/** Checks the types, then runs the code with Node or, if it is a test, with Vitest. */
async function runTypeScript(block: Block, project: Project): Promise<void> {
  const { code, line } = block
  const named = fileNamedIn(code)
  if (named !== undefined) await project.write(named, code)
  const isTest = /from '(seo-sandbox\/)?vitest'/.test(code)
  const name = isTest ? `line-${line}.test` : `line-${line}`
  await project.write(`${name}.ts`, toModule(block))
  await project.run('npx tsc')
  // test/browser covers code for pages.
  if (code.includes(`from 'msw/browser'`)) return
  await project.run(isTest ? `npx vitest run ${name}.ts` : `node ${name}.js`)
}

/** Keeps a fixture for the following blocks, and validates it. */
async function runFixture({ code }: Block, project: Project): Promise<void> {
  const name = fileNamedIn(code) ?? 'agency.yaml'
  await project.write(name, code)
  await project.run(`npx seo-sandbox validate '${name}'`)
}

/** Compares the block with the JSON output of the previous command line. */
async function compareJson({ code }: Block, { output }: Project): Promise<void> {
  assert.deepEqual(JSON.parse(output), JSON.parse(code))
}

/** Compares the block with the output of the previous command line, apart from the parts that `…` stands for. */
async function compareText({ code }: Block, { output }: Project): Promise<void> {
  const parts = code
    .split(/^ *…\n/m)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  assert.match(output, new RegExp(parts.join('[^]*'), 'm'))
}

/** Keeps a file for the following blocks. */
async function keepFile({ code }: Block, project: Project): Promise<void> {
  const name = fileNamedIn(code)
  assert.ok(name, 'Its first line has to name the file.')
  await project.write(name, code)
}
