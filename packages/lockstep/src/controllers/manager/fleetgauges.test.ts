import { describe, expect, it } from 'vitest'
import type { GaugeValue } from '../../../../kube/src/env/metrics.ts'
import { promMeters } from '../../../../kube/src/env/node/prommeters.ts'
import type { Stored } from '../../../../kube/src/object/kind.ts'
import type { Inventory, Module, Promotion } from '../../api/kinds/index.ts'
import type { CredentialLife } from '../../fleet/credentials/index.ts'
import { type FleetFacts, fleetGauges, type ObservedCluster } from './fleetgauges.ts'
import { moduleStateOf, rolloutStateOf } from './modulestate.ts'

type Status = NonNullable<Module['status']>
type Phase = NonNullable<Status['rollout']>['phase']

const READY = { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }
const because = (...reasons: string[]) => ({ blockers: reasons.map((reason) => ({ reason })) })
const at = (phase: Phase) => ({ rollout: { phase } })

function module(name: string, status: object, kind = 'Module'): Stored<Module> {
  const metadata = { name, namespace: 'apps', generation: 1 }
  return {
    apiVersion: 'lockstep.dev/v1alpha1',
    kind,
    metadata,
    spec: {},
    status,
  } as unknown as Stored<Module>
}

function inventory(of: string, status: object): Stored<Inventory> {
  const spec = { moduleRef: { kind: 'Module', name: of } }
  return { metadata: { name: of, namespace: 'apps' }, spec, status } as unknown as Stored<Inventory>
}

function cluster(name: string, state: string, reason?: string, facts: object = {}): ObservedCluster {
  const blocker = reason === undefined ? {} : { blocker: { reason, facts } }
  return { namespace: 'apps', name, condition: { state, ...blocker } } as unknown as ObservedCluster
}

const promotion = (pipeline: string, phase: string): Stored<Promotion> =>
  ({
    metadata: { name: 'p', namespace: 'apps' },
    spec: { pipelineRef: { name: pipeline } },
    status: { phase },
  }) as unknown as Stored<Promotion>

const NOTHING: FleetFacts = { modules: [], inventories: [], promotions: [], clusters: [], nowMs: 0 }

/** `{label values} value` of one metric, sorted. */
const valuesOf = (gauges: readonly GaugeValue[], name: GaugeValue['name']): string[] =>
  gauges
    .filter((g) => g.name === name)
    .map(({ labels, value }) => `${Object.values(labels).join(' ')} ${value}`)
    .toSorted()

describe('the state of a Module', () => {
  it.each<[state: string, rollout: string | undefined, status: object]>([
    ['Ready', undefined, { ...READY, ...at('Complete') }],
    ['Progressing', undefined, {}],
    ['Progressing', 'Progressing', at('Progressing')],
    ['Progressing', 'Progressing', at('RollingBack')],
    ['Halted', 'Halted', { ...at('Halted'), clusters: { failed: 2 } }],
    ['Paused', 'Paused', at('Paused')],
    ['AwaitingApproval', 'AwaitingApproval', { ...at('Waiting'), ...because('Soaking', 'AwaitingApproval') }],
    ['Blocked', 'Waiting', { ...at('Waiting'), ...because('WindowClosed') }],
    ['Failed', undefined, at('CompletedWithFailures')],
    ['Failed', undefined, at('RolledBack')],
    ['Failed', 'Progressing', { ...at('Progressing'), clusters: { failed: 1 } }],
    ['Failed', undefined, { conditions: [{ type: 'Stalled', status: 'True' }], ...because('InvalidSpec') }],
    ['Blocked', undefined, because('SourceUnreachable')],
  ])('%s, rollout %s: %j', (state, rollout, status) => {
    const m = module('web', status)
    expect([moduleStateOf(m), rolloutStateOf(m)]).toEqual([state, rollout])
  })
})

