import { readFileSync } from 'node:fs'
import packageJson from '../../package.json' with { type: 'json' }

/**
 * The address of the repository is one constant, `repository` in package.json, which its owner sets. All other mentions of
 * the repository are derived from it. A package is published if a release has dated its entries in CHANGELOG.md: the tagged
 * commit is the first whose pages say so.
 */

const RELEASED = hasRelease(readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'))

export function hasRelease(changelog: string): boolean {
  return /^## \[\d+\.\d+\.\d+\]/m.test(changelog)
}

interface Package extends Record<string, unknown> {
  repository?: { type: string; url: string }
}

/** Installs and starts the package: until it is published, from the file that `npm pack` writes. */
export function packageCommand(released = RELEASED): string {
  if (released) return 'npx seo-sandbox'
  return `npm install ./seo-sandbox-${packageJson.version}.tgz && npx seo-sandbox`
}

/** Puts the package file into the folder of a host; until the package is published, from a clone next to it. */
export function packCommands(released = RELEASED): string {
  if (released) return 'npm pack seo-sandbox'
  return '(cd ../seo-sandbox && npm ci && npm pack)\nmv ../seo-sandbox/seo-sandbox-*.tgz .'
}

/** Installs the package with the client of Redis, and starts two servers; until it is published, from the package file. */
export function storeCommands(released = RELEASED): string {
  const source = released ? 'seo-sandbox' : `./seo-sandbox-${packageJson.version}.tgz`
  const start = 'npx seo-sandbox --store redis://127.0.0.1:6379 --port'
  return [`npm install ${source} redis`, `${start} 4010`, `${start} 4011`].join('\n')
}

/** Installs the package in a project that is next to a clone. */
export function installCommands(released = RELEASED): string {
  if (released) return 'npm install --save-dev seo-sandbox'
  return [
    '(cd ../seo-sandbox && npm ci && npm pack)',
    'npm install --save-dev ../seo-sandbox/seo-sandbox-*.tgz',
  ].join('\n')
}

/** The commands that start the sandbox in a clone, with the clone itself if its address is known. */
export function cloneCommands({ repository }: Package = packageJson): string {
  const clone = repository
    ? [`git clone ${webAddress(repository)} seo-sandbox && cd seo-sandbox`]
    : []
  return [...clone, 'npm ci && npm start'].join('\n')
}

/** Commands to start the sandbox: in a clone until the package is published, then from the package. */
export function firstCommands(released = RELEASED): string {
  const node = packageJson.engines.node.replace('>=', '')
  const inClone = block(cloneCommands())
  const inFolder = block(packageCommand(released))
  const parts = released
    ? [
        `With Node ${node} or newer, in any folder:`,
        inFolder,
        'Or in a clone of this repository, which is built first:',
        inClone,
      ]
    : [
        `With Node ${node} or newer, in a clone of this repository, which is built first:`,
        inClone,
        'The package is not published yet. `npm pack` in the clone writes it as a file, which starts in any folder that it is copied to:',
        inFolder,
      ]
  return parts.join('\n\n')
}

/** A workflow that uses the action, by the name of its repository if that is known. */
export function actionWorkflow({ repository }: Package = packageJson): string {
  const name = repository ? new URL(webAddress(repository)).pathname.slice(1) : 'OWNER/seo-sandbox'
  const workflow = `\
# .github/workflows/client.yml
name: Client
on: [push, pull_request]

jobs:
  review:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm ci
      - uses: ${name}@v${packageJson.version}
        with:
          command: npm test`
  const sentence = 'OWNER stands for the owner of the repository of seo-sandbox.'
  return [block(workflow, 'yaml'), ...(repository ? [] : [sentence])].join('\n\n')
}

/**
 * Links that GitHub shows beside the forms for issues. A link needs an address; without one there is only the link to
 * SECURITY.md.
 */
export function issueChooser({ repository }: Package = packageJson): string {
  const links = repository
    ? `contact_links:
  - name: Vulnerability
    url: ${webAddress(repository)}/security/advisories/new
    about: Report it privately, as SECURITY.md says.
`
    : ''
  return `# Written from package.json by npm run generate.
blank_issues_enabled: false
${links}`
}

/** Instructions to install the package in a project. */
export function installation(released = RELEASED): string {
  if (released) return block(installCommands(released))
  return [
    `Until the package is published, install the package file. The first line makes it, from a clone next to your project; if you have the file, the
second line with its path is enough:`,
    block(installCommands(released)),
  ].join('\n\n')
}

export function block(text: string, language = 'sh'): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

/** The text of package.json with the `homepage` and `bugs` of its repository. */
export function withRepository(text: string): string {
  const { homepage: _, bugs: __, repository, ...rest }: Package = JSON.parse(text) as Package
  const address = repository && webAddress(repository)
  const fields = Object.entries(rest).flatMap(([name, value]) => {
    if (!repository || name !== 'license') return [[name, value]]
    return [
      ['homepage', `${address}#readme`],
      ['bugs', { url: `${address}/issues` }],
      [name, value],
      ['repository', repository],
    ]
  })
  return `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`
}

/** @throws Error for a repository without an address that browsers can open. */
function webAddress({ url }: { url: string }): string {
  const [, address] = /^git\+(https:\/\/[^\s/]+\/\S+)\.git$/.exec(url) ?? []
  if (address !== undefined) return address
  throw new Error(
    `"${url}" in package.json is not the address of a repository: write git+https://HOST/OWNER/NAME.git.`,
  )
}
