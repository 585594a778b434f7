import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import * as x509 from '@peculiar/asn1-x509'
import { DAY_MS } from '../contract/time.ts'
import { realNow } from '../sandbox/machine-clock.ts'

/** The certificate and the key of a server, and the certificate of the authority that signed the first, all as PEM. */
export interface IssuedCertificate {
  cert: string
  key: string
  ca: string
}

/**
 * Issues a certificate for host names and IP addresses, signed by a new authority. The key of the authority is discarded, so that
 * it can never sign anything else.
 */
export function issueCertificate(hosts: readonly string[]): IssuedCertificate {
  const authority = createIdentity(`seo-sandbox ${randomBytes(4).toString('hex')}`)
  const server = createIdentity('localhost')
  const ca = certify(authority, authority, [
    extend(x509.id_ce_basicConstraints, CA, IS_CRITICAL),
    extend(x509.id_ce_keyUsage, SIGNS_CERTIFICATES, IS_CRITICAL),
  ])
  const cert = certify(server, authority, [
    extend(x509.id_ce_basicConstraints, new x509.BasicConstraints(), IS_CRITICAL),
    extend(x509.id_ce_keyUsage, SIGNS_HANDSHAKES, IS_CRITICAL),
    extend(x509.id_ce_extKeyUsage, new x509.ExtendedKeyUsage([x509.id_kp_serverAuth])),
    extend(x509.id_ce_subjectAltName, new x509.SubjectAlternativeName(hosts.map(toGeneralName))),
    // Strict implementations of RFC 5280, such as that of Python 3.13, trust no certificate without this extension.
    extend(
      x509.id_ce_authorityKeyIdentifier,
      new x509.AuthorityKeyIdentifier({ keyIdentifier: new x509.KeyIdentifier(authority.keyId) }),
    ),
  ])
  return { cert, key: server.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), ca }
}

const IS_CRITICAL = true
const CA = new x509.BasicConstraints({ cA: true, pathLenConstraint: 0 })
const SIGNS_CERTIFICATES = new x509.KeyUsage(
  x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
)
const SIGNS_HANDSHAKES = new x509.KeyUsage(x509.KeyUsageFlags.digitalSignature)
const ECDSA_WITH_SHA256 = new x509.AlgorithmIdentifier({ algorithm: '1.2.840.10045.4.3.2' })
const COMMON_NAME = '2.5.4.3'

interface Identity {
  name: x509.Name
  privateKey: KeyObject
  publicKey: x509.SubjectPublicKeyInfo
  keyId: Buffer
}

function createIdentity(commonName: string): Identity {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const info = AsnConvert.parse(der, x509.SubjectPublicKeyInfo)
  const value = new x509.AttributeValue({ utf8String: commonName })
  const attribute = new x509.AttributeTypeAndValue({ type: COMMON_NAME, value })
  return {
    name: new x509.Name([new x509.RelativeDistinguishedName([attribute])]),
    privateKey,
    publicKey: info,
    keyId: createHash('sha1').update(Buffer.from(info.subjectPublicKey)).digest(),
  }
}

/** Certificates are backdated, because the clock of a client may be behind. */
const BACKDATED_MS = DAY_MS
/** Validity from the time of issue. Clients accept at most 398 days in all, including `BACKDATED_MS`. */
const VALID_MS = 396 * DAY_MS

function certify(subject: Identity, issuer: Identity, extensions: x509.Extension[]): string {
  const nowMs = realNow()
  const tbsCertificate = new x509.TBSCertificate({
    version: x509.Version.v3,
    serialNumber: createSerial(),
    signature: ECDSA_WITH_SHA256,
    issuer: issuer.name,
    subject: subject.name,
    subjectPublicKeyInfo: subject.publicKey,
    validity: new x509.Validity({
      notBefore: new Date(nowMs - BACKDATED_MS),
      notAfter: new Date(nowMs + VALID_MS),
    }),
    extensions: new x509.Extensions([
      ...extensions,
      extend(x509.id_ce_subjectKeyIdentifier, new x509.SubjectKeyIdentifier(subject.keyId)),
    ]),
  })
  const signed = Buffer.from(AsnConvert.serialize(tbsCertificate))
  const certificate = new x509.Certificate({
    tbsCertificate,
    signatureAlgorithm: ECDSA_WITH_SHA256,
    signatureValue: toArrayBuffer(sign('sha256', signed, issuer.privateKey)),
  })
  const base64 = Buffer.from(AsnConvert.serialize(certificate)).toString('base64')
  const lines = base64.match(/.{1,64}/g)?.join('\n')
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`
}

function extend(extnID: string, value: object, critical = false): x509.Extension {
  const extnValue = new OctetString(AsnConvert.serialize(value))
  return new x509.Extension({ extnID, critical, extnValue })
}

function toGeneralName(host: string): x509.GeneralName {
  return new x509.GeneralName(isIP(host) === 0 ? { dNSName: host } : { iPAddress: host })
}

/** Returns a random positive integer of 16 bytes, the first of which is not zero. */
function createSerial(): ArrayBuffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return toArrayBuffer(bytes)
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}
