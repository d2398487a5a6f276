/** Each oracle sees what it is there for: a real trace holds, and the same trace with one thing changed does not. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { CommitRecord } from '../../packages/apiserver/src/server/tracewrites.ts'
import { type InvariantId, Oracles } from '../../packages/simulators/src/oracle/oracle.ts'
import { LIFELIKE } from '../../packages/simulators/src/world/startworld.ts'
import { budget } from './budgets.ts'
import { configManifest, deploymentManifest, Story } from './steps.ts'

interface Loose {
  // biome-ignore lint/suspicious/noExplicitAny: traces are changed at will here
  [field: string]: any
}
type Commit = { -readonly [K in keyof Omit<CommitRecord, 'old' | 'next'>]: CommitRecord[K] } & {
  old?: Loose
  next?: Loose
}

let trace: readonly CommitRecord[]

/** `a` with a Namespace, `b` that needs it; a second release; then both are deleted. */
beforeAll(async () => {
  const story = await Story.begin('oracles', ['c1', 'c2'])
  const bundle = (v: string) =>
    `apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\n${configManifest('a', v).replace('default', 'shop')}`
  await budget(story, 'one', { maxUnavailable: 1 })
  await story.pass(2)
  await story.config('a1', bundle('1'))
  await story.config('b1', `${configManifest('b', '1')}---\n${configManifest('gone', '1')}`)
  await story.config('b2', configManifest('b', '2'))
  await story.module('a', 'a1')
  await story.module('b', 'b1', { dependsOn: ['a'] })
  await story.until(() => story.isReady('a') && story.isReady('b'))
  await story.module('b', 'b2', { dependsOn: ['a'] })
  await story.pass(30)
  for (const m of ['a', 'b']) await story.deleteModule(m)
  await story.until(() => story.inventories.length === 0)
  await story.pass(10)
  trace = story.fleet.commits
})

const copy = (): Commit[] => structuredClone(trace) as Commit[]

function replay(commits: readonly Commit[], finish: (o: Oracles) => void = () => {}): Set<InvariantId> {
  const oracles = new Oracles(() => 0)
  for (const c of commits) oracles.observe(c as CommitRecord)
  finish(oracles)
  return new Set(oracles.violations.map((v) => v.invariant))
}

/** The index of the first commit with all of this. */
function find(commits: readonly Commit[], what: (c: Commit) => boolean): number {
  const i = commits.findIndex(what)
  if (i < 0) throw new Error('the trace has no such commit')
  return i
}

const BUDGETS = 'disruptionbudgets.lockstep.dev'
const isOnCluster = (verb: string, key: string) => (c: Commit) =>
  c.cluster === 'c1' && c.verb === verb && c.key === key
const isInventory = (key: string, what: (next: Loose) => boolean) => (c: Commit) =>
  c.resource === 'inventories.lockstep.dev' && c.key === key && c.next !== undefined && what(c.next)

describe('the trace as it is', () => {
  it('holds, and puts every invariant but I12 to the test', () => {
    const oracles = new Oracles(() => 0)
    for (const c of copy()) oracles.observe(c as CommitRecord)
    expect(oracles.violations).toEqual([])
    const untested = oracles.verdicts().filter((v) => v.tested === 0)
    expect(untested.map((v) => v.id)).toEqual(['I12', 'I14', 'I17', 'I35'])
  })
})

