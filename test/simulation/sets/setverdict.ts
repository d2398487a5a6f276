/** What holds once it is calm: everything is where it is asked for, or the set says why it is not, and truly so. */

import { SIM_EPOCH } from '../../../packages/kube/src/env/sim/simclock.ts'
import { at, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import type { Condition } from '../../../packages/lockstep/src/api/conditions.ts'
import type { ClusterResourceSetBinding } from '../../../packages/lockstep/src/api/kinds/clusterresourceset/columns.ts'
import { SET } from '../../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import type { SetSourceRecord } from '../../../packages/lockstep/src/api/kinds/inventory/spec.ts'
import type { SetStory } from '../../fleet/setstory.ts'
import { NAMESPACE } from '../../fleet/simfleet.ts'
import { type RecordedFacts, SETS, type SetFact } from './setfacts.ts'
import { list, mark, type SetJudge } from './setjudge.ts'
import type { RequestedSet, SetPeople } from './setpeople.ts'
import type { SetsPlan } from './setsplan.ts'
import { idOf, resourceOf, says } from './sourcecontent.ts'

const BINDINGS = 'clusterresourcesetbindings.addons.cluster.x-k8s.io'
const MANAGED = 'lockstep.dev/Managed'

/** Where drift is not put right. */
const TOLD = /Drifted|DriftNotReverted|lockstep.dev\/drift/

/** Why a set may not be ready, and how it says so. */
interface VerdictCause {
  readonly what: string
  readonly reasons: RegExp
  /** It has to be said; else nothing may be left to be done there. */
  readonly isSure: boolean
}

export class SetVerdict {
  readonly problems: string[] = []
  readonly tested: Record<string, number> = {}
  private readonly story: SetStory
  private readonly plan: SetsPlan
  private readonly facts: RecordedFacts
  private readonly judge: SetJudge
  private readonly people: SetPeople
  private readonly silent: ReadonlySet<string>
  private readonly hasFailed: () => boolean

  constructor(
    story: SetStory,
    of: {
      readonly plan: SetsPlan
      readonly facts: RecordedFacts
      readonly judge: SetJudge
      readonly people: SetPeople
      readonly silent: ReadonlySet<string>
      /** Something was refused, or has not become ready, since all was put right. */
      readonly hasFailed: () => boolean
    },
  ) {
    this.story = story
    this.plan = of.plan
    this.facts = of.facts
    this.judge = of.judge
    this.people = of.people
    this.silent = of.silent
    this.hasFailed = of.hasFailed
  }

  private check(id: string, holds: boolean, problem: () => string): void {
    this.tested[id] = (this.tested[id] ?? 0) + 1
    if (!holds) this.problems.push(`${id}: ${problem()}`)
  }

  /** `isMended`: nothing is left that may keep anything from being done. */
  all(isMended: boolean): void {
    for (const a of this.people.asked) {
      const past = this.facts.sets.get(a.plan.name)
      const fact = past?.now
      // What was nobody's when it went is nobody's to look after.
      if (!fact && past?.since(0).findLast((f) => f !== undefined)?.isManaged === true) this.gone(a)
      if (!fact) continue
      if (fact.isDeleting) this.leaving(a, isMended)
      else if (fact.isManaged) this.served(a, fact, isMended)
      else this.handedBack(a)
    }
    for (const c of this.plan.clusters) this.binding(c)
  }

  /** Sets that are not done yet: waited for. */
  unfinished(): string[] {
    return this.people.asked.flatMap(({ plan: { name } }) => {
      const fact = this.facts.sets.get(name)?.now
      if (!fact) return []
      if (!fact.isManaged) return fact.isDeleting || this.left(name).length > 0 ? [name] : []
      if (fact.isPaused) return fact.isDeleting ? [name] : []
      return fact.isDeleting || this.ready(name)?.status !== 'True' ? [name] : []
    })
  }

  private ready(name: string): Condition | undefined {
    return this.conditions(name).find((c) => c.type === 'Ready')
  }

  private conditions(name: string): readonly Condition[] {
    const set = this.story.fleet.objects(SETS).find((o) => o.metadata.name === name)
    const newer = list(set, 'status', 'v1beta2', 'conditions')
    return [...newer, ...list(set, 'status', 'conditions')] as Condition[]
  }

  private served(a: RequestedSet, fact: SetFact, isMended: boolean): void {
    const { name } = a.plan
    const ready = this.ready(name)
    const causes = this.causes(a, fact)
    const text = `${name} (${fact.mode}): ${ready?.status} ${ready?.reason}: ${ready?.message}`
    const known = causes.map((c) => c.what).join(', ')
    if (ready?.status === 'True') {
      this.check('said', !causes.some((c) => c.isSure), () => `${text}, although ${known}`)
      for (const c of this.open()) this.content(a, fact, c)
      return
    }
    this.check('I14', (ready?.message ?? '') !== '', () => `${text} says nothing`)
    const isTrue = causes.some((c) => c.reasons.test(`${ready?.reason}: ${ready?.message}`))
    this.check(isMended ? 'I13' : 'I14', isTrue, () => `${text}; known: ${known || 'nothing'}`)
  }

  /** Of what people and mishaps have left. */
  private causes(a: RequestedSet, fact: SetFact): VerdictCause[] {
    const { mode, settings } = fact
    const all: VerdictCause[] = []
    const add = (what: string, reasons: RegExp, isSure = false) => void all.push({ what, reasons, isSure })
    if (settings[SET.interval] === '10') add('a bad interval', /^InvalidSetting/, true)
    if (mode === 'Continuous' && settings[SET.existing] === 'Keep') add('Keep', /^InvalidSetting/, true)
    if (fact.isPaused) add('the set is paused', /./)
    for (const s of a.sources) {
      if (s.state === 'Missing') add(`no ${s.name}`, new RegExp(`${s.name} \\(spec`), true)
      if (s.state === 'BadYaml') add(`bad ${s.name}`, new RegExp(`InvalidResource: .*${s.name}`), true)
      if (s.state === 'Nowhere') add(`lost in ${s.name}`, /lost|namespace/)
    }
    if (mode === 'Continuous' && settings[SET.allowEmpty] !== 'true') {
      for (const s of a.sources)
        if (s.state === 'Empty')
          add(`${s.name} is empty`, new RegExp(`EmptyRender: .*${s.name} has no objects`), true)
      if (a.sources.every((s) => s.state !== 'Good')) add('nothing is left', /EmptyRender: the bundle/)
    }
    for (const c of this.plan.clusters) {
      if (!this.facts.clusters.get(c)?.now?.isSelected) continue
      if (this.silent.has(c)) add(`${c} is silent`, new RegExp(`\\b${c}\\b`))
      if (this.facts.clusters.get(c)?.now?.isPaused) add(`${c} is paused`, new RegExp(`\\b${c}\\b`))
    }
    if (mode === 'Continuous' && settings[SET.drift] === 'Report') add('drift is told', TOLD)
    if (mode === 'Continuous' && settings[SET.drift] === 'Ignore') add('a deleted object is told', TOLD)
    // Until another revision is published, or a person has it tried again.
    if (mode === 'Continuous' && this.hasFailed()) add('something has failed', /^Halted/)
    if (this.isRelied(a.plan.name))
      add('another one relies on its Module', /DependentsRemain|waiting for dependent/)
    if (mode === 'Continuous' && settings[SET.dependsOn] !== undefined)
      all.push(...this.causesBelow(settings))
    return all
  }

  /** What the set that it depends on waits for; and that it has to be there, and Continuous. */
  private causesBelow(settings: Readonly<Record<string, string>>): VerdictCause[] {
    const [edge] = JSON.parse(settings[SET.dependsOn]!) as { module: { kind: string; name: string } }[]
    if (edge?.module.kind !== 'ClusterResourceSet') return []
    const { name } = edge.module
    const fact = this.facts.sets.get(name)?.now
    const reasons = /Dependency|Waiting/
    if (
      !fact?.isManaged ||
      fact.mode !== 'Continuous' ||
      this.ready(name)?.status !== 'True' ||
      fact.isDeleting
    )
      return [{ what: `${name} is not ready`, reasons, isSure: false }]
    return []
  }

  /** Clusters that are selected, and that nothing keeps anybody from. */
  private open(): string[] {
    return this.plan.clusters.filter((c) => this.facts.clusters.get(c)?.now?.isSelected && this.isOpen(c))
  }

  isOpen(cluster: string): boolean {
    return !this.facts.clusters.get(cluster)?.now?.isPaused && !this.silent.has(cluster)
  }

  /** What is there is what is asked for. */
  private content(a: RequestedSet, fact: SetFact, cluster: string): void {
    const { name } = a.plan
    const where = `${name} (${fact.mode}) on ${cluster}`
    const sources = this.judge.record(name, cluster)?.sources ?? []
    for (const s of a.sources) {
      const e = sources.find((x) => x.name === s.name)
      const hash = this.facts.hashes.get(s.name)?.now
      const isRecorded = e?.applied && (fact.mode === 'ApplyOnce' || e.hash === hash)
      // An empty one is in no revision.
      this.check(
        'recorded',
        isRecorded === true,
        () => `${where}: ${s.name} is ${JSON.stringify(e)}, and ${hash}`,
      )
    }
    if (fact.mode === 'ApplyOnce') return
    const { touched, madeMs } = this.judge.place(cluster)
    // What Cluster API has applied to a cluster that was made anew within minutes is taken to be on the one that is there.
    const isOfBefore = (name: string): boolean => {
      const { lastAppliedTime = '' } = sources.find((x) => x.name === name) ?? {}
      return fact.mode === 'Reconcile' && Date.parse(lastAppliedTime) - SIM_EPOCH < madeMs
    }
    const objects = a.sources.flatMap((s) => (s.state === 'Good' && !isOfBefore(s.name) ? s.manifests() : []))
    for (const o of objects) {
      const live = this.judge.live(cluster, o)
      const isLeft = fact.mode === 'Reconcile' || (fact.settings[SET.drift] ?? 'Revert') !== 'Revert'
      const holds = says(live, { ...o, metadata: {} }) || (isLeft && touched.has(idOf(o)))
      this.check('content', holds, () => `${where}: ${idOf(o)} is ${JSON.stringify(live)}`)
      if (fact.mode === 'Continuous' && live && !isLeft)
        this.check(
          'content',
          mark(live) === `m.${NAMESPACE}.crs-${name}`,
          () => `${where}: ${idOf(o)} is marked ${mark(live)}`,
        )
    }
    if (fact.mode === 'Continuous') this.nothingElse(a, cluster, new Set(objects.map(idOf)))
  }

  /** What has our mark is in a source, unless it was left there when what leaves was to stay. */
  private nothingElse(a: RequestedSet, cluster: string, asked: ReadonlySet<string>): void {
    const past = this.facts.sets.get(a.plan.name)?.since(0) ?? []
    if (!past.every((f) => f === undefined || f.prunes)) return
    for (const o of this.marked(cluster, `m.${NAMESPACE}.crs-${a.plan.name}`))
      this.check(
        'content',
        asked.has(idOf(o)),
        () => `${a.plan.name} on ${cluster}: ${idOf(o)} is ours, and in no source`,
      )
  }

  private marked(cluster: string, unit: string): KubeObject[] {
    const { local } = this.story.fleet.clusters.get(cluster)!.api
    const resources = new Set([...this.facts.contents.values()].flatMap((c) => c.objects).map(resourceOf))
    return [...resources].flatMap((r) => local.list(r)).filter((o) => mark(o) === unit)
  }

  /** Nothing of it is left but what was given up. */
  private gone({ plan: { name } }: RequestedSet): void {
    for (const [id, o] of this.judge.inventories)
      this.check(
        'leftovers',
        !id.startsWith(`${name} `) || at(o, 'status', 'state') === 'Orphaned',
        () => `Inventory of ${id}`,
      )
    const modules = this.story.fleet.stored('modules.lockstep.dev')
    this.check('leftovers', !modules.includes(`crs-${name}`), () => `Module crs-${name}`)
    for (const r of ['configmaps', 'secrets'])
      for (const o of this.story.fleet.objects(r)) {
        const owned = o.metadata.ownerReferences?.some(
          (x) => x.kind === 'ClusterResourceSet' && x.name === name,
        )
        this.check('leftovers', !owned, () => `${r} ${o.metadata.name} is owned by ${name}, which is gone`)
      }
    for (const c of this.open()) {
      // Given up while it was out of reach: an Inventory says what is there.
      if (isGivenUp(this.story, name, c)) continue
      const left = this.marked(c, `m.${NAMESPACE}.crs-${name}`)
      this.check(
        'leftovers',
        left.length === 0,
        () => `${name} is gone, and ${left.map(idOf)} on ${c} has its mark`,
      )
    }
  }

  /** Something keeps its objects from being deleted, and that is said. */
  private leaving({ plan: { name } }: RequestedSet, isMended: boolean): void {
    const what = () => `${name} is being deleted: ${JSON.stringify(this.conditions(name))}`
    const ready = this.ready(name)
    const held = this.plan.clusters.filter((c) => !this.isOpen(c))
    const isHeld = !isMended && held.some((c) => new RegExp(`\\b${c}\\b`).test(ready?.message ?? ''))
    this.check('I13', isHeld || this.isRelied(name), what)
  }

  /** Whoever was admitted against it leaves first; it says who. */
  private isRelied(name: string): boolean {
    const message = this.ready(name)?.message ?? ''
    return this.people.asked.some(
      (a) =>
        a.isThere &&
        a.annotations[SET.dependsOn]?.includes(`"${name}"`) === true &&
        message.includes(`ClusterResourceSet ${a.plan.name} on`),
    )
  }

  private handedBack({ plan: { name } }: RequestedSet): void {
    const left = this.left(name)
    // What is out of reach, or takes no write, is let go of when it is back.
    const isHeld = this.plan.clusters.some((c) => !this.isOpen(c)) || this.isRelied(name)
    this.check('handed back', left.length === 0 || isHeld, () => `${name} is not ours, and ${left} are there`)
    if (isHeld) return
    const ours = this.conditions(name).filter((c) => c.type === MANAGED)
    this.check('handed back', ours.length === 0, () => `${name} says ${JSON.stringify(ours)}`)
    const fact = this.facts.sets.get(name)?.now
    const pause = fact?.settings['cluster.x-k8s.io/paused']
    this.check('handed back', pause !== 'lockstep', () => `${name} has our pause`)
  }

  /** What there is of us for a set, beside what was given up. */
  private left(name: string): string[] {
    const records = [...this.judge.inventories].flatMap(([id, o]) =>
      id.startsWith(`${name} `) && at(o, 'status', 'state') !== 'Orphaned' ? [`Inventory of ${id}`] : [],
    )
    const modules = this.story.fleet.stored('modules.lockstep.dev')
    return [...records, ...modules.filter((m) => m === `crs-${name}`)]
  }

  /** What it says of sets that are ours is what their records say; of sets that are not there it says nothing. */
  private binding(cluster: string): void {
    const found = this.story.fleet.objects(BINDINGS).find((o) => o.metadata.name === cluster) as
      | ClusterResourceSetBinding
      | undefined
    const entries = found?.spec.bindings ?? []
    for (const {
      plan: { name },
    } of this.people.asked) {
      const past = this.facts.sets.get(name)
      // What Cluster API has said of one that nobody has made since is left to it.
      if (!past) continue
      const fact = past.now
      const entry = entries.filter((b) => b.clusterResourceSetName === name)
      const last = past.since(0).findLast((f) => f !== undefined)
      if (!fact && last?.isManaged)
        this.check('bindings', entry.length === 0, () => `${cluster} has an entry of ${name}, which is gone`)
      const record = this.judge.record(name, cluster)
      if (!fact?.isManaged || fact.isDeleting || !record?.takenOver) continue
      const asked = (record.sources ?? []).map(projected).sort()
      const said = entry
        .flatMap((e) => e.resources ?? [])
        .map((r) => projected(r as SetSourceRecord))
        .sort()
      this.check(
        'bindings',
        asked.join() === said.join(),
        () => `${cluster} says of ${name} ${said}, recorded is ${asked}`,
      )
      const owners = found?.metadata.ownerReferences ?? []
      if (entry.length > 0)
        this.check(
          'bindings',
          owners.some((o) => o.uid === fact.uid),
          () => `${cluster} is not owned by ${name}`,
        )
    }
  }
}

const isGivenUp = (story: SetStory, set: string, cluster: string): boolean =>
  story.fleet
    .inventories()
    .some((i) => i.metadata.name === `m.crs-${set}.${cluster}` && at(i, 'status', 'state') === 'Orphaned')

const projected = ({ kind, name, hash, lastAppliedTime, applied }: SetSourceRecord): string =>
  // What is empty is left out of a binding.
  `${kind}/${name} ${hash ?? ''} ${lastAppliedTime} ${applied}`
