/** A certificate for servers of this machine, made when they start: nothing of it is stored but what clients need. */

import type { webcrypto } from 'node:crypto'
import type { Env } from '@lockstep/kube/env'
import { bytesToBase64 } from '@lockstep/kube/object'
import { BitString, Integer, OctetString, PrintableString } from 'asn1js'
import {
  AltName,
  AttributeTypeAndValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  ExtKeyUsage,
  GeneralName,
  Time,
} from 'pkijs'

/** PEM texts. */
export interface LocalCertificate {
  /** Authority that clients trust. Its key is dropped: it signs no other certificate. */
  readonly ca: string
  readonly cert: string
  readonly key: string
}

/** Longer than anybody serves a fleet in memory. */
const VALID_MS = 365 * 86_400_000
/** For clients whose clock is behind. */
const EARLIER_MS = 3_600_000
const ROOT = 'lockstep up'
const P256 = { name: 'ECDSA', namedCurve: 'P-256' }
const COMMON_NAME = '2.5.4.3'
const SUBJECT_KEY_ID = '2.5.29.14'
const KEY_USAGE = '2.5.29.15'
const SUBJECT_ALT_NAME = '2.5.29.17'
const BASIC_CONSTRAINTS = '2.5.29.19'
const AUTHORITY_KEY_ID = '2.5.29.35'
const EXTENDED_KEY_USAGE = '2.5.29.37'
/** Bits of a key usage, and how many of the byte are left. */
const DIGITAL_SIGNATURE = [0x80, 7] as const
const SIGNS_CERTIFICATES = [0x04, 2] as const
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const DNS_NAME = 2
const IP_ADDRESS = 7

/** Authority and server certificate with ECDSA P-256, for 127.0.0.1 and localhost, valid for a year. */
export async function createLocalCertificate(env: Pick<Env, 'clock' | 'random'>): Promise<LocalCertificate> {
  const [authority, server] = await Promise.all([newKeys(), newKeys()])
  const rootId = env.random.bytes(20)
  const root = certificateFor(env, ROOT, [
    critical(BASIC_CONSTRAINTS, new BasicConstraints({ cA: true })),
    critical(KEY_USAGE, keyUsage(SIGNS_CERTIFICATES)),
    extension(SUBJECT_KEY_ID, new OctetString({ valueHex: rootId })),
  ])
  await sign(root, authority.publicKey, authority.privateKey)
  const leaf = certificateFor(env, 'localhost', [
    critical(BASIC_CONSTRAINTS, new BasicConstraints({ cA: false })),
    critical(KEY_USAGE, keyUsage(DIGITAL_SIGNATURE)),
    extension(EXTENDED_KEY_USAGE, new ExtKeyUsage({ keyPurposes: [SERVER_AUTH] })),
    extension(SUBJECT_ALT_NAME, localNames()),
    extension(
      AUTHORITY_KEY_ID,
      new AuthorityKeyIdentifier({ keyIdentifier: new OctetString({ valueHex: rootId }) }),
    ),
  ])
  await sign(leaf, server.publicKey, authority.privateKey)
  const key = await crypto.subtle.exportKey('pkcs8', server.privateKey)
  return {
    ca: pem('CERTIFICATE', root.toSchema(true).toBER()),
    cert: pem('CERTIFICATE', leaf.toSchema(true).toBER()),
    key: pem('PRIVATE KEY', key),
  }
}

/** Keys are the one thing that comes from no seed: the platform makes them. */
const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  crypto.subtle.generateKey(P256, true, ['sign', 'verify'])

function certificateFor(
  { clock, random }: Pick<Env, 'clock' | 'random'>,
  name: string,
  extensions: Extension[],
): Certificate {
  // A serial number is positive and has no leading zero byte.
  const serial = random.bytes(16).map((byte, i) => (i === 0 ? (byte & 0x7f) | 0x40 : byte))
  const now = clock.now()
  const certificate = new Certificate({
    version: 2,
    serialNumber: new Integer({ valueHex: serial }),
    notBefore: new Time({ type: 0, value: new Date(now - EARLIER_MS) }),
    notAfter: new Time({ type: 0, value: new Date(now + VALID_MS) }),
    extensions,
  })
  certificate.subject.typesAndValues.push(commonName(name))
  certificate.issuer.typesAndValues.push(commonName(ROOT))
  return certificate
}

async function sign(certificate: Certificate, of: webcrypto.CryptoKey, by: webcrypto.CryptoKey) {
  await certificate.subjectPublicKeyInfo.importKey(of)
  await certificate.sign(by, 'SHA-256')
}

const commonName = (value: string): AttributeTypeAndValue =>
  new AttributeTypeAndValue({ type: COMMON_NAME, value: new PrintableString({ value }) })

interface Encodable {
  toSchema(): { toBER(): ArrayBuffer }
}

const extension = (
  extnID: string,
  value: Encodable | BitString | OctetString,
  isCritical = false,
): Extension =>
  new Extension({
    extnID,
    critical: isCritical,
    extnValue: ('toSchema' in value ? value.toSchema() : value).toBER(),
  })

const critical = (extnID: string, value: Encodable | BitString): Extension => extension(extnID, value, true)

const keyUsage = ([bits, unusedBits]: readonly [number, number]): BitString =>
  new BitString({ valueHex: new Uint8Array([bits]).buffer, unusedBits })

const localNames = (): AltName =>
  new AltName({
    altNames: [
      new GeneralName({ type: DNS_NAME, value: 'localhost' }),
      new GeneralName({
        type: IP_ADDRESS,
        value: new OctetString({ valueHex: new Uint8Array([127, 0, 0, 1]).buffer }),
      }),
    ],
  })

function pem(label: string, der: ArrayBuffer): string {
  const lines = bytesToBase64(new Uint8Array(der)).match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}