describe('the trace with one thing changed', () => {
  const changes: readonly [InvariantId, string, (commits: Commit[]) => void][] = [
    [
      'I1',
      'an admission without evidence',
      (all) => {
        const i = find(
          all,
          isInventory('platform/m.b.c1', (n) => n.spec.admitted !== undefined),
        )
        all[i]!.next!.spec.admitted.evidence = []
      },
    ],
    [
      'I1',
      'an admission before its dependency was ready',
      (all) => {
        const ready = find(
          all,
          isInventory('platform/m.a.c1', (n) => n.status?.health === 'Healthy'),
        )
        all[ready]!.next!.status.health = 'Progressing'
      },
    ],
    [
      'I2',
      'content that is not the bundle’s',
      (all) => {
        all[find(all, isOnCluster('create', 'default/b'))]!.next!.data.value = 'other'
      },
    ],
    [
      'I2',
      'other content beside what belongs to others',
      (all) => {
        const c = all[find(all, isOnCluster('create', 'default/b'))]!
        const old = structuredClone(c.next!)
        const next = structuredClone(c.next!)
        next.data.value = 'other'
        next.metadata.managedFields = []
        all.splice(all.indexOf(c) + 1, 0, { ...c, verb: 'patch', old, next })
      },
    ],
    [
      'I3',
      'two clusters at once where one may be down',
      (all) => {
        const i = find(
          all,
          (c) => c.resource === 'modules.lockstep.dev' && c.next?.status?.rollout?.ledger?.length === 1,
        )
        const { ledger } = all[i]!.next!.status.rollout
        ledger.push({ ...ledger[0], cluster: ledger[0].cluster === 'c1' ? 'c2' : 'c1' })
      },
    ],
    [
      'I3',
      'two clusters at once where a DisruptionBudget allows one',
      (all) => {
        const places = (c: Commit) => c.resource === BUDGETS && c.next?.status?.ledger?.length === 1
        const { ledger } = all[find(all, places)]!.next!.status
        ledger.push({ ...ledger[0], cluster: ledger[0].cluster === 'c1' ? 'c2' : 'c1' })
      },
    ],
    [
      'I3',
      'a start without a place in a DisruptionBudget',
      (all) => {
        for (const c of all.filter((x) => x.resource === BUDGETS))
          for (const o of [c.old, c.next]) if (o?.status) delete o.status.ledger
      },
    ],
    [
      'I4',
      'an object before its Namespace',
      (all) => {
        const i = find(all, isOnCluster('create', 'shop'))
        const j = find(all, isOnCluster('create', 'shop/a'))
        const [made] = all.splice(i, 1)
        all.splice(j, 0, made!)
      },
    ],
    [
      'I5',
      'an object taken from another Inventory',
      (all) => {
        const i = find(all, (c) => isOnCluster('apply', 'default/b')(c) && c.old !== undefined)
        all[i]!.old!.metadata.annotations['lockstep.dev/inventory'] = 'another'
      },
    ],
    [
      'I6',
      'a create with no intent',
      (all) => {
        for (const c of all) if (c.next?.spec?.intents) c.next.spec.intents = []
      },
    ],
    [
      'I6',
      'a create with another nonce',
      (all) => {
        all[find(all, isOnCluster('create', 'default/b'))]!.next!.metadata.annotations['lockstep.dev/nonce'] =
          'x'
      },
    ],
    [
      'I7',
      'a prune without a cause',
      (all) => {
        for (const c of all) if (c.next?.spec?.causes) c.next.spec.causes = []
      },
    ],
    [
      'I7',
      'a prune of what the bundle has',
      (all) => {
        const i = find(all, isOnCluster('delete', 'default/gone'))
        all[i]!.key = 'default/b'
        all[i]!.old!.metadata.name = 'b'
      },
    ],
    [
      'I8',
      'a dependency that leaves first',
      (all) => {
        const i = find(
          all,
          isInventory('platform/m.b.c1', (n) =>
            n.spec.causes?.some((c: Loose) => c.cause === 'ModuleDeleted'),
          ),
        )
        const j = find(all, isOnCluster('delete', 'shop/a'))
        const cause = find(
          all,
          isInventory('platform/m.a.c1', (n) =>
            n.spec.causes?.some((c: Loose) => c.cause === 'ModuleDeleted'),
          ),
        )
        const moved = [all[cause]!, all[j]!]
        for (const c of moved) all.splice(all.indexOf(c), 1)
        all.splice(i, 0, ...moved)
      },
    ],
    [
      'I11',
      'a revision that is changed',
      (all) => {
        const i = find(all, (c) => c.resource === 'controllerrevisions.apps' && c.old === undefined)
        const made = all[i]!
        all.splice(i + 1, 0, {
          ...made,
          verb: 'update',
          old: made.next,
          next: { ...made.next!, data: { ...made.next!.data, bundle: 'v1:other' } },
        } as Commit)
      },
    ],
    [
      'I11',
      'a bundle that is removed while in use',
      (all) => {
        const i = find(all, (c) => c.key.startsWith('platform/lockstep-bundle-'))
        const made = all[i]!
        const admitted = find(
          all,
          isInventory('platform/m.a.c1', (n) => n.spec.admitted !== undefined),
        )
        all.splice(admitted + 1, 0, { ...made, verb: 'delete', old: made.next, next: undefined } as Commit)
      },
    ],
  ]
  it.each(changes)('%s sees %s', (id, _, change) => {
    const all = copy()
    change(all)
    expect([...replay(all)]).toContain(id)
  })
})

