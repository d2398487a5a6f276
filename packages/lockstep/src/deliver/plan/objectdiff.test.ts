import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { objectDiff } from './objectdiff.ts'

const config = (data: Record<string, string>, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'web', namespace: 'app', ...metadata },
  data,
})

const secret = (data: Record<string, string>, annotations?: Record<string, string>): KubeObject => ({
  ...config(data, annotations ? { annotations } : {}),
  kind: 'Secret',
  type: 'Opaque',
})

const changed = (lines: readonly string[]): string[] => lines.filter((l) => /^[-+]/.test(l))

describe('what an apply would change', () => {
  it('is what people write, and neither our marks nor what servers keep', () => {
    const live = config(
      { a: '1' },
      {
        uid: 'u',
        resourceVersion: '7',
        generation: 3,
        managedFields: [{ operation: 'Apply' }],
        labels: { 'lockstep.dev/unit': 'm.a.b' },
        annotations: { 'lockstep.dev/inventory': 'x', 'lockstep.dev/nonce': 'y' },
      },
    )
    expect(objectDiff(live, config({ a: '1' }))).toEqual([])
    expect(changed(objectDiff({ ...live, status: { x: 1 } }, config({ a: '2' })))).toEqual([
      '-  a: "1"',
      '+  a: "2"',
    ])
  })
  it('is all of an object that is new, or goes', () => {
    expect(objectDiff(undefined, config({ a: '1' }))).toEqual([
      '@@ -0,0 +1,7 @@',
      '+apiVersion: v1',
      '+kind: ConfigMap',
      '+metadata:',
      '+  name: web',
      '+  namespace: app',
      '+data:',
      '+  a: "1"',
    ])
    expect(changed(objectDiff(config({}), undefined)).every((l) => l.startsWith('-'))).toBe(true)
  })
})

describe('of a Secret', () => {
  it('keys are shown, and which of them change; values are not', () => {
    const lines = objectDiff(
      secret({ same: 'c2FtZQ==', old: 'b2xk', key: 'b25l' }),
      secret({ same: 'c2FtZQ==', new: 'bmV3', key: 'dHdv' }),
    )
    expect(changed(lines)).toEqual([
      '-  old: "***"',
      '-  key: "*** (before)"',
      '+  new: "***"',
      '+  key: "*** (after)"',
    ])
    for (const value of ['c2FtZQ==', 'b2xk', 'b25l', 'bmV3', 'dHdv'])
      expect(lines.join()).not.toContain(value)
  })
  it('nor is a copy of them that kubectl left', () => {
    const copy = (v: string) => ({
      'kubectl.kubernetes.io/last-applied-configuration': `{"data":{"k":"${v}"}}`,
    })
    const lines = objectDiff(secret({ k: 'b25l' }, copy('b25l')), secret({ k: 'b25l' }, copy('dHdv')))
    expect(changed(lines)).toHaveLength(2)
    expect(lines.join()).not.toMatch(/b25l|dHdv/)
    expect(objectDiff(secret({ k: 'b25l' }, copy('b25l')), undefined).join()).not.toContain('b25l')
  })
  it('equal ones are equal', () => {
    expect(objectDiff(secret({ k: 'b25l' }), secret({ k: 'b25l' }))).toEqual([])
  })
})
