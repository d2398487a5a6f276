import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decidesAlike, sameAnswer, shuffled } from '../../../../../test/arbitrary/decision.ts'
import { utf8Length } from '../../../../kube/src/object/index.ts'
import { SET_STRATEGIES } from '../../api/kinds/clusterresourceset/spec.ts'
import { missingSource, RESOURCES_APPLIED } from './appliedcondition.ts'
import { type SetClusterFacts, type SetConditionFacts, setConditions } from './setconditions.ts'

const cluster = (name: string, more: Partial<SetClusterFacts> = {}): SetClusterFacts => ({
  cluster: name,
  isConnected: true,
  isApplied: true,
  failures: [],
  ...more,
})
const refused = (name: string, message = 'creating Deployment kube-system/x: denied', isFinal = false) =>
  cluster(name, {
    isApplied: false,
    failures: [{ source: { kind: 'ConfigMap', name: 'a' }, message, isFinal }],
  })
const silent = (name: string) => cluster(name, { isApplied: false, isConnected: false })

const facts = (more: Partial<SetConditionFacts> = {}): SetConditionFacts => ({
  generation: 3,
  mode: 'ApplyOnce',
  badSettings: [],
  refusals: [],
  sources: [],
  clusters: ['c1', 'c2', 'c3'].map((c) => cluster(c)),
  takeover: 'TakenOver',
  isPaused: false,
  isUpstreamRunning: true,
  ...more,
})

/** `True Applied: applied on 3 of 3 clusters`; undefined: there is none. */
function said(type: string, more: Partial<SetConditionFacts> = {}): string | undefined {
  const c = setConditions(facts(more)).conditions.find((x) => x.type === type)
  return c && `${c.status} ${c.reason}: ${c.message}`
}
const applied = (more: Partial<SetConditionFacts>) => said(RESOURCES_APPLIED, more)
const legacy = (more: Partial<SetConditionFacts>) =>
  setConditions(facts(more)).legacy.find((x) => x.type === RESOURCES_APPLIED)

const wrongType = {
  reason: 'WrongSecretType' as const,
  message: 'Secret type of resource b is not supported',
}
const missing = missingSource('default', { kind: 'ConfigMap', name: 'calico-addon' }, 1)
const broken = {
  reason: 'InvalidResource' as const,
  message: 'ConfigMap default/a key x.json: JSON array ends at byte 9',
}

describe('ResourcesApplied', () => {
  it('is True where everything is on all clusters', () => {
    expect(applied({})).toBe('True Applied: applied on 3 of 3 clusters')
    expect(applied({ clusters: [] })).toBe('True Applied: no cluster is selected')
  })

  it.each([
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
  ])('says that c1 fails, whichever comes last: %d %d %d', (...order) => {
    const clusters = [refused('c1'), cluster('c2'), cluster('c3')]
    expect(applied({ clusters: order.map((i) => clusters[i]!) })).toBe(
      'False NotApplied: applied on 2 of 3 clusters; NotApplied 1: c1 (ConfigMap a: creating Deployment kube-system/x: denied)',
    )
  })

  it('names ten clusters and counts the rest, those that refuse before those that are silent', () => {
    const numbers = Array.from({ length: 120 }, (_, i) => i)
    const clusters = numbers.map((i) =>
      i === 3 ? refused('c3') : i === 7 || i === 19 ? silent(`c${i}`) : cluster(`c${i}`),
    )
    expect(applied({ clusters })).toBe(
      'False NotApplied: applied on 117 of 120 clusters; NotApplied 1: c3 (ConfigMap a: creating Deployment kube-system/x: denied); ClusterNotConnected 2: c19, c7',
    )
    const many = numbers.slice(10, 22).map((i) => cluster(`c${i}`, { isApplied: false }))
    expect(applied({ clusters: [...many, silent('d')] })).toBe(
      'False NotApplied: applied on 0 of 13 clusters; NotApplied 12: c10, c11, c12, c13, c14, c15, c16, c17, c18, c19 and 2 more; ClusterNotConnected 1',
    )
  })

  it('says how much more was refused, and why nothing is tried', () => {
    const failures = [...refused('x').failures, ...refused('x').failures]
    expect(applied({ clusters: [cluster('c1', { isApplied: false, failures })] })).toMatch(
      /denied; and 1 more\)$/,
    )
    expect(applied({ clusters: [cluster('c1', { isApplied: false, waiting: 'ClusterPaused' })] })).toBe(
      'False NotApplied: applied on 0 of 1 clusters; NotApplied 1: c1 (ClusterPaused)',
    )
  })

  it('leaves room for ten, however much a server says', () => {
    const clusters = [refused('c1', 'ä'.repeat(500)), refused('c2')]
    const message = applied({ clusters })!
    expect(message).toMatch(/^.*: c1 \(ConfigMap a: ä+…\), c2 \(/)
    expect(utf8Length(message)).toBeLessThan(400)
  })

  it('a cluster out of reach on which everything is, lacks nothing', () => {
    expect(applied({ clusters: [cluster('c1', { isConnected: false })] })).toMatch(/^True/)
  })

  it('of a source that cannot be delivered says that alone, where the rest is everywhere', () => {
    expect(applied({ sources: [wrongType] })).toBe(
      'False WrongSecretType: Secret type of resource b is not supported',
    )
    expect(applied({ sources: [missing] })).toBe(
      'False ResourceNotFound: ConfigMap default/calico-addon (spec.resources[1])',
    )
  })

  it('has the first reason that there is, and says the others behind theirs', () => {
    expect(applied({ sources: [missing, wrongType, broken], clusters: [cluster('c1'), silent('c2')] })).toBe(
      `False InvalidResource: ${broken.message}; WrongSecretType: ${wrongType.message}; ResourceNotFound: ${missing.message}; ` +
        'applied on 1 of 2 clusters; ClusterNotConnected 1: c2',
    )
    expect(applied({ clusters: [silent('c1')] })).toMatch(/^False ClusterNotConnected: /)
    expect(applied({ sources: Array(12).fill(wrongType) })).toMatch(/supported; and 2 more sources$/)
  })

  it.each([
    [{ sources: [wrongType] }, 'WrongSecretType', 'Warning'],
    [{ sources: [missing] }, 'RetrievingResourceFailed', 'Warning'],
    [{ sources: [broken] }, 'RetrievingResourceFailed', 'Warning'],
    [{ clusters: [refused('c1')] }, 'ApplyFailed', 'Warning'],
    [{ clusters: [silent('c1')] }, 'RemoteClusterClientFailed', 'Error'],
  ])('in v1beta1 is what Cluster API calls it: %o', (more, reason, severity) => {
    const message = applied(more)?.replace(/^\w+ \w+: /, '')
    expect(legacy(more)).toEqual({ type: RESOURCES_APPLIED, status: 'False', severity, reason, message })
    expect(legacy({})).toEqual({ type: RESOURCES_APPLIED, status: 'True' })
  })
})