describe('a trace with an edge at a wave', () => {
  let waved: readonly CommitRecord[]
  beforeAll(async () => {
    const story = await Story.begin('oracles of waves', ['c1'], { delays: LIFELIKE })
    const at = (text: string, wave: number) =>
      text.replace('metadata: {', `metadata: {annotations: {argocd.argoproj.io/sync-wave: "${wave}"}, `)
    const bundle = [at(deploymentManifest('a', 'a:1'), 0), at(configManifest('late', '1'), 5)]
    // The last wave is never done.
    const wait =
      'apiVersion: lockstep.dev/v1alpha1\nkind: Wait\nmetadata: {name: w, annotations: {argocd.argoproj.io/sync-wave: "9"}}\nspec: {resourceType: configmap, resourceName: w}\n'
    await story.config('a1', [...bundle, wait].join('---\n'))
    await story.config('b1', configManifest('b', '1'))
    await story.module('a', 'a1')
    await story.module('b', 'b1', { dependsOn: [{ on: 'a', beforeWave: 5 }] })
    expect(await story.until(() => story.isReady('b'))).toBe(true)
    waved = story.fleet.commits
  })
  const isOfA = (next: Loose): boolean => next.status?.doneBeforeWave !== undefined
  const firstClaim = (all: readonly Commit[]): number => find(all, isInventory('platform/m.a.c1', isOfA))
  const changes: readonly [string, (commits: Commit[]) => void][] = [
    [
      'what is said of waves before it is so',
      (all) => {
        const admitted = find(
          all,
          isInventory('platform/m.a.c1', (n) => n.spec.admitted !== undefined),
        )
        all[admitted]!.next!.status = { admittedSerial: 1, doneBeforeWave: 5 }
      },
    ],
    [
      'what is said of them where something was never written',
      (all) => all.splice(find(all, isOnCluster('create', 'default/a')), 1),
    ],
    [
      'what is said of them where another content was written',
      (all) => {
        all[find(all, isOnCluster('create', 'default/a'))]!.next!.spec.template.spec.containers[0].image =
          'a:0'
      },
    ],
    [
      'an admission by waves that nobody says are done',
      (all) => {
        for (const c of all.slice(firstClaim(all)))
          if (c.key === 'platform/m.a.c1') for (const o of [c.old, c.next]) delete o?.status?.doneBeforeWave
      },
    ],
    [
      'an admission by fewer waves',
      (all) => {
        for (const c of all.filter((x) => x.key === 'platform/m.a.c1'))
          for (const o of [c.old, c.next]) if (o && isOfA(o)) o.status.doneBeforeWave = 4
      },
    ],
    [
      'an admission by what is said of another admission',
      (all) => {
        for (const c of all.filter((x) => x.key === 'platform/m.a.c1'))
          for (const o of [c.old, c.next]) if (o && isOfA(o)) o.status.admittedSerial = 0
      },
    ],
  ]
  it('holds', () => expect([...replay(structuredClone(waved) as Commit[])]).toEqual([]))
  it.each(changes)('I1 sees %s', (_, change) => {
    const all = structuredClone(waved) as Commit[]
    change(all)
    expect([...replay(all)]).toContain('I1')
  })
})

describe('at rest', () => {
  it('I12 sees a write', () => {
    const all = copy()
    expect([...replay(all, (o) => o.quiet([all.at(-1) as CommitRecord]))]).toContain('I12')
  })

  it('I14 sees what waits and does not say why', () => {
    const all = copy()
    const i = find(all, (c) => c.resource === 'modules.lockstep.dev' && c.next?.status?.conditions)
    all[i]!.next!.status.blockers = []
    expect([...replay(all.slice(0, i + 1), (o) => o.atRest())]).toContain('I14')
  })

  it.each([
    ['Unit', 'DependencyNotReady', ['I35']],
    ['Hold', 'Held', ['I35']],
    ['Module', 'DependencyMissing', []],
  ])('I35 sees a %s that a blocker waits for and that does not exist: %s', (kind, reason, expected) => {
    const all = copy()
    const i = find(all, (c) => c.resource === 'modules.lockstep.dev' && c.next?.status?.conditions)
    const blocker = { reason, message: 'waits', on: [{ kind, name: 'nobody', cluster: '$self' }] }
    all[i]!.next!.status.blockers = [{ ...blocker, clusters: ['c1'] }]
    const seen = [...replay(all.slice(0, i + 1), (o) => o.atRest())]
    expect(seen.filter((id) => id === 'I35')).toEqual(expected)
  })
})
