import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike } from '../../../../../test/arbitrary/decision.ts'
import type { ClusterResourceSet } from '../../api/kinds/clusterresourceset/columns.ts'
import { SET, SET_STRATEGIES } from '../../api/kinds/clusterresourceset/spec.ts'
import { settingsOf } from './setsettings.ts'

type Annotations = Readonly<Record<string, string>>
const set = (annotations: Annotations, strategy?: string): ClusterResourceSet => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: { name: 'crs1', namespace: 'default', annotations },
  spec: { clusterSelector: { matchLabels: { a: 'b' } }, resources: [], strategy },
})
const messages = (annotations: Annotations, strategy = 'Continuous') =>
  settingsOf(set(annotations, strategy)).problems.map((p) => p.message)

const CONTINUOUS = {
  mode: 'Continuous',
  intervalMs: 600_000,
  prune: false,
  allowEmpty: false,
  drift: 'Revert',
  deletionPolicy: 'Orphan',
  ordering: 'Graph',
  healthTimeoutMs: 600_000,
  dependsOn: [],
  maxUnavailable: '10%',
  existing: 'Take',
  reapply: undefined,
  takeOverFrom: undefined,
  write: 'Apply',
  replaceImmutable: false,
}

describe('without annotations', () => {
  it.each([
    ['Continuous', CONTINUOUS],
    ['Reconcile', { ...CONTINUOUS, mode: 'Reconcile', maxUnavailable: '100%' }],
    ['ApplyOnce', { ...CONTINUOUS, mode: 'ApplyOnce', maxUnavailable: '100%', existing: 'Keep' }],
  ])('the defaults of %s', (strategy, settings) => {
    expect(settingsOf(set({}, strategy))).toEqual({
      settings,
      problems: [],
      switches: { managed: false, paused: false, assumeInactive: false },
    })
  })

  it.each([undefined, ''])('a strategy that nobody has defaulted is ApplyOnce: %j', (strategy) => {
    expect(settingsOf(set({}, strategy)).settings?.mode).toBe('ApplyOnce')
  })
})

describe('the mode', () => {
  it('wins over the strategy, also over one that is unknown', () => {
    for (const strategy of [...SET_STRATEGIES, 'Nonsense'])
      expect(settingsOf(set({ [SET.mode]: 'Reconcile' }, strategy)).settings?.mode).toBe('Reconcile')
  })

  it('is not guessed', () => {
    expect(messages({}, 'Sometimes')).toEqual([
      'spec.strategy: "Sometimes": unknown; write ApplyOnce, Reconcile or Continuous, or set lockstep.dev/mode',
    ])
    expect(messages({ [SET.mode]: 'continuous' }, 'ApplyOnce')).toEqual([
      'lockstep.dev/mode: "continuous": unknown; write ApplyOnce, Reconcile or Continuous',
    ])
  })
})

const edge = { id: 'cni', module: { kind: 'Module', name: 'calico' } }

it('each setting is what its annotation says', () => {
  const annotations = {
    [SET.managed]: 'true',
    [SET.paused]: 'false',
    [SET.interval]: '1m30s',
    [SET.prune]: 'true',
    [SET.allowEmpty]: 'true',
    [SET.drift]: 'Report',
    [SET.deletionPolicy]: 'Delete',
    [SET.ordering]: 'Listed',
    [SET.healthTimeout]: '1h',
    [SET.dependsOn]: JSON.stringify([edge]),
    [SET.maxUnavailable]: '3',
    [SET.existing]: 'Fail',
    [SET.reapply]: 'again, please',
    [SET.takeOverFrom]: 'crs2',
    [SET.replaceImmutable]: 'true',
    [SET.assumeInactive]: 'true',
  }
  expect(settingsOf(set(annotations, 'Continuous'))).toEqual({
    problems: [],
    switches: { managed: true, paused: false, assumeInactive: true },
    settings: {
      mode: 'Continuous',
      intervalMs: 90_000,
      prune: true,
      allowEmpty: true,
      drift: 'Report',
      deletionPolicy: 'Delete',
      ordering: 'Listed',
      healthTimeoutMs: 3_600_000,
      dependsOn: [{ ...edge, release: 'Same', optional: false }],
      maxUnavailable: 3,
      existing: 'Fail',
      reapply: 'again, please',
      takeOverFrom: 'crs2',
      write: 'Apply',
      replaceImmutable: true,
    },
  })
  expect(settingsOf(set({ [SET.write]: 'MergePatch' }, 'Reconcile')).settings?.write).toBe('MergePatch')
})

it.each([
  ['ApplyOnce', [SET.prune, SET.drift, SET.dependsOn, SET.takeOverFrom, SET.write, SET.replaceImmutable]],
  ['Reconcile', [SET.prune, SET.allowEmpty, SET.deletionPolicy, SET.ordering, SET.healthTimeout]],
  ['Continuous', [SET.write]],
])('what means nothing in %s is not looked at', (mode, ignored) => {
  const plain = settingsOf(set({}, mode))
  expect(settingsOf(set(Object.fromEntries(ignored.map((a) => [a, '?'])), mode))).toEqual(plain)
})

it.each([
  ['30s', 30_000],
  ['24h', 86_400_000],
])('an interval may be %s', (text, intervalMs) => {
  expect(settingsOf(set({ [SET.interval]: text })).settings).toMatchObject({ intervalMs })
})