describe('Ready, Reconciling and Stalled', () => {
  const three = (more: Partial<SetConditionFacts>) =>
    ['Ready', 'Reconciling', 'Stalled'].map((t) => said(t, more)?.replace(/: .*$/s, ''))

  it.each<readonly [string, Partial<SetConditionFacts>, string, string, string]>([
    ['done', {}, 'True Applied', 'False NotReconciling', 'False NotStalled'],
    [
      'something is refused, and tried again',
      { clusters: [refused('c1')] },
      'False NotApplied',
      'True NotApplied',
      'False NotStalled',
    ],
    [
      'something is refused for good',
      { clusters: [refused('c1', '.spec.template is immutable', true)] },
      'False NotApplied',
      'False NotReconciling',
      'True NotApplied',
    ],
    [
      'that, while others are under way',
      { clusters: [refused('c1', '.spec.template is immutable', true), refused('c2')] },
      'False NotApplied',
      'True NotApplied',
      'False NotStalled',
    ],
    [
      'a source is missing',
      { sources: [missing] },
      'False ResourceNotFound',
      'False NotReconciling',
      'True ResourceNotFound',
    ],
    [
      'a setting is bad, whatever has been applied',
      { badSettings: ['lockstep.dev/interval: "10": not a duration; write "10s" or "10m"'] },
      'False InvalidSetting',
      'False NotReconciling',
      'True InvalidSetting',
    ],
    [
      'Cluster API has it',
      { takeover: { previousActive: 'x' }, clusters: [refused('c1')] },
      'False PreviousControllerActive',
      'False NotReconciling',
      'True PreviousControllerActive',
    ],
    [
      'the revision is refused',
      { refusals: [{ reason: 'DuplicateObject', message: 'x' }] },
      'False DuplicateObject',
      'False NotReconciling',
      'True DuplicateObject',
    ],
    [
      'its user has paused it',
      { isPaused: true, clusters: [refused('c1')] },
      'False NotApplied',
      'False Paused',
      'False NotStalled',
    ],
    [
      'Continuous, and something is not healthy',
      {
        mode: 'Continuous',
        clusters: [
          cluster('c1', { convergence: { state: 'Waiting', message: 'Deployment a/b: 0 of 1 ready' } }),
        ],
      },
      'False Waiting',
      'True Waiting',
      'False NotStalled',
    ],
    [
      'Continuous, and a check is late',
      { mode: 'Continuous', clusters: [cluster('c1', { convergence: { state: 'CheckOverdue' } })] },
      'True CheckOverdue',
      'False NotReconciling',
      'False NotStalled',
    ],
  ])('%s', (_, more, ...expected) => {
    expect(three(more)).toEqual(expected)
  })

  it('stand in v1beta1 too, where kstatus looks', () => {
    expect(setConditions(facts({ clusters: [refused('c1')] })).legacy.slice(1)).toMatchObject([
      { type: 'Ready', status: 'False', severity: 'Warning', reason: 'NotApplied' },
      { type: 'Reconciling', status: 'True', reason: 'NotApplied' },
      { type: 'Stalled', status: 'False', reason: 'NotStalled' },
      { type: 'lockstep.dev/Managed', status: 'True', reason: 'TakenOver' },
    ])
  })
})

