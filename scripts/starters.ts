/** The files of fixtures/starters, by name. */
export type Files = Readonly<Record<string, string>>

/**
 * The files that `init` can write, by their names in fixtures/starters. The tests there import the client, which users are
 * to replace; here they end with it, and tests in TypeScript are in JavaScript too.
 */
export function toStarters(files: Files): Files {
  const names = Object.keys(files).filter((name) => name.includes('.test.'))
  const tests = names.flatMap((name) => {
    const test = withClient(files[name] ?? '', files['client.ts'] ?? '')
    const script = [name.replace(/ts$/, 'js'), withoutTypes(test)]
    return name.endsWith('.ts') ? [[name, test], script] : [script]
  })
  const starters = Object.fromEntries(tests) as Files
  const others = ['agency.yaml', 'start-sandbox.cjs', 'start-sandbox.d.cts']
  return {
    ...starters,
    ...Object.fromEntries(others.map((name) => [name, files[name] ?? ''])),
  }
}

/** The client of the recipes for JavaScript, by the folder of the recipe. */
export function toRecipeClients({ 'recipe-client.js': client = '' }: Files): Files {
  const script = client.replace('export function', 'function')
  const jest = `${script}\nmodule.exports = { createClient }\n`
  return { vitest: client, 'node-test': client, playwright: client, jest }
}

/** A test with the client at its end, in place of the import. */
function withClient(test: string, client: string): string {
  const [, types = '', own = ''] = /^(import type .*\n)\n([^]*)$/.exec(client) ?? []
  const isOfPage = test.includes("'@playwright/test'")
  const note = isOfPage ? 'or the page that uses it' : 'which takes the base URL of the API'
  const alone = test
    .replace(/^import .* from '\.\/client\.ts'\n/m, '')
    .replace(/^(?=import .*'seo-sandbox\/)/m, types)
  return `${alone}\n${own.replace('export ', '').replace('which takes the base URL of the API', note)}`
}

/** A test without its types. */
function withoutTypes(text: string): string {
  return text
    .replaceAll(/^import type .*\n/gm, '')
    .replaceAll(/: (?:string|number|SandboxServer)(?=[,)\n])/g, '')
    .replace('<{ server: SandboxServer }>', '')
    .replace(/\((await .*)\) as \{.*\}/, '$1')
}
