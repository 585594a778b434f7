import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port.js'
import { runHaproxy } from './haproxy.js'

const CONFIG = fileURLToPath(new URL('../../../docs/hosting/haproxy.cfg', import.meta.url))

/**
 * Starts HAProxy with the configuration of docs/hosting, and a certificate of its own.
 *
 * @param ports Two replicas.
 * @param requestsPerAddress Number of requests of an address that are answered in ten seconds; that of the configuration if
 *   omitted.
 */
export async function startHostingHaproxy([first, second], { requestsPerAddress } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'seo-sandbox-hosting-'))
  const [port, insecurePort] = [await freePort(), await freePort()]
  const { file, caFile } = await createCertificate(folder)
  const haproxy = await runHaproxy(CONFIG, port, {
    CERTIFICATE: file,
    HTTPS_ADDRESS: `127.0.0.1:${port}`,
    HTTP_ADDRESS: `127.0.0.1:${insecurePort}`,
    REPLICA_1: `127.0.0.1:${first}`,
    REPLICA_2: `127.0.0.1:${second}`,
    ...(requestsPerAddress !== undefined && { REQUESTS_PER_ADDRESS: String(requestsPerAddress) }),
  })
  const stop = async () => {
    await haproxy.stop()
    await rm(folder, { recursive: true })
  }
  return {
    ...haproxy,
    url: `https://127.0.0.1:${port}`,
    insecureUrl: `http://127.0.0.1:${insecurePort}`,
    caFile,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** Creates a self-signed certificate for 127.0.0.1. */
async function createCertificate(folder) {
  const [keyFile, caFile, file] = ['key', 'ca', 'certificate'].map((name) =>
    join(folder, `${name}.pem`),
  )
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', ...subject]
  const { status, stderr } = spawnSync('openssl', [...args, '-keyout', keyFile, '-out', caFile])
  if (status !== 0) throw new Error(`openssl has ended with ${status}: ${String(stderr)}`)
  await writeFile(file, (await readFile(caFile, 'utf8')) + (await readFile(keyFile, 'utf8')))
  return { file, caFile }
}