describe('gauges of Modules', () => {
  it('count states, and say of each Module whether it and its source are healthy', () => {
    const modules = [
      module('a', READY),
      module('b', because('Fetching', 'SourceBehind')),
      module('c', because('RenderFailed')),
      module('c', READY, 'BootstrapModule'),
    ]
    const gauges = fleetGauges({ ...NOTHING, modules }, 10)
    expect(valuesOf(gauges, 'lockstep_modules')).toEqual(['apps Blocked 2', 'apps Ready 2'])
    const ready = ['apps BootstrapModule/c 1', 'apps a 1', 'apps b 0', 'apps c 0']
    expect(valuesOf(gauges, 'lockstep_module_ready')).toEqual(ready)
    const up = ['apps BootstrapModule/c 1', 'apps a 1', 'apps b 1', 'apps c 0']
    expect(valuesOf(gauges, 'lockstep_source_up')).toEqual(up)
  })

  it('say of an unfinished rollout its state, its limits and its last progress', () => {
    const startedAt = '2026-05-01T10:00:00Z'
    const stages = [{ openedAt: startedAt, completedAt: '2026-05-01T11:00:00Z' }]
    const ledger = [{ kind: 'Update' }, { kind: 'Install' }, { kind: 'Update' }]
    const rollout = { phase: 'Progressing', startedAt, stages, ledger }
    const modules = [module('web', { rollout }), module('done', { ...READY, ...at('Complete') })]
    const last = (time: string) => ({ conditions: [{ type: 'Ready', lastTransitionTime: time }] })
    const inventories = [
      inventory('web', last('2026-05-01T09:00:00Z')),
      inventory('web', last('2026-05-01T11:30:00Z')),
      inventory('done', last('2026-05-01T12:00:00Z')),
    ]
    const gauges = fleetGauges({ ...NOTHING, modules, inventories }, 10)
    expect(valuesOf(gauges, 'lockstep_rollout_state')).toEqual(['apps web Progressing 1'])
    expect(valuesOf(gauges, 'lockstep_rollout_slots')).toEqual(['apps web Install 1', 'apps web Update 2'])
    const seconds = Date.parse('2026-05-01T11:30:00Z') / 1000
    expect(valuesOf(gauges, 'lockstep_rollout_last_progress_timestamp_seconds')).toEqual([
      `apps web ${seconds}`,
    ])
  })

  it('count units by state and by the first reason that blocks them', () => {
    const modules = [module('web', READY)]
    const inventories = [
      inventory('web', { state: 'Healthy' }),
      inventory('web', { state: 'Blocked', ...because('DependencyNotReady', 'WriteDenied') }),
      inventory('web', {}),
    ]
    const gauges = fleetGauges({ ...NOTHING, modules, inventories }, 10)
    expect(valuesOf(gauges, 'lockstep_units')).toEqual([
      'apps web Blocked 1',
      'apps web Healthy 1',
      'apps web Pending 1',
    ])
    expect(valuesOf(gauges, 'lockstep_blocked_units')).toEqual(['DependencyNotReady 1'])
  })

  it('keep series of their own for abnormal Modules alone where there are too many', () => {
    const modules = Array.from({ length: 5000 }, (_, i) => module(`m${i}`, i === 7 ? at('Halted') : READY))
    modules.push(module('cut', { ...READY, ...because('SourceUnreachable') }))
    const inventories = modules.map((m) => inventory(m.metadata.name, { state: 'Healthy' }))
    const gauges = fleetGauges({ ...NOTHING, modules, inventories }, 1000)
    expect(valuesOf(gauges, 'lockstep_module_ready')).toEqual(['apps cut 1', 'apps m7 0'])
    expect(valuesOf(gauges, 'lockstep_modules')).toEqual(['apps Halted 1', 'apps Ready 5000'])
    expect(valuesOf(gauges, 'lockstep_units')).toEqual([
      'apps  Healthy 4999',
      'apps cut Healthy 1',
      'apps m7 Healthy 1',
    ])
    expect(gauges.length).toBeLessThan(20)
  })
})

