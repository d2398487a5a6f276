/**
 * What holds of rollouts at each commit, whoever leads and dies: the invariants that are about stages, consent, halts and
 * the way of a unit. It knows what was written and when, and nothing of how that was decided.
 */
import type { CommitRecord } from '../../packages/apiserver/src/server/index.ts'
import {
  at,
  isArray,
  type JsonValue,
  type KubeObject,
  short10,
} from '../../packages/kube/src/object/index.ts'
import { REQUEST_EXPIRY_MS } from '../../packages/lockstep/src/deliver/step/intents.ts'
import { Permits, type PermitWindow } from './permits.ts'

const BACK: ReadonlySet<string> = new Set(['Undo', 'Rollback', 'Dependency'])

const STARTS: ReadonlySet<string> = new Set(['Install', 'Update', 'RollBack'])

type Id = 'I20' | 'I21' | 'I23' | 'I24' | 'I25' | 'I26' | 'I27' | 'I32'

interface Entry {
  readonly cluster: string
  readonly revision: string
  readonly stage: string
  readonly kind: string
  readonly failed?: string
}
interface Stage {
  readonly name: string
  readonly openedAt?: string
  readonly completedAt?: string
  readonly total?: number
}
interface Rollout {
  readonly revision?: string
  readonly cause?: string
  readonly haltedAt?: string
  readonly refused?: string
  readonly completedAt?: string
  readonly ledger?: readonly Entry[]
  readonly stages?: readonly Stage[]
}
interface StageSpec {
  readonly name: string
  readonly soakSeconds?: number
  readonly approval?: string
  readonly approvalBefore?: string
}
interface UnitRecord {
  readonly revision: string
  readonly stage: string
  readonly apart?: string
  /** When it was written, the fleet was led back: its admission may come when that is over. */
  readonly isBack: boolean
}
interface Unit {
  readonly module: string
  readonly cluster: string
  record?: UnitRecord | undefined
  /** Revisions that it was led back to by records that others have replaced since, and when. */
  readonly overtaken: Map<string, number>
  admitted?: string | undefined
  /** It was admitted for reasons of its own: pinned there, or joining. */
  isApart?: boolean
  uid?: string | undefined
  /** That it is admitted at, and that it ever was. */
  release?: string | undefined
  readonly releases: Set<string>
  /** What it was admitted against: units, and their releases. */
  against?: readonly { readonly uid?: string; readonly release?: string }[]
  /** All that it was ever admitted to. */
  readonly been: Set<string>
  /** Since when it has been healthy at what is admitted; undefined: it is not. */
  wellSince?: number | undefined
}

const text = (o: unknown, ...path: string[]): string => {
  const found = at(o as JsonValue, ...path)
  return typeof found === 'string' ? found : ''
}
const list = <T>(o: unknown, ...path: string[]): readonly T[] => {
  const found = at(o as JsonValue, ...path)
  return isArray(found) ? (found as unknown as readonly T[]) : []
}
const rolloutOf = (o: KubeObject | undefined): Rollout =>
  o === undefined ? {} : ((at(o, 'status', 'rollout') ?? {}) as Rollout)

export class Rollouts {
  readonly problems: string[] = []
  readonly tested: Record<Id, number> = { I20: 0, I21: 0, I23: 0, I24: 0, I25: 0, I26: 0, I27: 0, I32: 0 }
  private readonly clock: { steady(): number; now(): number }
  private readonly modules = new Map<string, KubeObject>()
  private readonly units = new Map<string, Unit>()
  private readonly permits: Permits
  /** Of ControllerRevisions, by name. */
  private readonly numbers = new Map<string, number>()

  /** `clock`: the true one. */
  constructor(clock: { steady(): number; now(): number }) {
    this.clock = clock
    this.permits = new Permits(clock)
  }

  see(commit: CommitRecord): void {
    const { cluster, resource, key, next, old } = commit
    if (cluster !== 'hub') return
    this.permits.see(commit)
    if (resource === 'modules.lockstep.dev') this.module(key, next, old)
    if (resource === 'inventories.lockstep.dev') this.inventory((next ?? old)!, next)
    if (resource === 'controllerrevisions.apps' && next)
      this.numbers.set(next.metadata.name!, Number(at(next, 'revision')))
  }

  private check(id: Id, holds: boolean, message: string): void {
    this.tested[id]++
    if (!holds) this.problems.push(`${id}: ${message}`)
  }

  private unit(module: string, cluster: string): Unit {
    const id = `${module}@${cluster}`
    const known = this.units.get(id) ?? {
      module,
      cluster,
      releases: new Set(),
      been: new Set(),
      overtaken: new Map(),
    }
    this.units.set(id, known)
    return known
  }

