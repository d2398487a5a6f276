/** What people do with sets, their sources and their clusters, and with what was delivered there. */

import type { Random } from '../../../packages/kube/src/env/env.ts'
import type { KubeObject } from '../../../packages/kube/src/object/index.ts'
import {
  type ClusterResourceSetBinding,
  resourceSetBindingKinds,
} from '../../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import {
  type BindingEntry,
  SET,
  SET_STRATEGIES,
  type SetMode,
} from '../../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { moduleKind } from '../../../packages/lockstep/src/api/kinds/index.ts'
import { RETRY_ANNOTATION } from '../../../packages/lockstep/src/api/labels.ts'
import type { SetStory } from '../../fleet/setstory.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import { chance } from '../scenario.ts'
import { SetsBefore } from './setbefore.ts'
import { type RecordedFacts, SETS } from './setfacts.ts'
import type { SetJudge } from './setjudge.ts'
import { BASE, type ItemKind, pick, type RandomSet, randomSettings, type SetsPlan } from './setsplan.ts'
import { idOf, kindFor, RandomSource, resourceOf, type SourceState } from './sourcecontent.ts'

const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const BROKEN: readonly SourceState[] = ['BadYaml', 'Nowhere', 'Empty']
const NEW: readonly ItemKind[] = ['config', 'secret', 'deployment', 'definition', 'space']

/** A set as people have asked for it. */
export interface RequestedSet {
  readonly plan: RandomSet
  readonly sources: readonly RandomSource[]
  annotations: Record<string, string>
  isThere: boolean
}

export class SetPeople {
  /** What they did, for whoever reads a failure. */
  readonly did: string[] = []
  readonly asked: readonly RequestedSet[]
  readonly done: Record<string, number> = {}
  private readonly story: SetStory
  private readonly plan: SetsPlan
  private readonly facts: RecordedFacts
  private readonly judge: SetJudge
  private readonly random: Random
  private readonly before: SetsBefore
  private count = 0
  /** An object was asked for that no cluster takes. */
  hasLost = false
  /** As bindings were once. */
  private readonly former = new Map<string, readonly BindingEntry[]>()

  constructor(story: SetStory, plan: SetsPlan, facts: RecordedFacts, judge: SetJudge) {
    this.story = story
    this.plan = plan
    this.facts = facts
    this.judge = judge
    this.random = story.fleet.env.random.fork('people')
    this.before = new SetsBefore(story, plan, facts, judge)
    this.asked = plan.sets.map((set) => ({
      plan: set,
      sources: set.sources.map((s) => new RandomSource(set.name, s)),
      annotations: { ...set.annotations },
      isThere: false,
    }))
  }

  private get isUpstream(): boolean {
    return this.plan.hub !== 'own'
  }

  /** What is there from the beginning. */
  async begin(): Promise<void> {
    for (const c of this.plan.clusters) this.before.strangerOn(c)
    for (const a of this.asked) {
      for (const s of a.sources) await this.write(s)
      if (a.plan.isFound) this.before.find(a)
      if (this.isUpstream) a.annotations = { ...a.annotations, [SET.managed]: 'false' }
      else if (a.plan.isBefore) await this.before.applied(a)
    }
  }