describe('gauges of clusters', () => {
  it.each<[up: string | undefined, ...of: Parameters<typeof cluster>]>([
    ['1', 'west', 'Connected'],
    ['1', 'west', 'Connected', 'WatchStale'],
    ['0', 'west', 'Unreachable', 'ClusterUnreachable'],
    ['0', 'west', 'Provisioning', 'ClusterUnreachable'],
    ['0', 'west', 'Refused', 'CredentialRefused'],
    ['0', 'west', 'IdentityChanged', 'IdentityChanged'],
    ['0', 'west', 'Connecting', 'ClusterConnecting', { error: 'connect ECONNREFUSED' }],
    [undefined, 'west', 'Connecting', 'ClusterConnecting'],
    [undefined, 'west', 'Provisioning', 'Provisioning'],
    [undefined, 'west', 'Paused', 'ClusterPaused'],
    [undefined, 'west', 'Absent', 'DuplicateOf'],
    [undefined, 'west', 'Deleting'],
  ])('up is %s: %s %s %s %j', (up, ...of) => {
    const gauges = fleetGauges({ ...NOTHING, clusters: [cluster(...of)] }, 10)
    expect(valuesOf(gauges, 'lockstep_cluster_up')).toEqual(up === undefined ? [] : [`apps west ${up}`])
    expect(valuesOf(gauges, 'lockstep_clusters')).toEqual([`apps ${of[1]} 1`])
  })

  it.each<[days: number | undefined, expiring: string[]]>([
    [6, ['apps west 1']],
    [8, ['apps west 0']],
    [-1, ['apps west 1']],
    [undefined, []],
  ])('a credential that ends in %s days: %j', (days, expiring) => {
    const life =
      days === undefined ? undefined : { of: 'Token', beganAt: undefined, endsAt: days * 86_400_000 }
    const gauges = fleetGauges(
      {
        ...NOTHING,
        clusters: [{ ...cluster('west', 'Connected'), life: life as CredentialLife | undefined }],
      },
      10,
    )
    expect(valuesOf(gauges, 'lockstep_cluster_credential_expiring')).toEqual(expiring)
    const at = days === undefined ? [] : [`apps west ${days * 86_400}`]
    expect(valuesOf(gauges, 'lockstep_cluster_credential_expiry_timestamp_seconds')).toEqual(at)
  })

  it('keep series of their own for clusters that are down alone where there are too many', () => {
    const clusters = Array.from({ length: 30 }, (_, i) => cluster(`c${i}`, 'Connected'))
    clusters.push(cluster('down', 'Unreachable', 'ClusterUnreachable'))
    const gauges = fleetGauges({ ...NOTHING, clusters }, 10)
    expect(valuesOf(gauges, 'lockstep_cluster_up')).toEqual(['apps down 0'])
    expect(valuesOf(gauges, 'lockstep_clusters')).toEqual(['apps Connected 30', 'apps Unreachable 1'])
  })
})

describe('gauges of promotions', () => {
  it('count those that have not ended', () => {
    const promotions = [promotion('web', 'Open'), promotion('web', 'Pending'), promotion('api', 'Succeeded')]
    const gauges = fleetGauges({ ...NOTHING, promotions }, 10)
    expect(valuesOf(gauges, 'lockstep_promotions_pending')).toEqual(['apps web 2'])
  })
})

describe('a scrape of 100 clusters and 50 Modules', () => {
  const STATES = ['Healthy', 'Deploying', 'Failed', 'Blocked', 'Soaking']
  const modules = Array.from({ length: 50 }, (_, i) =>
    module(`m${i}`, {
      rollout: { phase: 'Progressing', startedAt: '2026-05-01T10:00:00Z', ledger: [{ kind: 'Update' }] },
    }),
  )
  const inventories = modules.flatMap((m, n) =>
    Array.from({ length: 100 }, (_, i) =>
      inventory(m.metadata.name, { state: STATES[(n + i) % STATES.length] }),
    ),
  )
  const clusters = Array.from({ length: 100 }, (_, i) => cluster(`c${i}`, 'Connected'))
  const meters = promMeters()
  const scrape = async (facts: FleetFacts): Promise<string[]> =>
    ((await meters.expose?.(fleetGauges(facts, 1000))) ?? '')
      .split('\n')
      .filter((l) => l !== '' && !l.startsWith('#'))

  it('has at most 10,000 series', async () => {
    const lines = await scrape({ modules, inventories, promotions: [], clusters, nowMs: 0 })
    expect(lines.length).toBeGreaterThan(500)
    expect(lines.length).toBeLessThan(10_000)
  })

  it('has none of a Module that was deleted since', async () => {
    const isLeft = (name: string) => name !== 'm3'
    const left = {
      modules: modules.filter((m) => isLeft(m.metadata.name)),
      inventories: inventories.filter((i) => isLeft(i.metadata.name)),
      promotions: [],
      clusters: clusters.filter((c) => c.name !== 'c5'),
      nowMs: 0,
    }
    expect((await scrape({ modules, inventories, promotions: [], clusters, nowMs: 0 })).join('\n')).toContain(
      'module="m3"',
    )
    const text = (await scrape(left)).join('\n')
    expect(text).toContain('module="m4"')
    expect(text).not.toContain('module="m3"')
    expect(text).not.toContain('cluster="c5"')
  })
})
