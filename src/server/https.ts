import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Server } from 'node:https'
import type { ServerOptions as TlsOptions } from 'node:https'
import type { RequestListener } from 'node:http'
import type { Socket } from 'node:net'
import { rememberTcpSocket } from '../adapters/node.ts'
import { OptionError } from '../world/options/option-error.ts'
import type { IssuedCertificate } from './certificate.ts'
import { toReadReason } from './file-errors.ts'

/** The certificate and key of an HTTPS server, as PEM. `ca` is undefined for a user's own certificate. */
export type Credentials = Omit<IssuedCertificate, 'ca'> & Partial<Pick<IssuedCertificate, 'ca'>>

interface CertificateFiles {
  cert: string | undefined
  key: string | undefined
}

/**
 * Returns the certificate in the user's files or, if neither file is named, a new one for this machine and `hosts`.
 *
 * @throws OptionError if only one of the files is named, and for files that cannot be used
 */
export async function readCredentials(
  { cert, key }: CertificateFiles,
  hosts: readonly string[],
): Promise<Credentials> {
  if (cert !== undefined && key !== undefined) return readFiles(cert, key)
  if (cert !== undefined || key !== undefined) {
    throw new OptionError(
      'A certificate needs its private key: name both files, with --https-cert and --https-key (httpsCert and httpsKey), or neither.',
    )
  }
  const { issueCertificate } = await import('./certificate.ts')
  return issueCertificate([...new Set([...OF_THIS_MACHINE, ...hosts])])
}

const OF_THIS_MACHINE = ['localhost', '127.0.0.1', '::1']

async function readFiles(certFile: string, keyFile: string): Promise<Credentials> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)])
  const certificate = parse(() => new X509Certificate(cert), `${certFile}: ${NO_CERTIFICATE}`)
  const privateKey = parse(() => createPrivateKey(key), `${keyFile}: ${NO_KEY}`)
  requirePair({ certFile, certificate, keyFile, privateKey })
  return { cert, key }
}

const NO_CERTIFICATE =
  'This is not a certificate as PEM, which begins with -----BEGIN CERTIFICATE-----. Name the file of the certificate.'
const NO_KEY =
  'This is not an unencrypted private key as PEM, which begins with -----BEGIN PRIVATE KEY-----. Name the file of the key.'

async function readPem(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new OptionError(`${file}: ${toReadReason(error)}`, { cause: error })
  }
}

function parse<Value>(read: () => Value, message: string): Value {
  try {
    return read()
  } catch (error) {
    throw new OptionError(message, { cause: error })
  }
}

function requirePair({
  certFile,
  certificate,
  keyFile,
  privateKey,
}: {
  certFile: string
  certificate: X509Certificate
  keyFile: string
  privateKey: KeyObject
}): void {
  if (certificate.checkPrivateKey(privateKey)) return
  throw new OptionError(
    `${keyFile}: This is not the private key of the certificate in ${certFile}. Name the two that belong together.`,
  )
}

/** An HTTPS server that can also close and reset the TCP connections beneath TLS. */
export class HttpsServer extends Server {
  readonly #connections = new Map<string, Socket>()

  constructor(options: TlsOptions, listener: RequestListener) {
    super(options, listener)
    this.on('connection', (socket: Socket) => {
      const key = keyOf(socket)
      this.#connections.set(key, socket)
      socket.once('close', () => {
        // A new connection of the same client may already use this port.
        if (this.#connections.get(key) === socket) this.#connections.delete(key)
      })
    })
    this.on('secureConnection', (socket) => {
      const tcpSocket = this.#connections.get(keyOf(socket))
      if (tcpSocket) rememberTcpSocket(socket, tcpSocket)
    })
  }

  /** Also closes connections whose handshake is not finished, unlike Node's own method. */
  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const socket of this.#connections.values()) socket.destroy()
  }
}

function keyOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return [remoteAddress, remotePort, localAddress, localPort].join(' ')
}