describe('a bad value', () => {
  it.each<readonly [string, string, string]>([
    [SET.interval, '10', '"10": not a duration; write "10s" or "10m"'],
    [SET.interval, 'soon', '"soon": not a duration; write "30s" or "10m"'],
    [SET.interval, '10s', '"10s": shorter than 30s; write 30s to 24h'],
    [SET.interval, '25h', '"25h": longer than 24h; write 30s to 24h'],
    [SET.healthTimeout, '0s', '"0s": shorter than 1s; write 1s to 8760h'],
    [SET.prune, 'yes', '"yes": neither true nor false; write "true" or "false"'],
    [SET.managed, 'True', '"True": neither true nor false; write "true" or "false"'],
    [SET.drift, 'Observe', '"Observe": unknown; write Revert, Report or Ignore'],
    [SET.existing, 'Keep', '"Keep": Continuous manages every object that it delivers; write Take or Fail'],
    [SET.existing, 'Adopt', '"Adopt": unknown; write Take or Fail'],
    [SET.ordering, '', '"": unknown; write Graph or Listed'],
    [
      SET.maxUnavailable,
      '101%',
      '"101%": neither a number of clusters nor 1% to 100% of them; write "3" or "10%"',
    ],
    [
      SET.maxUnavailable,
      '-1',
      '"-1": neither a number of clusters nor 1% to 100% of them; write "3" or "10%"',
    ],
    [
      SET.maxUnavailable,
      '0%',
      '"0%": nothing would ever begin; write "1" or more, or set lockstep.dev/paused: "true"',
    ],
    [SET.takeOverFrom, 'a b', '"a b": no name of a ClusterResourceSet; write its metadata.name'],
    [SET.takeOverFrom, 'crs1', '"crs1": is this ClusterResourceSet itself; name another'],
  ])('of %s: %j', (annotation, value, fault) => {
    expect(settingsOf(set({ [annotation]: value }, 'Continuous'))).toMatchObject({
      settings: undefined,
      problems: [{ annotation, message: `${annotation}: ${fault}` }],
    })
  })

  const example = 'write such as [{"id": "cni", "module": {"kind": "Module", "name": "cni"}}]'
  it.each<readonly [string, unknown, string]>([
    ['text', '[{', `: not JSON from character 3; ${example}`],
    ['no list', {}, `: not a list; ${example}`],
    ['another kind', [{ ...edge, module: { kind: 'X', name: 'x' } }], '[0].module.kind: Invalid option'],
    ['no id', [{ module: edge.module }], '[0].id: Invalid input'],
    ['nothing to wait for', [{ id: 'a' }], `[0]: exactly one of module and object; ${example}`],
    [
      'two things to wait for',
      [{ ...edge, object: { apiVersion: 'v1', kind: 'Pod', name: 'p' } }],
      '[0]: exactly one of module and object',
    ],
    ['an id twice', [edge, edge], '[1].id: "cni" is a duplicate; use one id for each'],
    [
      'a member that there is not',
      [{ ...edge, module: { ...edge.module, namespace: 'x' } }],
      '[0].module.namespace: unknown; Module.spec.dependsOn has no such member',
    ],
    [
      'a wave of an object',
      [{ id: 'a', object: { apiVersion: 'v1', kind: 'ConfigMap', name: 'b' }, beforeWave: 5 }],
      '[0].beforeWave: is for module; an object is in no wave',
    ],
    ['an expression for a module', [{ ...edge, readyExpr: 'true' }], '[0].readyExpr: is for object'],
    [
      'an expression that is none',
      [{ id: 'a', object: { apiVersion: 'v1', kind: 'Pod', name: 'p' }, readyExpr: 'object.' }],
      '[0].readyExpr: ',
    ],
  ])('of lockstep.dev/depends-on: %s', (_, value, fault) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    const [message, ...others] = messages({ [SET.dependsOn]: text })
    expect(others).toEqual([])
    expect(message?.startsWith(`lockstep.dev/depends-on${fault}`), message).toBe(true)
  })

  it('is told of each', () => {
    expect(messages({ [SET.interval]: '10', [SET.prune]: 'no', [SET.managed]: '' })).toHaveLength(3)
  })

  it('of a switch: neither taken over nor handed back, and nothing written', () => {
    expect(settingsOf(set({ [SET.managed]: 'yes', [SET.paused]: 'yes' })).switches).toEqual({
      managed: undefined,
      paused: true,
      assumeInactive: false,
    })
  })
})

it('any annotations', () => {
  const value = fc.oneof(
    fc.constantFrom(
      'true',
      'false',
      '1m',
      '10',
      '10%',
      'Take',
      'Listed',
      'Continuous',
      'ApplyOnce',
      '[]',
      '[1]',
    ),
    fc.string({ maxLength: 6 }),
  )
  const annotations = fc.dictionary(fc.constantFrom(...Object.values(SET)), value)
  const input = fc.record({ annotations, strategy: fc.constantFrom(...SET_STRATEGIES, 'x', undefined) })
  decidesAlike(input, ({ annotations: a, strategy }) => settingsOf(set(a, strategy)), {
    'give settings or problems': (_, { settings, problems }) =>
      expect(settings === undefined).toBe(problems.length > 0),
    'each problem names what is written': ({ annotations: a, strategy }, { problems }) => {
      for (const p of problems) {
        expect(p.message.startsWith(p.annotation)).toBe(true)
        expect(p.annotation === 'spec.strategy' ? strategy : a[p.annotation]).toBeDefined()
      }
    },
  })
})
