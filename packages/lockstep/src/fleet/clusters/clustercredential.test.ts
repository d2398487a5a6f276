import { expect, it } from 'vitest'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import type { ClusterAccess } from './cluster.ts'
import { ClusterCredential } from './clustercredential.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The credential of a Secret at one version; `parsed` is called each time that its token is read. */
function accessOf(version: string, exp: number, parsed: () => void): ClusterAccess {
  const authorization = `Bearer ${part({ alg: 'ES256' })}.${part({ iat: 0, exp })}.c2ln`
  const endpoint = {
    url: 'https://c1.test',
    get headers() {
      parsed()
      return { authorization }
    },
  }
  return { type: 'Source', source: { type: 'Static', endpoint }, version }
}

it('is parsed once for each version of its Secret, however often labels change and its life is read', () => {
  let parses = 0
  const count = (): void => {
    parses++
  }
  const credential = new ClusterCredential(createSimEnv('parses'), () => {})
  const ends: (number | undefined)[] = []
  for (const [version, exp] of [
    ['1', 600],
    ['2', 900],
  ] as const) {
    for (let label = 0; label < 5; label++) {
      credential.observe(accessOf(version, exp, count))
      // As each scrape does.
      for (let scrape = 0; scrape < 20; scrape++) ends.push(credential.life?.endsAt)
    }
    credential.observe({ type: 'Missing', message: 'no key kubeconfig' })
  }
  expect(parses).toBe(2)
  expect([...new Set(ends)]).toEqual([600_000, 900_000])
  credential.stop()
})

it('after another source, the same version is read again', () => {
  const credential = new ClusterCredential(createSimEnv('sources'), () => {})
  credential.observe(accessOf('1', 600, () => {}))
  credential.observe({ type: 'Refused', message: 'kubeconfig: cannot be parsed' })
  expect(credential.life).toBeUndefined()
  credential.observe(accessOf('1', 600, () => {}))
  expect(credential.life?.endsAt).toBe(600_000)
  credential.stop()
})
