import { describe, expect, it } from 'vitest'
import type { Stored } from '../../api/kind.ts'
import type { Inventory, Module } from '../../api/registry.ts'
import type { ClusterView } from '../../fleet/cluster.ts'
import type { KubeObject } from '../../object/object.ts'
import { createTerminal } from '../terminal/terminal.ts'
import type { Snapshot } from '../view/snapshot.ts'
import { chainOf } from './chain.ts'
import { drawWhy } from './draw.ts'
import type { Live } from './objects.ts'
import { rootsOf, type WhyNode, wantedKey } from './tree.ts'

const AT = '2026-01-01T00:00:00Z'
const NOW = Date.parse('2026-01-01T00:02:00Z')

const meta = (name: string) => ({
  name,
  namespace: 'platform',
  uid: name,
  resourceVersion: '1',
  creationTimestamp: AT,
})

interface ModuleFacts {
  readonly needs?: readonly string[]
  readonly release?: string
  readonly status?: Record<string, unknown>
}

function module(name: string, f: ModuleFacts = {}): Stored<Module> {
  const release = f.release ?? 'v2'
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Module',
    metadata: meta(name),
    spec: {
      release,
      targets: { clusterSelector: {} },
      dependsOn: (f.needs ?? []).map((n) => ({
        id: n,
        module: { kind: 'Module', name: n },
        release: 'Same',
        optional: false,
      })),
    },
    status: {
      release,
      currentRevision: `${name}-${release}`,
      rollout: { phase: 'Progressing' },
      ...f.status,
    },
  } as unknown as Stored<Module>
}

function unit(
  name: string,
  cluster: string,
  release: string,
  state: string,
  more: object = {},
): Stored<Inventory> {
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind: 'Inventory',
    metadata: meta(`m.${name}.${cluster}`),
    spec: {
      moduleRef: { kind: 'Module', name, uid: name },
      clusterRef: { kind: 'Secret', name: cluster },
      clusterUid: cluster,
      admitted: { revision: `${name}-${release}`, release, bundle: 'b', gateDigest: 'g', serial: 1 },
      objects: [
        { group: 'apps', version: 'apps/v1', kind: 'Deployment', namespace: 'certs', name: 'webhook' },
      ],
    },
    status: { state, admittedSerial: 1, ...more },
  } as unknown as Stored<Inventory>
}

const cluster = (name: string): ClusterView => ({
  kind: 'Secret',
  namespace: 'platform',
  name,
  standsIn: false,
  objectName: name,
  uid: name,
  labels: {},
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Kubeconfig', endpoint: { url: 'https://x' }, version: '1' },
})

const assemblage = (name: string, state: string, message = '') =>
  ({
    metadata: meta(name),
    spec: { clusterRef: { kind: 'Secret', name } },
    status: { cluster: state, conditions: [{ type: 'Ready', status: 'False', reason: state, message }] },
  }) as never

const applying = {
  blockers: [
    {
      reason: 'Applying',
      subject: 'Deployment/webhook',
      message: 'apps/Deployment certs/webhook: 0 of 1 replicas',
      since: AT,
    },
  ],
}

const absent = {
  blockers: [
    {
      reason: 'WaitNotFound',
      subject: 'Deployment/webhook',
      message:
        'apps/Deployment base/webhook does not exist; ConfigMap certs/app waits for it to be healthy (lockstep.dev/depends-on)',
      since: AT,
    },
    {
      reason: 'WaitingForObject',
      subject: 'Deployment/webhook',
      message:
        'ConfigMap certs/app waits for apps/Deployment base/webhook to be healthy (lockstep.dev/depends-on)',
      since: AT,
    },
  ],
}

function snapshot(s: Partial<Snapshot>): Snapshot {
  return {
    modules: [],
    inventories: [],
    clusters: [cluster('a'), cluster('b')],
    assemblages: [assemblage('a', 'Connected'), assemblage('b', 'Connected')],
    nowMs: NOW,
    ...s,
  }
}

const texts = (nodes: readonly WhyNode[], depth = 0): string[] =>
  nodes.flatMap((n) => [`${'  '.repeat(depth)}${n.label}: ${n.reason}`, ...texts(n.children, depth + 1)])

const of = (s: Snapshot, name: string, on: string, live = new Map<string, Live>()) =>
  chainOf(s, s.modules.find((m) => m.metadata.name === name)!, on, live)

