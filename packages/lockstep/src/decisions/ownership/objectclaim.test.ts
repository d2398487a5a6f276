import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import { claimKeysOf, keysOfObject } from './claimkeys.ts'
import { claimTextsOf, parseClaim } from './objectclaim.ts'

const object = (
  kind: string,
  name: string,
  annotations: Record<string, string> = {},
  namespace: string | null = 'shop',
): KubeObject => ({
  apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
  kind,
  metadata: { name, ...(namespace === null ? {} : { namespace }), annotations },
})

describe('claims of a bundle', () => {
  it('are its objects, without hooks and ignored objects', () => {
    const claims = claimTextsOf(
      [
        object('Deployment', 'web'),
        object('Namespace', 'shop', {}, null),
        object('ConfigMap', 'seed', { 'lockstep.dev/apply': 'IfNotPresent' }),
        object('ConfigMap', 'theirs', { 'lockstep.dev/apply': 'Observe' }),
        object('ConfigMap', 'nobodys', { 'lockstep.dev/apply': 'Ignore' }),
        object('ConfigMap', 'migrate', { 'argocd.argoproj.io/hook': 'PreSync' }),
        object('ConfigMap', '$(NAME)-settings'),
      ],
      undefined,
    )
    expect(claims).toEqual({
      ok: true,
      value: [
        'ConfigMap shop/$(NAME)-settings',
        'ConfigMap shop/seed IfNotPresent',
        'Namespace shop',
        'apps/Deployment shop/web',
      ],
    })
  })

  it('leave out hooks of those tools only whose annotations count', () => {
    const hook = object('ConfigMap', 'migrate', { 'argocd.argoproj.io/hook': 'PreSync' })
    expect(claimTextsOf([hook], ['Helm'])).toEqual({ ok: true, value: ['ConfigMap shop/migrate'] })
  })

  it.each([
    ['apps/Deployment shop/web', { group: 'apps', kind: 'Deployment', namespace: 'shop', name: 'web' }],
    ['Namespace shop', { group: '', kind: 'Namespace', name: 'shop' }],
    ['ConfigMap shop/seed IfNotPresent', { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'seed' }],
  ])('%s is read back', (text, ref) => {
    expect(parseClaim(text)).toEqual({ ...ref, isUnowned: text.endsWith('IfNotPresent') })
  })
})

describe('the index', () => {
  const keys = claimKeysOf({
    claims: ['ConfigMap plain', 'ConfigMap shop/$(NAME)', 'example.com/Widget $(PLACE)/w'],
    namespace: 'home',
  })
  const finds = (key: string) => keys.includes(key)

  it.each([
    ['an object without namespace, as it is', { group: '', kind: 'ConfigMap', name: 'plain' }],
    [
      'the same in the namespace of the unit',
      { group: '', kind: 'ConfigMap', namespace: 'home', name: 'plain' },
    ],
    ['what a mention may become', { group: '', kind: 'ConfigMap', namespace: 'shop', name: 'anything' }],
    [
      'the same for a mentioned namespace',
      { group: 'example.com', kind: 'Widget', namespace: 'x', name: 'w' },
    ],
  ])('finds %s', (_, ref) => {
    expect(keysOfObject(ref, undefined).some(finds)).toBe(true)
  })

  it.each([
    ['a Namespace with an object', { namespace: 'shop' }, true],
    ['the Namespace of objects without one', { namespace: 'home' }, true],
    ['a kind with objects', { kind: 'example.com/Widget' }, true],
    ['no other kind', { kind: 'example.com/Gadget' }, false],
  ])('finds %s', (_, contents, isFound) => {
    const container = { group: '', kind: 'Namespace', name: 'none' }
    expect(keysOfObject(container, contents).some(finds)).toBe(isFound)
  })

  it('finds revisions without recorded claims for every object', () => {
    const unread = claimKeysOf({ claims: undefined, namespace: undefined })
    expect(keysOfObject({ group: '', kind: 'Pod', name: 'x' }, undefined)).toEqual(
      expect.arrayContaining(unread),
    )
  })
})