  private module(key: string, next: KubeObject | undefined, old: KubeObject | undefined): void {
    if (next) this.modules.set(next.metadata.name!, next)
    if (!next || !old) return
    const [before, after] = [rolloutOf(old), rolloutOf(next)]
    const ledger = after.ledger ?? []
    if (ledger.length > 0) {
      const names = new Set(ledger.map((e) => e.cluster))
      this.check('I21', names.size === ledger.length, `${key}: a cluster has two entries in the ledger`)
    }
    for (const e of this.startsOf(next.metadata.name!, before, after)) this.start(key, next, e, before, after)
    if (before.revision === after.revision && before.completedAt === undefined)
      for (const s of after.stages ?? [])
        this.stage(
          key,
          next,
          s,
          before.stages?.find((x) => x.name === s.name),
        )
  }

  /** Entries that are new, of units that are not there already: a ledger that was lost has what was under way. */
  private startsOf(module: string, before: Rollout, after: Rollout): Entry[] {
    const known = new Set((before.ledger ?? []).map((e) => `${e.cluster} ${e.revision} ${e.kind}`))
    return (after.ledger ?? []).filter(
      (e) =>
        e.failed === undefined &&
        STARTS.has(e.kind) &&
        !known.has(`${e.cluster} ${e.revision} ${e.kind}`) &&
        this.unit(module, e.cluster).record?.revision !== e.revision,
    )
  }

  private start(key: string, module: KubeObject, e: Entry, before: Rollout, after: Rollout): void {
    const what = `${key}: ${e.cluster} starts at ${e.revision}`
    if (before.haltedAt !== undefined)
      this.check(
        'I23',
        !(e.revision === before.haltedAt && after.haltedAt === before.haltedAt),
        `${what}, which is halted`,
      )
    if (after.refused !== undefined)
      this.check('I32', e.revision !== after.refused, `${what}, which is refused`)
    // Only who joins gets an older one, and who is there already stays at it.
    const { admitted } = this.unit(module.metadata.name ?? '', e.cluster)
    const isMeant = e.revision === after.revision || admitted === undefined || admitted === e.revision
    this.check('I32', isMeant, `${what}, which another one has overtaken`)
    if (this.permits.hasHolds(module.metadata.name)) {
      const held = this.permits.heldBy(module.metadata.name, e.cluster)
      this.check('I24', held === undefined, `${what}, and Hold ${held} is there`)
    }
    if (e.revision !== after.revision || BACK.has(after.cause ?? '')) return
    const isOpen = this.permits.isOpen(list<PermitWindow>(module, 'spec', 'rollout', 'windows'))
    if (isOpen !== undefined) this.check('I24', isOpen, `${what} outside its windows`)
    const stages = after.stages ?? []
    const turn = stages.findIndex((s) => s.name === e.stage)
    if (turn <= 0 || text(module, 'spec', 'rollout', 'strategy') !== 'Staged') return
    const open = stages.slice(0, turn).find((s) => s.completedAt === undefined)
    // What goes back before what it relies on does so in the turn of that (ADR 0045).
    if (this.unit(module.metadata.name!, e.cluster).been.has(e.revision)) return
    this.check('I20', open === undefined, `${what} in stage ${e.stage}, and ${open?.name} is not complete`)
  }

  /** A stage of the rollout under way, and as it was. */
  private stage(key: string, module: KubeObject, now: Stage, was: Stage | undefined): void {
    const { revision, cause } = rolloutOf(module)
    if (BACK.has(cause ?? '') || revision === undefined) return
    const spec = list<StageSpec>(module, 'spec', 'rollout', 'stages').find(
      (s) => s.name === now.name.split('/')[0],
    )
    const hasOpened = now.openedAt !== undefined && was?.openedAt === undefined
    const hasPassed = now.completedAt !== undefined && was?.completedAt === undefined
    if (hasOpened && spec?.approvalBefore === 'Required')
      this.consented(key, module, now.name, 'Before', revision)
    if (!hasPassed) return
    if (spec?.approval === 'Required') this.consented(key, module, now.name, 'After', revision)
    // Where nobody is left, nothing is waited for.
    if (spec?.soakSeconds !== undefined && spec.soakSeconds > 0 && now.total !== 0)
      this.soaked(key, module, now.name, spec.soakSeconds)
  }

  private consented(key: string, module: KubeObject, stage: string, point: string, revision: string): void {
    const found = this.permits.isApproved(module.metadata.name, stage, point, revision)
    this.check(
      'I24',
      found,
      `${key}: stage ${stage} goes on at ${revision}, and nobody has consented (${point})`,
    )
  }