const certs = module('certs')
const moving = unit('certs', 'a', 'v2', 'Delivering', applying)
const cases: readonly [string, Snapshot, string, string, readonly string[]][] = [
  [
    'what is ready waits for nothing',
    snapshot({ modules: [certs], inventories: [unit('certs', 'a', 'v2', 'Ready')] }),
    'certs',
    'a',
    [],
  ],
  [
    'an object that is not healthy',
    snapshot({ modules: [certs], inventories: [moving] }),
    'certs',
    'a',
    ['Deployment certs/webhook: Applying'],
  ],
  [
    'a dependency, and what it waits for',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'] })],
      inventories: [moving, unit('web', 'a', 'v1', 'Ready')],
    }),
    'web',
    'a',
    ['needs certs at v2: DependencyNotReady', '  Deployment certs/webhook: Applying'],
  ],
  [
    'what two dependencies need is followed once',
    snapshot({
      modules: [certs, module('web', { needs: ['certs'] }), module('top', { needs: ['certs', 'web'] })],
      inventories: [moving, unit('web', 'a', 'v1', 'Ready'), unit('top', 'a', 'v1', 'Ready')],
    }),
    'top',
    'a',
    [
      'needs certs at v2: DependencyNotReady',
      '  Deployment certs/webhook: Applying',
      'needs web at v2: DependencyNotStarted',
      '  needs certs at v2: DependencyNotReady',
    ],
  ],
  [
    'an object that it does not deliver, though it delivers one of that name',
    snapshot({ modules: [certs], inventories: [unit('certs', 'a', 'v2', 'Delivering', absent)] }),
    'certs',
    'a',
    ['waits for Deployment webhook: WaitNotFound'],
  ],
  [
    'a module that is not there',
    snapshot({ modules: [module('web', { needs: ['nix'] })] }),
    'web',
    'a',
    ['needs nix: DependencyMissing'],
  ],
  [
    'another release',
    snapshot({
      modules: [module('certs', { release: 'v1' }), module('web', { needs: ['certs'] })],
      inventories: [unit('certs', 'a', 'v1', 'Ready')],
    }),
    'web',
    'a',
    ['needs certs at v2: ReleaseMismatch'],
  ],
  [
    'a cluster that cannot be reached',
    snapshot({
      modules: [certs],
      inventories: [moving],
      assemblages: [assemblage('a', 'Unreachable', 'ECONNREFUSED')],
    }),
    'certs',
    'a',
    ['cluster a: Unreachable'],
  ],
  [
    'a cycle ends',
    snapshot({ modules: [module('x', { needs: ['y'] }), module('y', { needs: ['x'] })] }),
    'x',
    'a',
    ['needs y at v2: DependencyNotStarted', '  needs x at v2: DependencyNotStarted'],
  ],
]

