/** Random rights of accounts on a real API server: the cases of the embedded one. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Informer, startInformer } from '../../packages/kube/src/cache/informer.ts'
import type { Kind, KubeObject } from '../../packages/kube/src/object/index.ts'
import { PLATFORM, TEAM } from '../../packages/lockstep/src/cli/commands/demo/tenancy/attacks.ts'
import { auditProblems } from '../audit/auditproblems.ts'
import { rowToAdd, withKnownSeeds } from '../seeds.ts'
import { matrixCase, matrixSeeds } from '../tenancy/matrix/matrixcase.ts'
import { type MatrixHub, playMatrix } from '../tenancy/matrix/runmatrix.ts'
import { TenancyStage } from '../tenancy/tenancystage.ts'
import { RUNS } from '../tier.ts'
import { realTenancy } from './realtenancy.ts'

const MINUTES = 60_000
const PROFILES = ['resource-sets'] as const
const replayed = process.env.LOCKSTEP_SEED

/** Objects come by watches, and each change is a reason to look again. */
class WatchedHub implements MatrixHub {
  private readonly stage: TenancyStage
  private readonly informers = new Map<string, Informer<KubeObject, KubeObject>>()
  private readonly waiting = new Set<() => void>()

  constructor(stage: TenancyStage) {
    this.stage = stage
  }

  get admin() {
    return this.stage.admin
  }

  find = (kind: Kind, name: string, namespace?: string): KubeObject | undefined =>
    this.informerOf(kind).store.get(namespace === undefined ? { name } : { namespace, name })

  during = <T>(work: Promise<T>): Promise<T> => work

  async until(holds: () => boolean): Promise<boolean> {
    const { clock } = this.stage.servers.env
    // Caches that are opened by the first look are complete before the last one.
    const isTrue = (): boolean => holds() && [...this.informers.values()].every(isComplete)
    let isLate = false
    const cancel = clock.at(clock.steady() + 2 * MINUTES, () => {
      isLate = true
      this.wake()
    })
    while (!isTrue() && !isLate) await new Promise<void>((resolve) => this.waiting.add(resolve))
    cancel()
    return !isLate
  }

  restart = (): Promise<void> => this.stage.restart()
  audit = () => this.stage.servers.audit()

  stop(): void {
    for (const i of this.informers.values()) i.stop()
  }

  private informerOf(kind: Kind): Informer<KubeObject, KubeObject> {
    const id = `${kind.group}/${kind.plural}`
    const known = this.informers.get(id)
    if (known) return known
    const made = startInformer<KubeObject, KubeObject>(this.stage.servers.env, this.admin, {
      kind,
      project: (o) => o,
    })
    this.informers.set(id, made)
    made.store.subscribe(() => this.wake())
    made.store.onSynced(() => this.wake())
    return made
  }

  private wake(): void {
    const all = [...this.waiting]
    this.waiting.clear()
    for (const look of all) look()
  }
}

const isComplete = ({ store }: Informer<KubeObject, KubeObject>): boolean =>
  store.freshness.state !== 'Syncing'

let stage: TenancyStage

beforeAll(async () => {
  stage = new TenancyStage(await realTenancy())
  await stage.open(PROFILES)
}, 2 * MINUTES)
afterAll(() => stage.close())

it('requests with all rights have their effect; others have none, and name a missing right', {
  timeout: 10 * MINUTES,
}, async () => {
  const seeds = replayed === undefined ? withKnownSeeds(matrixSeeds(RUNS)) : [replayed]
  const cases = seeds.map(matrixCase)
  const hub = new WatchedHub(stage)
  const { differences } = await playMatrix(hub, cases)
  hub.stop()
  const rows = differences.map((d) => rowToAdd(d.split(':')[0]!))
  expect([...differences, ...rows].join('\n')).toBe('')
  const managed = new Set([PLATFORM, TEAM, ...cases.map((c) => c.scene.own)])
  expect(auditProblems(await hub.audit(), { managed, profiles: PROFILES })).toEqual([])
})