describe('lockstep.dev/Converged', () => {
  const converged = (...states: readonly NonNullable<SetClusterFacts['convergence']>['state'][]) =>
    said('lockstep.dev/Converged', {
      mode: 'Continuous',
      clusters: states.map((state, i) => cluster(`c${i}`, { convergence: { state } })),
    })

  it('is there in Continuous only', () => {
    expect(said('lockstep.dev/Converged', { mode: 'Reconcile' })).toBeUndefined()
    expect(converged('InSync', 'InSync')).toBe('True InSync: in sync on 2 of 2 clusters')
  })

  it('says the worst, and all of it', () => {
    expect(converged('InSync', 'Drifted', 'Updating', 'Failed')).toBe(
      'False Failed: in sync on 1 of 4 clusters; Failed 1: c3; Drifted 1: c1; Updating 1: c2',
    )
    expect(converged('FieldFight', 'Waiting')).toMatch(/^False FieldFight/)
  })

  it('is Unknown where nothing is known to be amiss', () => {
    expect(converged('CheckOverdue', 'InSync')).toMatch(/^Unknown CheckOverdue/)
    expect(converged('CheckOverdue', 'Updating')).toMatch(/^False Updating/)
    const clusters = [cluster('c1', { isConnected: false, convergence: { state: 'InSync' } })]
    expect(said('lockstep.dev/Converged', { mode: 'Continuous', clusters })).toMatch(
      /^Unknown ClusterNotConn/,
    )
  })
})

it('lockstep.dev/Managed says who has it', () => {
  expect(said('lockstep.dev/Managed')).toBe('True TakenOver: ')
  expect(said('lockstep.dev/Managed', { takeover: { previousActive: 'why' } })).toBe(
    'False PreviousControllerActive: why',
  )
  expect(said('lockstep.dev/Managed', { takeover: undefined })).toBeUndefined()
})

it('Paused is for Cluster API to say, where it runs', () => {
  expect(said('Paused')).toBeUndefined()
  expect(said('Paused', { isUpstreamRunning: false })).toBe('False NotPaused: ')
  expect(said('Paused', { isUpstreamRunning: false, isPaused: true })).toBe(
    'True Paused: ClusterResourceSet has the lockstep.dev/paused annotation',
  )
})

it('any facts', () => {
  const failure = fc.record({
    source: fc.constant({ kind: 'ConfigMap' as const, name: 'a' }),
    message: fc.string({ unit: 'grapheme', maxLength: 600 }),
    isFinal: fc.boolean(),
  })
  const state = fc.constantFrom(
    'InSync' as const,
    'Drifted' as const,
    'Failed' as const,
    'CheckOverdue' as const,
  )
  const one = fc.record({
    isConnected: fc.boolean(),
    isApplied: fc.boolean(),
    failures: fc.array(failure, { maxLength: 2 }),
    convergence: fc.record({ state, message: fc.string({ maxLength: 300 }) }),
  })
  const clusters = fc
    .array(one, { maxLength: 30 })
    .map((list) => list.map((c, i) => ({ ...c, cluster: `${'n'.repeat(240)}-${i}` })))
  const input = fc
    .record({
      mode: fc.constantFrom(...SET_STRATEGIES),
      clusters,
      sources: fc.array(fc.constantFrom(missing, wrongType, broken), { maxLength: 3 }),
      isPaused: fc.boolean(),
      isUpstreamRunning: fc.boolean(),
    })
    .map((some) => facts(some))
  decidesAlike(input, setConditions, {
    'in another order are the same': (f, answer) =>
      sameAnswer(answer, setConditions({ ...f, clusters: shuffled(f.clusters, 5) })),
    'at most one of the three is True, one of them unless it is paused': (f, { conditions }) => {
      const holds = conditions.filter(
        (c) => ['Ready', 'Reconciling', 'Stalled'].includes(c.type) && c.status === 'True',
      )
      expect(holds.length).toBeLessThanOrEqual(1)
      if (!f.isPaused) expect(holds).toHaveLength(1)
    },
    'name ten clusters, in 4 KiB': (_, { conditions }) => {
      for (const { message } of conditions) {
        expect(utf8Length(message)).toBeLessThanOrEqual(4096)
        expect(message.match(/n{240}/g)?.length ?? 0).toBeLessThanOrEqual(10)
      }
    },
    'what is True of all is True': (f, { conditions }) => {
      const isDone = f.sources.length === 0 && f.clusters.every((c) => c.isApplied)
      expect(conditions[0]?.status).toBe(isDone ? 'True' : 'False')
    },
  })
})