describe('chainOf', () => {
  it.each(cases)('%s', (_, s, name, on, expected) => {
    expect(texts(of(s, name, on).tree.causes)).toEqual(expected)
  })

  it('follows a halted rollout to the cluster that failed', () => {
    const halted = module('certs', {
      status: {
        blockers: [
          { reason: 'Halted', message: 'revision x: 1 failed (a)', subject: 'Module/certs', since: AT },
        ],
        rollout: {
          phase: 'Halted',
          ledger: [{ cluster: 'a', failed: 'too late' }],
          failed: [{ cluster: 'a', message: 'too late' }],
        },
      },
    })
    const s = snapshot({ modules: [halted], inventories: [moving, unit('certs', 'b', 'v1', 'Ready')] })
    expect(texts(of(s, 'certs', 'b').tree.causes)).toEqual([
      'rollout of certs: Halted',
      '  certs on a: Failed',
      '    Deployment certs/webhook: Applying',
    ])
    expect(of(s, 'certs', 'b').tree.state).toBe('waits')
    expect(of(s, 'certs', 'a').tree.state).toBe('failed')
  })

  it('a diamond five deep with two causes: shared parts once, both causes, the oldest first', () => {
    const later = (at: string) => ({
      blockers: [
        { ...applying.blockers[0]!, since: at, message: `apps/Deployment certs/webhook: since ${at}` },
      ],
    })
    const needs = {
      top: ['l1', 'r1'],
      l1: ['l2', 'r2'],
      r1: ['l2', 'r2'],
      l2: ['base'],
      r2: ['base', 'other'],
    }
    const modules = [
      ...Object.entries(needs).map(([name, n]) => module(name, { needs: n })),
      module('base'),
      module('other'),
    ]
    const inventories = [
      unit('base', 'a', 'v2', 'Delivering', later('2026-01-01T00:01:00Z')),
      unit('other', 'a', 'v2', 'Delivering', later('2026-01-01T00:00:30Z')),
    ]
    const { tree } = of(snapshot({ modules, inventories }), 'top', 'a')
    expect(
      texts(tree.causes).map((t) => t.replace(/(needs )?(\S+) (at v2|certs\/webhook): .*/, '$2')),
    ).toEqual([
      'l1',
      '  l2',
      '    base',
      '      Deployment',
      '  r2',
      '    base',
      '    other',
      '      Deployment',
      'r1',
      '  l2',
      '  r2',
    ])
    expect(rootsOf(tree.causes).map((r) => r.module)).toEqual(['other', 'base'])
    const t = createTerminal(
      { color: false, unicode: true, live: false, wraps: false, width: 100 },
      { out() {}, err() {} },
    )
    const text = drawWhy(t, tree, NOW).join('\n')
    expect(text.match(/▲ root cause/g)).toHaveLength(2)
    expect(text.match(/see above/g)).toHaveLength(3)
  })

  it('asks for the object, and goes on to its Pod', () => {
    const s = snapshot({ modules: [certs, module('web', { needs: ['certs'] })], inventories: [moving] })
    const [wanted] = of(s, 'certs', 'a').wanted
    expect(wanted).toMatchObject({
      cluster: 'a',
      group: 'apps',
      version: 'v1',
      kind: 'Deployment',
      name: 'webhook',
    })
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "r/x:2": 403' }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'webhook-1', namespace: 'certs' },
      status: { phase: 'Pending', startTime: AT, containerStatuses: [{ name: 'x', state: { waiting } }] },
    } as KubeObject
    const live = new Map<string, Live>([[wantedKey(wanted!), { pods: [pod] }]])
    const { tree, wanted: more } = of(s, 'certs', 'a', live)
    expect(more).toEqual([])
    expect(texts(tree.causes)).toEqual([
      'Deployment certs/webhook: Applying',
      '  Pod webhook-1: ImagePullBackOff',
    ])
    expect([tree.clustersBehind, tree.modulesBehind]).toEqual([1, ['web']])
    const t = createTerminal(
      { color: false, unicode: true, live: false, wraps: false, width: 100 },
      { out() {}, err() {} },
    )
    const lines = drawWhy(t, tree, NOW)
    expect(lines.join('\n')).toContain('▲ root cause, first seen 2m ago')
    expect(lines.join('\n')).toContain(
      'Root cause: Pod webhook-1 on a: ImagePullBackOff: Back-off pulling image',
    )
    for (const line of lines.join('\n').split('\n')) expect([...line].length).toBeLessThanOrEqual(100)
    expect(lines.join('\n')).toContain('Health rules: Pod webhook-1 by core/Pod.')
  })

  it('tells its health as the revision says that is admitted there, and names the rule', () => {
    const s = snapshot({ modules: [certs], inventories: [moving] })
    const [wanted] = of(s, 'certs', 'a').wanted
    expect(wanted?.admitted).toMatchObject({
      module: { kind: 'Module', namespace: 'platform', name: 'certs' },
    })
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'webhook', namespace: 'certs' },
      spec: { replicas: 2 },
      status: { replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
    } as KubeObject
    const entry = { apiVersion: 'apps/v1', kind: 'Deployment', current: 'status.readyReplicas == 2' }
    const settings = {
      timeoutSeconds: 600,
      degradedSeconds: 30,
      hookTimeoutSeconds: 1800,
      profile: 'Lockstep',
    } as const
    const expressions = [{ ...entry, minCount: 1, settleSeconds: 0 }]
    const told = (health: Live['health']) => {
      const live = new Map<string, Live>([
        [wantedKey(wanted!), { pods: [], object, ...(health ? { health } : {}) }],
      ])
      const [cause] = of(s, 'certs', 'a', live).tree.causes
      return [cause?.reason, cause?.text, cause?.rule]
    }
    expect(told(undefined)).toEqual(['Progressing', '1 of 2 replicas available', 'apps/Deployment'])
    expect(told({ ...settings, profile: 'KStatus' })).toEqual([
      'Progressing',
      'Available: 1/2',
      'kstatus apps/Deployment',
    ])
    expect(told({ ...settings, expressions })).toEqual([
      'Progressing',
      'spec.health.expressions[0].current is false',
      'spec.health.expressions[0]',
    ])
  })
})