  /** One thing that somebody does. */
  async act(): Promise<void> {
    const acts: Record<string, () => Promise<unknown>> = {
      'make a set': () => this.make(),
      'change a source': () => this.change(),
      'revert a source': () => this.revert(),
      'add to a source': () => this.add(),
      'take from a source': () => this.take(),
      'break a source': () => this.break(),
      'mend a source': () => this.mend(),
      'delete a source': () => this.deleteSource(),
      'edit on a cluster': () => this.edit(),
      'delete on a cluster': () => this.deleteOn(),
      relabel: () => this.relabel(),
      recreate: () => this.recreate(),
      'a Cluster gone': () => this.gone(),
      'pause a cluster': () => this.story.pause(this.cluster, chance(this.random, 0.6)),
      'pause a set': () => this.annotate({ [SET.paused]: chance(this.random, 0.6) ? 'true' : undefined }),
      reapply: () => this.annotate({ [SET.reapply]: `r${++this.count}` }),
      mode: () => this.annotate({ [SET.mode]: pick(this.random, SET_STRATEGIES) }),
      settings: () => this.settings(),
      'bad setting': () => this.annotate({ [SET.interval]: chance(this.random, 0.5) ? '10' : '1m' }),
      'delete a set': () => this.deleteSet(),
      manage: () => this.manage(),
      'disturb a binding': () => this.disturb(),
    }
    const what = pick(this.random, this.weighted(Object.keys(acts)))
    this.tell(what)
    await acts[what]!()
  }

  /** What is everyday's work comes more often; sets are there soon. */
  private weighted(all: readonly string[]): string[] {
    const often = [
      'change a source',
      'add to a source',
      'take from a source',
      'edit on a cluster',
      'delete on a cluster',
    ]
    const missing = this.asked.some((a) => !a.isThere) ? Array<string>(12).fill('make a set') : []
    const taking = this.isUpstream ? Array<string>(4).fill('manage') : []
    return [...all, ...often, ...often, ...missing, ...taking]
  }

  private tell(what: string): void {
    this.done[what] = (this.done[what] ?? 0) + 1
    this.did.push(`${(this.story.fleet.env.clock.steady() / 1000).toFixed(1)} s: ${what}`)
  }

  private more(detail: string): void {
    this.did.push(`${this.did.pop()}: ${detail}`)
  }

  private get cluster(): string {
    const cluster = pick(this.random, this.plan.clusters)
    this.more(cluster)
    return cluster
  }

  private get set(): RequestedSet {
    const a = pick(this.random, this.asked)
    this.more(a.plan.name)
    return a
  }

  private source(...states: readonly SourceState[]): RandomSource | undefined {
    const all = this.asked.flatMap((a) => a.sources).filter((s) => states.includes(s.state))
    if (all.length === 0) return undefined
    const found = pick(this.random, all)
    this.more(found.name)
    return found
  }

  private async make(): Promise<void> {
    const a = this.asked.find((x) => !x.isThere)
    if (a) await this.put(a)
  }

  /** As it is asked for now. */
  async put(a: RequestedSet): Promise<void> {
    // One that is being deleted is left alone until it is gone.
    const there = this.story.fleet.objects(SETS).find((o) => o.metadata.name === a.plan.name)
    if (there?.metadata.deletionTimestamp !== undefined) return
    a.isThere = true
    this.more(JSON.stringify(a.annotations))
    const refs = a.sources.map(({ name, resource }) => ({
      kind: resource === 'secrets' ? ('Secret' as const) : ('ConfigMap' as const),
      name,
    }))
    await this.story.set(a.plan.name, refs, { strategy: a.plan.strategy, annotations: a.annotations })
  }

  private async annotate(
    annotations: Readonly<Record<string, string | undefined>>,
    a = this.set,
  ): Promise<void> {
    const next = { ...a.annotations, ...annotations }
    const isMode = next[SET.mode] !== a.annotations[SET.mode]
    a.annotations = Object.fromEntries(
      Object.entries(next).filter((e): e is [string, string] => e[1] !== undefined),
    )
    if (isMode || SET.reapply in annotations || SET.managed in annotations) this.judge.forget(a.plan.name)
    if (a.isThere) await this.put(a)
  }

  private async settings(): Promise<void> {
    const a = this.set
    const mode = (a.annotations[SET.mode] ?? a.plan.strategy) as SetMode
    const { [SET.dependsOn]: _, ...others } = randomSettings(this.random, mode)
    await this.annotate(others, a)
  }

