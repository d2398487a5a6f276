/** What people do to a fleet, and what happens to it, while releases go on. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import { configMapKind, secretKind } from '../../../packages/kube/src/kinds/types.ts'
import { type KubeObject, short10 } from '../../../packages/kube/src/object/index.ts'
import type { Stored } from '../../../packages/kube/src/object/kind.ts'
import { API_VERSION } from '../../../packages/lockstep/src/api/apiversion.ts'
import { approvalKind } from '../../../packages/lockstep/src/api/kinds/approval/columns.ts'
import { disruptionBudgetKind } from '../../../packages/lockstep/src/api/kinds/disruptionbudget/columns.ts'
import { holdKind } from '../../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { type Module, moduleKind } from '../../../packages/lockstep/src/api/kinds/module/columns.ts'
import { RETRY_ANNOTATION } from '../../../packages/lockstep/src/api/labels.ts'
import { must, NAMESPACE, type SimFleet } from '../../fleet/simfleet.ts'
import { chance } from '../scenario.ts'
import { type Bad, type CampaignModule, type CampaignPlan, moduleOf, pick } from './campaignplan.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const

export class CampaignPeople {
  /** The newest release. */
  release = 0
  /** How often something was done, by what it is. */
  readonly done: Record<string, number> = {}
  private readonly fleet: SimFleet
  readonly plan: CampaignPlan
  private readonly random: Random
  private names = 0

  constructor(fleet: SimFleet, plan: CampaignPlan, random: Random) {
    this.fleet = fleet
    this.plan = plan
    this.random = random
  }

  async act(): Promise<void> {
    const { random } = this
    const [name, act] = pick(random, this.moves())
    this.done[name] = (this.done[name] ?? 0) + 1
    await act.call(this)
  }

  private moves(): readonly (readonly [string, () => Promise<unknown>])[] {
    return [
      ['releases', () => this.publish('')],
      ['releases', () => this.publish('')],
      ['bad releases', () => this.publish(pick(this.random, ['all', ...this.plan.clusters]))],
      ['bad releases', () => this.publish(pick(this.random, ['all', ...this.plan.clusters]))],
      ['part of a release', () => this.publish('', [pick(this.random, this.plan.modules)])],
      ['pauses', () => this.hold({ action: pick(this.random, ['Suspend', 'Pause']) })],
      ['pins', () => this.pin()],
      ['Holds deleted', () => this.deleteOne(holdKind)],
      ['consents', () => this.approve()],
      ['consents', () => this.approve()],
      ['consents taken back', () => this.deleteOne(approvalKind)],
      ['undos', () => this.undo()],
      ['retries', () => this.retry()],
      ['clusters that leave', () => this.label('dev')],
      ['clusters that join', () => this.label('prod')],
      ['limits', () => this.limit()],
      ['limits that go', () => this.deleteOne(disruptionBudgetKind)],
      ['clusters cut off', () => this.cut()],
      ['clusters cut off', () => this.cut()],
      ['other rules', () => this.reconsider()],
      ['edits', () => this.edit()],
    ]
  }

  /** A new release, of all modules or of these; bad on some cluster, on all, or on none. */
  async publish(bad: Bad, modules: readonly CampaignModule[] = this.plan.modules): Promise<void> {
    this.release++
    const where = pick(this.random, modules).name
    for (const m of modules) await this.put(moduleOf(m, this.release, m.name === where ? bad : ''))
  }

  /** Nothing is held, cut off or limited any more, and all that is asked for is consented to. */
  async settle(): Promise<void> {
    const { fleet } = this
    for (const kind of [holdKind, disruptionBudgetKind] as const)
      for (const o of await this.all(kind)) await this.remove(kind, o)
    for (const c of this.plan.clusters) {
      fleet.env.net.wire(`https://${c}.test`, undefined)
      await this.relabel(c, 'prod')
    }
    await this.publish('')
  }

  /** Every consent that a rollout under way may ask for. */
  async approve(): Promise<void> {
    for (const m of await this.modules())
      for (const s of m.spec.rollout.stages ?? []) {
        if (s.approval === 'Required') await this.consent(m, s.name, 'After')
        if (s.approvalBefore === 'Required') await this.consent(m, s.name, 'Before')
      }
  }

  private async consent(m: Stored<Module>, stage: string, point: 'After' | 'Before'): Promise<void> {
    const revisionHash = m.status?.rollout?.revision ?? m.status?.currentRevision
    if (revisionHash === undefined) return
    const name = `${m.metadata.name}-${stage}-${point.toLowerCase()}-${short10(revisionHash)}`
    if ((await this.all(approvalKind)).some((a) => a.metadata.name === name)) return
    await this.create(approvalKind, 'Approval', name, {
      targetRef: { kind: 'Module', name: m.metadata.name },
      stage,
      point,
      revisionHash,
      approvedBy: 'ann',
    })
  }

  private async hold(what: object): Promise<void> {
    const module = pick(this.random, this.plan.modules).name
    const clusters = chance(this.random, 0.4) ? { clusters: [pick(this.random, this.plan.clusters)] } : {}
    await this.create(holdKind, 'Hold', `h${++this.names}`, {
      targetRef: { kind: 'Module', name: module },
      reason: 'because',
      ...clusters,
      ...this.until(),
      ...what,
    })
  }

  /** Half of them end by themselves. */
  private until(): object {
    const ms = this.fleet.env.clock.now() + 10_000 + this.random.next() * 90_000
    return chance(this.random, 0.5) ? { until: new Date(ms).toISOString() } : {}
  }

  private async pin(): Promise<void> {
    const m = await this.someModule()
    const revision = pick(this.random, this.revisionsOf(m))
    if (revision === undefined) return
    await this.create(holdKind, 'Hold', `h${++this.names}`, {
      targetRef: { kind: 'Module', name: m!.metadata.name },
      action: 'Pin',
      revision,
      clusters: [pick(this.random, this.plan.clusters)],
      reason: 'because',
      ...this.until(),
    })
  }

  private async undo(): Promise<void> {
    const m = await this.someModule()
    const from = m?.status?.currentRevision
    const to = pick(
      this.random,
      this.revisionsOf(m).filter((r) => r !== from),
    )
    if (from !== undefined && to !== undefined)
      await this.patch(m!, { spec: { rollout: { undo: { from, to } } } })
  }

  private async retry(): Promise<void> {
    const m = await this.someModule()
    const asked = `${this.fleet.env.clock.now()}`
    if (m) await this.patch(m, { metadata: { annotations: { [RETRY_ANNOTATION]: asked } } })
  }

  private async label(env: 'prod' | 'dev'): Promise<void> {
    await this.relabel(pick(this.random, this.plan.clusters), env)
  }

  private async relabel(name: string, env: string): Promise<void> {
    const key = { namespace: NAMESPACE, name }
    must(await this.during(this.fleet.hub.patch(secretKind, key, { metadata: { labels: { env } } }, WRITE)))
  }

  private async limit(): Promise<void> {
    const spec = pick(this.random, [{ maxUnavailable: 1 }, { maxUnavailable: '50%' }, { minAvailable: 1 }])
    await this.create(disruptionBudgetKind, 'DisruptionBudget', `b${++this.names}`, {
      clusterSelector: {},
      ...spec,
    })
  }

  /** For a while; from then on, or once its answer was on its way, no request gets through. */
  private async cut(): Promise<void> {
    const { net, clock } = this.fleet.env
    const url = `https://${pick(this.random, this.plan.clusters)}.test`
    const failure = { phase: 'receive', detail: 'read ETIMEDOUT (simulated)' } as const
    net.wire(url, chance(this.random, 0.5) ? { before: async () => failure } : { after: async () => failure })
    clock.at(clock.steady() + 5000 + this.random.next() * 120_000, () => net.wire(url, undefined))
  }

  private async reconsider(): Promise<void> {
    const m = await this.someModule()
    const rollout = pick(this.random, [
      { maxUnavailable: 1 },
      { maxUnavailable: '100%' },
      { maxFailed: 1 },
      { supersede: 'Replace' },
      { onFailure: 'Rollback' },
      { minReadySeconds: 5 },
    ])
    if (m) await this.patch(m, { spec: { rollout } })
  }

  private async edit(): Promise<void> {
    const { client } = this.fleet.clusters.get(pick(this.random, this.plan.clusters))!
    const { name } = pick(this.random, this.plan.modules)
    const patch = { data: { release: 'edited' } }
    // It may not be there yet.
    await this.during(client.patch(configMapKind, { namespace: 'default', name }, patch, WRITE))
  }

  private revisionsOf(m: Stored<Module> | undefined): string[] {
    if (!m) return []
    return this.fleet
      .revisions()
      .filter((r) => r.metadata.name?.startsWith(`${m.metadata.name}-`))
      .map((r) => String((r.data as { revision: string }).revision))
  }

  async modules(): Promise<readonly Stored<Module>[]> {
    return must(await this.during(this.fleet.hub.list(moduleKind, { purpose: 'user' }))).items
  }

  private async someModule(): Promise<Stored<Module> | undefined> {
    return pick(this.random, await this.modules())
  }

  private async put(module: KubeObject): Promise<void> {
    must(await this.during(this.fleet.hub.apply(moduleKind, module, WRITE)))
  }

  /** What a person asks for in that moment may be refused, such as a pin at what has been collected. */
  private async patch({ metadata }: Stored<Module>, patch: never | object): Promise<void> {
    await this.during(this.fleet.hub.patch(moduleKind, metadata, patch as never, WRITE))
  }

  private async create(kind: unknown, word: string, name: string, spec: object): Promise<void> {
    const body = { apiVersion: API_VERSION, kind: word, metadata: { namespace: NAMESPACE, name }, spec }
    must(await this.during(this.fleet.hub.create(kind as never, body as never, WRITE)))
  }

  private async all(kind: unknown): Promise<readonly { metadata: { name: string } }[]> {
    return must(await this.during(this.fleet.hub.list(kind as never, { purpose: 'user' }))).items as never
  }

  private async deleteOne(kind: unknown): Promise<void> {
    const found = await this.all(kind)
    if (found.length > 0) await this.remove(kind, pick(this.random, found))
  }

  private async remove(kind: unknown, { metadata: { name } }: { metadata: { name: string } }): Promise<void> {
    must(await this.during(this.fleet.hub.delete(kind as never, { namespace: NAMESPACE, name }, WRITE)))
  }

  /** Lets time run until an answer is there. */
  async during<T>(work: Promise<T>): Promise<T> {
    let settled = false
    void work.finally(() => {
      settled = true
    })
    await this.fleet.env.clock.run(() => settled)
    return work
  }
}
