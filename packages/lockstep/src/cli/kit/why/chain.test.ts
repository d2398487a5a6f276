import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import { createTerminal } from '../terminal/terminal.ts'
import {
  AT,
  applyingSince,
  cases,
  certs,
  module,
  moving,
  NOW,
  of,
  snapshot,
  texts,
  unit,
} from './chain.cases.ts'
import { drawWhy } from './drawwhy.ts'
import type { ObjectWithPods } from './podnodes.ts'
import { rootsOf, wantedKey } from './whytree.ts'

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
    const later = (at: string) => applyingSince(at, `since ${at}`)
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
    const live = new Map<string, ObjectWithPods>([[wantedKey(wanted!), { pods: [pod] }]])
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
    const told = (health: ObjectWithPods['health']) => {
      const live = new Map<string, ObjectWithPods>([
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