  /** Written as it is meant now. */
  private async write(s: RandomSource): Promise<void> {
    this.facts.learn(s)
    await this.story.source(s.name, s.data())
  }

  private async change(): Promise<void> {
    const s = this.source('Good', 'BadYaml', 'Nowhere')
    if (!s) return
    for (const i of s.items) if (chance(this.random, 0.6)) i.version++
    await this.write(s)
  }

  /** As it was before, all of it. */
  private async revert(): Promise<void> {
    const s = this.source('Good')
    if (!s) return
    for (const i of s.items) i.version = 1
    await this.write(s)
  }

  private async add(): Promise<void> {
    const s = this.source('Good')
    if (!s) return
    s.add(pick(this.random, NEW))
    await this.write(s)
  }

  private async take(): Promise<void> {
    const s = this.source('Good')
    if (!s || s.items.length < 2) return
    s.items.splice(Math.floor(this.random.next() * s.items.length), 1)
    await this.write(s)
  }

  private async break(): Promise<void> {
    const s = this.source('Good')
    if (!s) return
    s.state = pick(this.random, BROKEN)
    this.hasLost ||= s.state === 'Nowhere'
    this.more(s.state)
    await this.write(s)
  }

  private async mend(): Promise<void> {
    const s = this.source('BadYaml', 'Nowhere', 'Empty', 'Missing')
    if (!s) return
    s.state = 'Good'
    await this.write(s)
  }

  private async deleteSource(): Promise<void> {
    const s = this.source('Good', 'BadYaml', 'Empty')
    if (!s) return
    s.state = 'Missing'
    await this.story.during(
      this.story.fleet.hub.delete(kindFor(s.resource), { namespace: NAMESPACE, name: s.name }, WRITE),
    )
  }

  /** Something that a source has, or had, where it is now. */
  private delivered(): { readonly cluster: string; readonly object: KubeObject } | undefined {
    const cluster = this.cluster
    const { local } = this.story.fleet.clusters.get(cluster)!.api
    const all = [...this.facts.contents.values()]
      .flatMap((c) => c.objects)
      .flatMap((o) => local.get(resourceOf(o), o.metadata.namespace ?? '', o.metadata.name!) ?? [])
    const object = all.length === 0 ? undefined : pick(this.random, all)
    if (object) this.more(idOf(object))
    return object && { cluster, object }
  }

  private async edit(): Promise<void> {
    const found = this.delivered()
    if (!found) return
    const { object, cluster } = found
    const patch = pick(this.random, [
      object.kind === 'ConfigMap' ? { data: { v: 'theirs' } } : { metadata: { labels: { team: 'a' } } },
      { metadata: { labels: { 'lockstep.dev/unit': null } } },
      { metadata: { annotations: { note: 'theirs' } } },
    ])
    const { client } = this.story.fleet.clusters.get(cluster)!
    await this.story.during(
      client.patch(kindFor(resourceOf(object)), object.metadata as never, patch as never, WRITE),
    )
  }

  private async deleteOn(): Promise<void> {
    const found = this.delivered()
    if (!found || found.object.kind === 'CustomResourceDefinition' || found.object.kind === 'Namespace')
      return
    const { client } = this.story.fleet.clusters.get(found.cluster)!
    const { object } = found
    await this.story.during(client.delete(kindFor(resourceOf(object)), object.metadata as never, WRITE))
  }

  private async relabel(): Promise<void> {
    await this.story.label(this.cluster, { env: chance(this.random, 0.5) ? 'dev' : 'prod' })
  }

  private async recreate(): Promise<void> {
    // What is recorded of one that was made in the same moment is taken to be of this one.
    if (this.story.fleet.env.clock.steady() < 6000) return
    const cluster = this.cluster
    await this.story.recreate(cluster, (own) => {
      this.judge.remade(cluster, own)
      this.before.strangerOn(cluster)
    })
  }

