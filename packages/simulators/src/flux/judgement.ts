/**
 * Whether anybody acted too early: pure, over the trace of writes to a cluster. A unit acts on a release when the first of its objects
 * gets that release's content. It may when all that it needs, and what that needs, is there with the content of that release and
 * healthy at that moment. Who wrote what, and how, is not looked at.
 */
import { healthOf } from '@lockstep/health/health'
import { type KubeObject, parseApiVersion } from '@lockstep/kube/object'
import { AFTER, BEFORE, type Tag, tagOf } from './fluxscenario.ts'

/** A write and when it was made. */
export interface SeenWrite {
  readonly atMs: number
  /** Wall clock, for rules of health that look at it. */
  readonly nowMs?: number
  readonly old: KubeObject | undefined
  readonly next: KubeObject | undefined
}

export interface WatchedUnit {
  readonly name: string
  readonly needs?: readonly string[]
  readonly objects: (release: string) => readonly KubeObject[]
}

export interface FluxViolation {
  readonly kind: 'TooEarly' | 'Deleted' | 'Reverted' | 'Leaked'
  readonly atMs: number
  readonly unit: string
  /** `Deployment/web`. */
  readonly object: string
  /** For people: what was wrong. */
  readonly message: string
}

/** When a unit began to act on the new release, and when all of it was there and healthy. */
export interface UnitProgress {
  readonly startedMs?: number
  readonly readyMs?: number
}

export interface Judgement {
  readonly violations: readonly FluxViolation[]
  /** Of units that the new release changes. */
  readonly progress: ReadonlyMap<string, UnitProgress>
}

/** What the trace shows of the way from the release before to the one after. */
export function judge(units: readonly WatchedUnit[], writes: readonly SeenWrite[]): Judgement {
  const it = new PlayJudge(units)
  for (const write of writes) it.observe(write)
  return { violations: it.conclude(writes.at(-1)?.atMs ?? 0), progress: it.progress }
}

class PlayJudge {
  private readonly units: ReadonlyMap<string, WatchedUnit>
  /** By identity: the objects that are there. */
  private readonly live = new Map<string, KubeObject>()
  /** `unit object` that were at the new release once. */
  private readonly arrived = new Set<string>()
  private readonly found: FluxViolation[] = []
  readonly progress = new Map<string, UnitProgress>()

  constructor(units: readonly WatchedUnit[]) {
    this.units = new Map(units.map((u) => [u.name, u]))
  }

  observe(w: SeenWrite): void {
    const shown = w.next ?? w.old
    const tag = tagOf(w.next) ?? tagOf(w.old)
    if (!shown || !tag || !this.units.has(tag.unit)) return
    if (w.next) this.live.set(identity(shown), w.next)
    else this.live.delete(identity(shown))
    if (!w.next) this.deleted(w, tag)
    else if (tagOf(w.old)?.release !== tag.release) this.changed(w, tag)
    this.follow(w, tag.unit)
  }

  /** Notes the first moment at which all of a unit that has begun is there and healthy. */
  private follow({ atMs, nowMs = 0 }: SeenWrite, unit: string): void {
    const known = this.progress.get(unit)
    if (!known || known.readyMs !== undefined) return
    if (this.problemIn(unit, nowMs) === undefined) this.progress.set(unit, { ...known, readyMs: atMs })
  }

  conclude(atMs: number): readonly FluxViolation[] {
    for (const o of this.live.values()) {
      const tag = tagOf(o)
      if (!tag || this.wanted(tag.unit, AFTER).has(tag.object)) continue
      this.add('Leaked', atMs, tag, `${tag.object} is still there, though release ${AFTER} has it no more`)
    }
    return this.found
  }

  private changed(w: SeenWrite, tag: Tag): void {
    const key = `${tag.unit} ${tag.object}`
    const isNew = this.wanted(tag.unit, AFTER).get(tag.object) === tag.release
    const isOld = this.wanted(tag.unit, BEFORE).get(tag.object) === tag.release
    if (isOld && !isNew && this.arrived.has(key))
      this.add('Reverted', w.atMs, tag, `${tag.object} went back to release ${tag.release}`)
    if (!isNew || isOld || this.arrived.has(key)) return
    this.arrived.add(key)
    if (!this.progress.has(tag.unit)) this.progress.set(tag.unit, { startedMs: w.atMs })
    const lacking = this.lacking(tag.unit, w.nowMs ?? 0)
    if (lacking === undefined) return
    this.add('TooEarly', w.atMs, tag, `${tag.object} went to release ${tag.release}, though ${lacking}`)
  }

  private deleted(w: SeenWrite, tag: Tag): void {
    const isReplaced = w.old?.kind === 'Job'
    const isKept = [...this.live.values()].some((o) => {
      const other = tagOf(o)
      return other?.unit === tag.unit && other.object === tag.object
    })
    if (isReplaced || isKept || !this.wanted(tag.unit, AFTER).has(tag.object)) return
    this.add('Deleted', w.atMs, tag, `${tag.object} was deleted, though release ${AFTER} has it`)
  }

  /** What a unit needs, however far away, that is not at the new release and healthy. */
  private lacking(unit: string, nowMs: number): string | undefined {
    const seen = new Set<string>()
    const next = [...(this.units.get(unit)?.needs ?? [])]
    for (let name = next.shift(); name !== undefined; name = next.shift()) {
      if (seen.has(name)) continue
      seen.add(name)
      const problem = this.problemIn(name, nowMs)
      if (problem !== undefined) return `${name} ${problem}`
      next.push(...(this.units.get(name)?.needs ?? []))
    }
    return undefined
  }

  private problemIn(unit: string, nowMs: number): string | undefined {
    for (const [object, release] of this.wanted(unit, AFTER)) {
      const problem = this.problemOf({ unit, object, release }, nowMs)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  private problemOf(wanted: Tag, nowMs: number): string | undefined {
    const all = [...this.live.values()].filter((o) => {
      const tag = tagOf(o)
      return tag?.unit === wanted.unit && tag.object === wanted.object
    })
    const there = all.filter((o) => tagOf(o)?.release === wanted.release)
    if (all.length === 0) return `has no ${wanted.object} yet`
    if (there.length === 0) return `was at release ${tagOf(all[0])?.release}`
    for (const o of there) {
      const health = healthOf(o, nowMs)
      if (health.state !== 'Healthy' || health.unfinished)
        return `was not healthy: ${wanted.object}: ${health.message || health.state}`
    }
    return undefined
  }

  /** Objects of a unit at a release, and the release of their content. */
  private wanted(unit: string, release: string): ReadonlyMap<string, string> {
    const tags = (this.units.get(unit)?.objects(release) ?? []).map(tagOf)
    return new Map(tags.flatMap((t) => (t ? [[t.object, t.release] as const] : [])))
  }

  private add(kind: FluxViolation['kind'], atMs: number, { unit, object }: Tag, message: string): void {
    this.found.push({ kind, atMs, unit, object, message: `${unit}: ${message}` })
  }
}

const identity = ({ apiVersion, kind, metadata }: KubeObject): string =>
  [parseApiVersion(apiVersion).group, kind, metadata.namespace ?? '', metadata.name].join('/')
