import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { trustCa } from '../../src/cli/trust.ts'
import { aFolder } from '../support/cli.ts'

/** The environment of a command that trusts its sandbox with HTTPS; test/processes/https.test.ts has clients in it. */

const CA = 'of the sandbox\n'
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE']
const NODE = 'NODE_EXTRA_CA_CERTS'

describe('a command trusts', () => {
  test('the roots of Node and the CA of the sandbox, where its variables name no file', async () => {
    const { file, variables } = trustCa(CA, {})
    expect(await readFile(file, 'utf8')).toBe(CA)
    const [bundle] = BUNDLES.map((name) => variables[name])
    expect(BUNDLES.map((name) => variables[name])).toEqual([bundle, bundle, bundle])
    const roots = rootCertificates.map((root) => `${root}\n`).join('')
    expect(await readFile(bundle ?? '', 'utf8')).toBe(roots + CA)
    // Node has its own roots besides.
    expect(await readFile(variables[NODE] ?? '', 'utf8')).toBe(CA)
  })

  test('what its variables name, each once, and the CA of the sandbox', async () => {
    await using folder = await aFolder({ 'a.pem': 'a', 'b.pem': 'b\n', 'node.pem': 'n' })
    const { variables } = trustCa(CA, {
      SSL_CERT_FILE: folder.path('a.pem'),
      REQUESTS_CA_BUNDLE: folder.path('b.pem'),
      CURL_CA_BUNDLE: folder.path('a.pem'),
      [NODE]: folder.path('node.pem'),
    })
    expect(await readFile(variables['CURL_CA_BUNDLE'] ?? '', 'utf8')).toBe(`a\nb\n${CA}`)
    expect(await readFile(variables[NODE] ?? '', 'utf8')).toBe(`n\n${CA}`)
  })

  test.each([...BUNDLES, NODE])('no file that %s names wrongly', (name) => {
    expect(() => trustCa(CA, { [name]: '/gone.pem' })).toThrow(
      `${name}: /gone.pem: There is no such file. Check the path.`,
    )
    expect(() => trustCa(CA, { [name]: '/' })).toThrow(`${name}: /: It is a folder.`)
  })
})
