import { X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { createNodeEnv } from '../../../../../kube/src/env/node/nodeenv.ts'
import { nodeLog } from '../../../../../kube/src/env/node/nodelog.ts'
import { createLocalCertificate, type LocalCertificate } from './localcertificate.ts'

describe('the certificate of a local server', () => {
  const env = createNodeEnv(nodeLog('silent'))
  let made: LocalCertificate
  beforeAll(async () => {
    made = await createLocalCertificate(env)
  })

  it('is for this machine alone, with a P-256 key, and is valid now', () => {
    const cert = new X509Certificate(made.cert)
    expect(cert.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1')
    expect(cert.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect(cert.ca).toBe(false)
    const now = env.clock.now()
    expect(Date.parse(cert.validFrom)).toBeLessThan(now)
    expect(Date.parse(cert.validTo)).toBeGreaterThan(now)
  })

  it('is signed by its authority, and by no other', async () => {
    const authority = new X509Certificate(made.ca)
    const cert = new X509Certificate(made.cert)
    expect([authority.ca, cert.checkIssued(authority), cert.verify(authority.publicKey)]).toEqual([
      true,
      true,
      true,
    ])
    const other = new X509Certificate((await createLocalCertificate(env)).ca)
    expect(cert.verify(other.publicKey)).toBe(false)
    expect(other.serialNumber).not.toBe(authority.serialNumber)
  })
})