  /** Nobody can have proven for longer than the member that has been well for the longest time. */
  private soaked(key: string, module: KubeObject, stage: string, seconds: number): void {
    const members = [...this.units.values()].filter(
      (u) => u.module === module.metadata.name && u.record?.stage === stage && u.wellSince !== undefined,
    )
    if (members.length === 0) return
    const most = Math.max(...members.map((u) => this.clock.steady() - u.wellSince!)) / 1000
    this.check('I25', most >= seconds, `${key}: stage ${stage} has passed after ${most}s of ${seconds}s`)
  }

  private assigned(unit: Unit, next: KubeObject | undefined): void {
    const was = unit.record
    const found = next && at(next, 'spec', 'assigned')
    const isLeaving = found !== undefined && at(found, 'removal') !== undefined
    unit.record = undefined
    if (found !== undefined && !isLeaving) {
      const { revision, stage, apart } = found as unknown as UnitRecord
      const { cause = '' } = rolloutOf(this.modules.get(unit.module))
      const isBack = was?.revision === revision ? was.isBack : BACK.has(cause)
      unit.record = { revision, stage, isBack, ...(apart === undefined ? {} : { apart }) }
    }
    if (was && (was.isBack || was.apart !== undefined) && was.revision !== unit.record?.revision)
      unit.overtaken.set(was.revision, this.clock.steady())
  }

  private inventory(about: KubeObject, next: KubeObject | undefined): void {
    const unit = this.unit(
      text(about, 'spec', 'moduleRef', 'name'),
      text(about, 'spec', 'clusterRef', 'name'),
    )
    this.assigned(unit, next)
    const admitted = next ? text(next, 'spec', 'admitted', 'revision') || undefined : undefined
    if (admitted !== unit.admitted && admitted !== undefined && unit.admitted !== undefined) {
      this.moved(unit, admitted)
      this.wentBack(unit, text(next, 'spec', 'admitted', 'release'))
    }
    const isWell =
      admitted !== undefined &&
      at(next!, 'status', 'admittedSerial') === at(next!, 'spec', 'admitted', 'serial') &&
      text(next, 'status', 'health') === 'Healthy'
    unit.wellSince = isWell
      ? admitted === unit.admitted
        ? (unit.wellSince ?? this.clock.steady())
        : this.clock.steady()
      : undefined
    if (admitted !== unit.admitted) unit.isApart = unit.record?.apart !== undefined
    unit.admitted = admitted
    unit.uid = text(about, 'metadata', 'uid')
    unit.release = next ? text(next, 'spec', 'admitted', 'release') : undefined
    if (unit.release) unit.releases.add(unit.release)
    unit.against = next ? list(next, 'spec', 'admitted', 'evidence') : []
    if (admitted !== undefined) unit.been.add(admitted)
  }

  /** Where a rollout turns round, whoever relied on the newer release has left it before, if there is anything to go back to. */
  private wentBack(unit: Unit, to: string): void {
    const { cause } = rolloutOf(this.modules.get(unit.module))
    if (cause !== 'Rollback' || !unit.release || to === unit.release || !unit.releases.has(to)) return
    for (const other of this.units.values()) {
      // What has gone back first was admitted beside the newer one, and relies on nothing of it.
      if (other.cluster !== unit.cluster || other.release === to || !other.releases.has(to)) continue
      const relies = other.against?.some((e) => e.uid === unit.uid && e.release === unit.release)
      this.check(
        'I27',
        !relies,
        `${unit.module} on ${unit.cluster} goes back to ${to} before ${other.module}`,
      )
    }
  }

  /** To an older revision only where that is published again, led back to, meant for this cluster alone, or the newer one was. */
  private moved(unit: Unit, to: string): void {
    const module = this.modules.get(unit.module)
    const { cause, revision } = rolloutOf(module)
    const isMeant =
      text(module, 'status', 'currentRevision') === to ||
      BACK.has(cause ?? '') ||
      (unit.record?.revision === to && unit.record.isBack) ||
      // What a record asked for that has just been overtaken may be on its way, with the slot that the unit keeps.
      this.clock.steady() - (unit.overtaken.get(to) ?? Number.NEGATIVE_INFINITY) <= REQUEST_EXPIRY_MS ||
      // What was published before, back or forth, is delivered to its end first.
      (cause === 'Wait' && revision === to) ||
      unit.record?.apart !== undefined ||
      unit.isApart === true
    const numberOf = (revision: string) => this.numbers.get(`${unit.module}-${short10(revision)}`)
    const [older, newer] = [numberOf(to), numberOf(unit.admitted!)]
    // A history without one of them says nothing.
    if (older === undefined || newer === undefined) return
    this.check(
      'I26',
      isMeant || older > newer,
      `${unit.module} on ${unit.cluster} goes from ${unit.admitted} back to ${to}`,
    )
  }
}
