import { expect, it } from 'vitest'
import { module, snapshot } from './chain.cases.ts'
import { externalTree } from './externaltree.ts'

const AT = '2026-01-01T00:00:00Z'
const REVISION = 'v1:0123456789abcdef'

const assemblage = (status: object | undefined) =>
  ({
    metadata: { name: 'argo.a', namespace: 'platform' },
    spec: {
      clusterRef: { kind: 'Secret', name: 'a' },
      syncs: [{ kind: 'AppGroup', name: 'web', revision: REVISION, bundle: 'b' }],
    },
    ...(status ? { status } : {}),
  }) as never

const needs = {
  reason: 'DependencyNotStarted',
  subject: 'Module/certs@a',
  message: 'certs: certs v2 is not admitted on a',
  since: AT,
}
const of = (status: object | undefined) =>
  externalTree(snapshot({ modules: [module('certs')], foreign: [assemblage(status)] }), 'appgroup/web', 'a')

it.each<[what: string, status: object | undefined, expected: readonly unknown[]]>([
  [
    'ready',
    { syncs: [{ kind: 'AppGroup', name: 'web', state: 'Ready', revision: REVISION }] },
    ['ready', []],
  ],
  [
    'ready at what was wanted before',
    { syncs: [{ kind: 'AppGroup', name: 'web', state: 'Ready', revision: 'v1:old' }] },
    ['waits', ['RemoteAssemblage argo.a: Pending']],
  ],
  ['not looked at', undefined, ['waits', ['RemoteAssemblage argo.a: Pending']]],
  [
    'waits for a module: its chain goes on',
    { syncs: [{ kind: 'AppGroup', name: 'web', state: 'Blocked', blockers: [needs] }] },
    ['waits', ['Module/certs: DependencyNotStarted', '  Module/certs: Pending']],
  ],
])('%s', (_, status, [state, causes]) => {
  const tree = of(status)
  const texts = tree?.causes.flatMap((n) => [
    `${n.label}: ${n.reason}`,
    ...n.children.map((x) => `  ${x.label}: ${x.reason}`),
  ])
  expect([tree?.state, texts]).toEqual([state, causes])
})

it('of another record, or another cluster, there is none', () => {
  const s = snapshot({ foreign: [assemblage(undefined)] })
  expect([externalTree(s, 'AppGroup/db', 'a'), externalTree(s, 'AppGroup/web', 'b')]).toEqual([
    undefined,
    undefined,
  ])
})
