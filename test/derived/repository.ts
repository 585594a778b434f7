import packageJson from '../../package.json' with { type: 'json' }

/**
 * The address of the repository is one constant, `repository` in package.json, which its owner sets. What else names
 * the repository is derived from it.
 */

interface Package extends Record<string, unknown> {
  repository?: { type: string; url: string }
}

/** Installs and starts the package from the file that `npm pack` writes. */
export const PACKAGE_COMMAND = `npm install ./seo-sandbox-${packageJson.version}.tgz && npx seo-sandbox`

/** The commands that start the sandbox in a clone, with the clone itself where its address is known. */
export function cloneCommands({ repository }: Package = packageJson): string {
  const clone = repository
    ? [`git clone ${webAddress(repository)} seo-sandbox && cd seo-sandbox`]
    : []
  return [...clone, 'npm ci && npm start'].join('\n')
}

/** How to start the sandbox, from the package file and in a clone. */
export function firstCommands(): string {
  const node = packageJson.engines.node.replace('>=', '')
  return [
    `With Node ${node} or newer and the package file, in any folder:`,
    block(PACKAGE_COMMAND),
    'Or in a clone of this repository, which is built first:',
    block(cloneCommands()),
  ].join('\n\n')
}

function block(commands: string): string {
  return `\`\`\`sh\n${commands}\n\`\`\``
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
