import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { toFileReason, toReadReason } from '../server/file-errors.ts'
import { OptionError } from '../world/options/option-error.ts'

/**
 * Writes the CA certificate of a server, as PEM, to a file that is removed when this process exits. Returns the path.
 *
 * @throws OptionError if the file cannot be written.
 */
export function writeCa(ca: string): string {
  return openFolder()('ca.pem', [ca])
}

/** Environment variables for the path of the trusted certificates, as read by OpenSSL, Python's requests and curl. */
const BUNDLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE'] as const
/** Environment variable for the path of certificates that Node trusts in addition to its own. */
const EXTRA = 'NODE_EXTRA_CA_CERTS'

/**
 * Writes files that make a command trust a CA certificate in addition to those it already trusts. Returns the variables that
 * name the files, and the path of the certificate. The files are removed when this process exits.
 *
 * @throws OptionError for a variable that names an unreadable file, or if the new files cannot be written.
 */
export function trustCa(
  ca: string,
  env: NodeJS.ProcessEnv,
): { file: string; variables: Record<string, string> } {
  const named = new Map(BUNDLES.flatMap((name) => (env[name] ? [[env[name], name]] : [])))
  const bundled = [...named].map(([file, name]) => read(file, name))
  const extra = env[EXTRA] ? [read(env[EXTRA], EXTRA)] : []
  const write = openFolder()
  const bundle = write('bundle.pem', [...(named.size > 0 ? bundled : rootCertificates), ca])
  const variables = {
    ...Object.fromEntries(BUNDLES.map((name) => [name, bundle])),
    [EXTRA]: write('node.pem', [...extra, ca]),
  }
  return { file: write('ca.pem', [ca]), variables }
}

function read(file: string, variable: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new OptionError(`${variable}: ${file}: ${toReadReason(error)}`, { cause: error })
  }
}

/** @throws OptionError if the folder of temporary files cannot be written to. */
function refusing<Value>(write: () => Value): Value {
  try {
    return write()
  } catch (error) {
    throw new OptionError(
      `${tmpdir()}: The CA certificate is not written. ${toFileReason(error)}`,
      { cause: error },
    )
  }
}

/**
 * Creates a folder that only this user can read, and removes it when this process exits. Returns a function that writes a file
 * into the folder and returns its path.
 */
function openFolder(): (name: string, certificates: readonly string[]) => string {
  const folder = refusing(() => mkdtempSync(join(tmpdir(), 'seo-sandbox-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return (name, certificates) => {
    const file = join(folder, name)
    const text = certificates.map((one) => `${one.trimEnd()}\n`).join('')
    refusing(() => writeFileSync(file, text))
    return file
  }
}