  /** Its object goes, and comes back some time later; the cluster is the same one. */
  private async gone(): Promise<void> {
    const { story } = this
    const cluster = this.cluster
    await story.remove(story.clusterKind, cluster)
    const from = story.fleet.commits.length
    await story.pass(1 + 60 * this.random.next())
    this.judge.gone(cluster, story.fleet.commits.slice(from))
    await story.clusterUp(cluster)
  }

  /** Deleted while Cluster API has it, its sources go with it (D10): that is not ours to look at. */
  private async deleteSet(): Promise<void> {
    const there = this.asked.filter(
      (a) => a.isThere && (!this.isUpstream || a.annotations[SET.managed] === 'true'),
    )
    if (there.length === 0) return
    const a = pick(this.random, there)
    this.more(a.plan.name)
    a.isThere = false
    await this.story.removeSet(a.plan.name)
  }

  private async manage(): Promise<void> {
    const a = this.set
    const off = this.isUpstream ? undefined : 'false'
    const on = this.isUpstream ? 'true' : undefined
    const isOn = a.annotations[SET.managed] === on
    // On a hub where nobody else does it, it is given up now and then.
    await this.annotate({ [SET.managed]: isOn && chance(this.random, 0.6) ? off : on }, a)
  }

  /** As Cluster API does on deletion with a stale cache: an entry is lost, or put back as it was, or all of it goes. */
  private async disturb(): Promise<void> {
    const name = this.cluster
    const kind = resourceSetBindingKinds.find(
      (k) => k.version === (this.plan.hub === '1.9' ? 'v1beta1' : 'v1beta2'),
    )!
    const { hub } = this.story.fleet
    const key = { namespace: NAMESPACE, name }
    const found = await this.story.during(hub.get<ClusterResourceSetBinding>(kind, key, { purpose: 'user' }))
    if (!found.ok) return
    const { bindings = [] } = found.value.spec
    const how = this.random.next()
    if (how < 0.3) await this.story.during(hub.delete(kind, key, WRITE))
    else {
      const next = how < 0.6 ? bindings.slice(1) : (this.former.get(name) ?? [])
      await this.story.during(hub.patch(kind, key, { spec: { bindings: next } } as never, WRITE))
    }
    this.former.set(name, bindings)
  }

  /** All is put right that people have broken or stopped; what was deleted stays so. */
  async mendAll(): Promise<void> {
    this.did.push('mended')
    this.hasLost = false
    for (const s of this.asked.flatMap((a) => a.sources))
      if (
        s.state !== 'Good' ||
        !this.story.fleet.objects(s.resource).some((o) => o.metadata.name === s.name)
      ) {
        s.state = 'Good'
        await this.write(s)
      }
    for (const cluster of this.plan.clusters) await this.story.pause(cluster, false)
    for (const cluster of this.plan.clusters) await this.story.label(cluster, { env: 'prod' })
    await this.retry(BASE)
    for (const a of this.asked) {
      const { [SET.paused]: _p, [SET.drift]: _d, [SET.existing]: _e, ...rest } = a.annotations
      a.annotations = { ...rest, [SET.interval]: '1m' }
      if (a.isThere || chance(this.random, 0.7)) await this.put(a)
      await this.retry(`crs-${a.plan.name}`)
    }
  }

  /** As `lockstep rollout retry` does, where something was halted. */
  private async retry(name: string): Promise<void> {
    const { hub, env } = this.story.fleet
    const patch = { metadata: { annotations: { [RETRY_ANNOTATION]: `${env.clock.now()}` } } }
    const key = { namespace: NAMESPACE, name }
    // It may have none, or not yet.
    await this.story.during(hub.patch(moduleKind, key, patch as never, WRITE))
  }

  async deleteAll(): Promise<void> {
    for (const a of this.asked)
      if (a.isThere && (!this.isUpstream || a.annotations[SET.managed] === 'true')) {
        a.isThere = false
        await this.story.removeSet(a.plan.name)
      }
  }
}
