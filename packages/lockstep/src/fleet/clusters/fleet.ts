/** The clusters of the fleet: their views, sessions and states. */

import {
  createHttpClient,
  type KubeClient,
  type Lane,
  RequestLimiter,
  UNLIMITED_LANE,
} from '@lockstep/kube/client'
import { type Env, supervised } from '@lockstep/kube/env'
import { apiVersionOf } from '@lockstep/kube/object'
import { backoffMs } from '@lockstep/kube/workqueue'
import type { Account } from '../../api/account.ts'
import { bugText } from '../../api/bugtext.ts'
import type { RecordKind } from '../../api/records.ts'
import type { PreviousAnswer } from '../connection/identitycheck.ts'
import type { ObservedSelection } from '../connection/objectselections.ts'
import { ReconnectLimiter } from '../connection/reconnectlimiter.ts'
import { ClusterSession, type SessionEvents } from '../connection/session.ts'
import type { CredentialLife } from '../credentials/credentialexpiry.ts'
import { type ClusterAccess, type ClusterView, HUB_CLUSTER, hubView, isSameView } from './cluster.ts'
import { type ClusterCondition, clusterConditionOf } from './clustercondition.ts'
import { ClusterCredential } from './clustercredential.ts'
import {
  type BrokenSession,
  type ClusterMember,
  type ClusterObject,
  ClusterRegistry,
  type KnownCluster,
} from './clusterregistry.ts'
import type { SharedHubClients } from './hubclients.ts'

export interface FleetEvents {
  /** State, access or identity of a cluster changed. */
  cluster(view: ClusterView): void
  /** An object of a unit changed on a cluster. */
  object(view: ClusterView, unit: string, id: string): void
  /** The health of a unit was read for the first time since a connection began. */
  judged(view: ClusterView, unit: string): void
  /** What a selection finds on a cluster changed; false: nobody looks at it any more. */
  selected(view: ClusterView, id: string): boolean
  /** Nobody waits for anything that is still to be done on a cluster. */
  isAtRest(view: ClusterView): boolean
  /** Somebody waits for a cluster to be back who goes on at once then. */
  isAwaited(view: ClusterView): boolean
}

/** Milliseconds until the next session after an exception, at most. */
const MOST_PAUSE_MS = 5 * 60_000
/** Milliseconds without an exception after which earlier ones do not lengthen a pause. */
const FORGIVEN_MS = 15 * 60_000

/** A pause after an exception; without `cancel` it is over. */
const isPausing = (broken: BrokenSession | undefined): broken is BrokenSession => broken?.cancel !== undefined

/** What a client of a cluster may do. */
type FleetGuard = (client: KubeClient) => KubeClient

export class Fleet {
  private readonly env: Env
  private readonly hub: SharedHubClients
  private readonly guard: FleetGuard
  private readonly events: FleetEvents
  private readonly roster: ClusterRegistry
  private readonly pacer: RequestLimiter
  private readonly knocks: ReconnectLimiter
  private hubSession: ClusterSession | undefined
  private hubBroken: BrokenSession | undefined

  constructor(env: Env, hub: SharedHubClients, guard: FleetGuard, events: FleetEvents) {
    this.env = env
    this.hub = hub
    this.guard = guard
    this.events = events
    this.roster = new ClusterRegistry((view) => events.cluster(view))
    this.pacer = new RequestLimiter(env)
    this.knocks = new ReconnectLimiter(env)
  }

  /** A cluster of a namespace by the name under which its units know it; the hub is one of every namespace. */
  view(namespace: string, name: string): ClusterView | undefined {
    return (
      this.roster.get({ namespace, name })?.view ?? (name === HUB_CLUSTER ? hubView(namespace) : undefined)
    )
  }

  /** The cluster of an object of an inventory, whatever its units call it; undefined: the object is gone. */
  viewOf(object: ClusterObject): ClusterView | undefined {
    return this.roster.seated(object)?.view
  }

  /** The clusters of all namespaces, without the hub. */
  *all(): Iterable<ClusterView> {
    for (const namespace of this.roster.namespaces())
      for (const member of this.roster.of(namespace)) yield member.view
  }

  /** All clusters that modules of a namespace can select, by name; the hub last. */
  of(namespace: string): ClusterView[] {
    const own = [...this.roster.of(namespace)].map((m) => m.view)
    own.sort((a, b) => (a.name < b.name ? -1 : 1))
    return own.some((v) => v.name === HUB_CLUSTER) ? own : [...own, hubView(namespace)]
  }

  /**
   * Opens a session at first use. Objects of the hub are read and written with the rights of the account; on other clusters the
   * credential of the cluster counts.
   */
  session(view: ClusterView, account: Account): ClusterSession | undefined {
    if (view.access.type !== 'Hub') return this.sessionOf(view)
    const { hub } = this
    return this.sessionOfHub()?.as(hub.userOf(account), () => hub.inputs(account))
  }

  /** The same without objects: facts about the cluster itself need no account. */
  connection(view: ClusterView): AccountlessSession | undefined {
    return view.access.type === 'Hub' ? this.sessionOfHub() : this.sessionOf(view)
  }

  /** Objects of the hub of which inventories make clusters; undefined: it cannot be reached. */
  get clusterObjects(): ClusterObjectSelections | undefined {
    const session = this.sessionOfHub()
    if (session?.state !== 'Connected') return undefined
    const { selections } = session
    return {
      select: (kind, namespace) =>
        selections.select({ apiVersion: apiVersionOf(kind), kind: kind.kind, namespace }),
      release: (id) => selections.release(id),
    }
  }

  private sessionOf(view: ClusterView): ClusterSession | undefined {
    const member = this.roster.get(view)
    if (isPausing(member?.broken)) return undefined
    if (!member || member.session || !this.mayConnect(member)) return member?.session
    if (member.view.access.type !== 'Source') return undefined
    const env = { ...this.env, log: this.logOf(member.view) }
    const connection = member.credential.connect(env, { namespace: member.view.namespace })
    if (!connection) return undefined
    const client = createHttpClient(this.env, member.view.name, connection, 'lockstep-controller', 'cluster')
    const session = this.open(this.guard(client), {
      view: () => member.view,
      reached: () => this.roster.reached(member),
      another: (met) => this.met(member, met),
      broke: (error) => this.broke(member, error),
      met: member.met,
      // Whoever is new has somebody waiting for it.
      lane: this.pacer.lane(
        () =>
          member.session?.hearing.isAwaited === true ||
          this.record(member.view)?.uid === undefined ||
          !this.events.isAtRest(member.view),
      ),
    })
    member.session = session
    return session
  }

  /** The account may not read an object of the hub any more: watches of it end. */
  refuse(account: Account, right: Parameters<ClusterSession['refuse']>[1]): void {
    this.hubSession?.refuse(this.hub.userOf(account), right)
  }

  /** When the credential in the object of a cluster ends; undefined: it does not say so, or renews itself. */
  credentialLife(view: ClusterView): CredentialLife | undefined {
    return this.roster.get(view)?.credential.life
  }

  /** What was written down of a cluster. */
  record(view: ClusterView): KnownCluster | undefined {
    return this.roster.record(view)
  }

  condition(view: ClusterView): ClusterCondition {
    return this.conditionWith(view, view.access.type === 'Hub' ? this.sessionOfHub() : this.sessionOf(view))
  }

  /** The same, as far as it is known: nobody is connected to for this question. */
  knownCondition(view: ClusterView): ClusterCondition {
    const session = view.access.type === 'Hub' ? this.hubSession : this.roster.get(view)?.session
    return this.conditionWith(view, session)
  }

  /** Something about the cluster `namespace/name` has changed: what is asked of it may have somebody waiting for it now. */
  look(cluster: string): void {
    const slash = cluster.indexOf('/')
    if (this.pacer.isIdle || slash < 0) return
    this.roster.get({ namespace: cluster.slice(0, slash), name: cluster.slice(slash + 1) })?.session?.look()
  }

  private conditionWith(view: ClusterView, session: ClusterSession | undefined): ClusterCondition {
    const member = view.access.type === 'Hub' ? undefined : this.roster.get(view)
    const broken = member ? member.broken : view.access.type === 'Hub' ? this.hubBroken : undefined
    return clusterConditionOf({
      view,
      session,
      record: this.record(view),
      duplicateOf: member?.duplicateOf?.view,
      credentialEnd: member?.credential.end,
      bug: isPausing(broken) ? broken.error : undefined,
    })
  }

  private sessionOfHub(): ClusterSession | undefined {
    if (isPausing(this.hubBroken)) return undefined
    this.hubSession ??= this.open(this.hub.shared, {
      view: () => hubView(''),
      broke: (error) => {
        this.hubSession = undefined
        const over = () => this.events.cluster(hubView(''))
        this.hubBroken = this.pause(this.hubBroken, this.env.log, error, over)
      },
    })
    return this.hubSession
  }

  /** An exception ends the session of its cluster; another one begins after a pause. */
  private broke(member: ClusterMember, error: unknown): void {
    member.session = undefined
    const over = () => this.events.cluster(member.view)
    member.broken = this.pause(member.broken, this.logOf(member.view), error, over)
    this.events.cluster(member.view)
  }

  /** Its lines name the cluster. */
  private logOf({ namespace, name }: ClusterView): Env['log'] {
    return this.env.log.child({ cluster: `${namespace}/${name}` })
  }

  private pause(
    before: BrokenSession | undefined,
    log: Env['log'],
    error: unknown,
    over: () => void,
  ): BrokenSession {
    const { clock, meters, random } = this.env
    const now = clock.steady()
    meters.count('lockstep_exceptions_total', { scope: 'cluster' })
    log.error('a session of a cluster failed by a bug', { err: String((error as Error).stack ?? error) })
    const failures = before && now - before.at < FORGIVEN_MS ? before.failures + 1 : 0
    const broken: BrokenSession = {
      error: bugText(error),
      at: now,
      failures,
      cancel: clock.at(now + backoffMs(failures, random, MOST_PAUSE_MS), () => {
        broken.cancel = undefined
        over()
      }),
    }
    return broken
  }

  /** The inventory has a new view of a cluster, or has it no more. */
  observe(before: ClusterView | undefined, after: ClusterView | undefined): void {
    const member = this.roster.member((after ?? before)!)
    if (after) {
      // Inventories write down on their objects what is nobody's business here, and often.
      if (member && isSameView(member.view, after)) {
        this.roster.update(member, after)
        return
      }
      if (member) this.update(member, after)
      else this.roster.add(this.newMember(after))
      this.events.cluster(this.roster.member(after)!.view)
    } else if (member) {
      this.roster.remove(member.view)
      member.session?.close()
      member.broken?.cancel?.()
      member.credential.stop()
      this.events.cluster(member.view)
    }
  }

  private newMember(view: ClusterView): ClusterMember {
    const member: ClusterMember = {
      view,
      accessVersion: versionOf(view.access),
      credential: new ClusterCredential(this.env, () => this.credentialAged(member)),
      session: undefined,
      uid: undefined,
      met: undefined,
      duplicateOf: undefined,
      broken: undefined,
    }
    member.credential.observe(view.access)
    return member
  }

  /** Nothing is sent with a credential that has ended, until its object changes. */
  private credentialAged(member: ClusterMember): void {
    if (member.credential.end?.state === 'Expired') {
      member.session?.close()
      member.session = undefined
    }
    this.events.cluster(member.view)
  }

  /** What was written down of a cluster has changed; undefined: there is nothing any more. */
  note(key: { namespace: string; name: string }, record: KnownCluster | undefined): void {
    this.roster.note(key, record)
  }

  stop(): void {
    for (const m of this.roster.all()) {
      m.session?.close()
      m.broken?.cancel?.()
      m.credential.stop()
    }
    this.hubSession?.close()
    this.hubBroken?.cancel?.()
  }

  /** Until a cluster was reached once, its inventory says whether it is up; one that goes is left alone. */
  private mayConnect({ view, credential }: ClusterMember): boolean {
    if (view.deleting || credential.end?.state === 'Expired') return false
    return view.initialized || this.record(view)?.uid !== undefined
  }

  /** A live session goes on without its kubeconfig until the credential is refused, and with another token of its account. */
  private update(member: ClusterMember, after: ClusterView): void {
    const version = versionOf(after.access)
    const isSame = member.accessVersion === version && member.view.uid === after.uid
    const isRenewed = !isSame && member.view.uid === after.uid && member.credential.replace(after.access)
    if (!isSame && !isRenewed && after.access.type === 'Source') {
      member.session?.close()
      member.session = undefined
      member.met = undefined
    }
    member.credential.observe(after.access)
    const isBack = member.view.access.type === 'Missing' && after.access.type !== 'Missing'
    if (isBack || isRenewed) member.session?.hurry()
    if (after.access.type !== 'Missing') member.accessVersion = version
    this.roster.update(member, after)
  }

  /** What was decided for the one is never sent to the other: a connection is to one cluster, and ends with it. */
  private met(member: ClusterMember, met: Omit<PreviousAnswer, 'times'>): void {
    member.session?.close()
    member.session = undefined
    member.met = { ...met, times: (member.met?.times ?? 0) + 1 }
    this.events.cluster(member.view)
  }

  private open(client: KubeClient, of: OpenedSession): ClusterSession {
    const events: SessionEvents = {
      changed: () => {
        of.reached?.()
        this.events.cluster(of.view())
      },
      object: (unit, id) => this.events.object(of.view(), unit, id),
      judged: (unit) => this.events.judged(of.view(), unit),
      selected: (id) => this.events.selected(of.view(), id),
      another: (met) => of.another?.(met),
      knock: () => (this.events.isAwaited(of.view()) ? this.knocks.take() : undefined),
    }
    let isOver = false
    const env = supervised(this.env, {
      failed(error) {
        if (isOver) return
        isOver = true
        session.close()
        of.broke(error)
      },
    })
    const session = new ClusterSession(env, client, events, of.lane ?? UNLIMITED_LANE, of.met)
    return session
  }
}

/** A session without objects and without a client of the cluster. */
type AccountlessSession = Pick<ClusterSession, 'state' | 'uid' | 'problem' | 'hearing' | 'wasJudged'>

interface ClusterObjectSelections {
  select(kind: RecordKind, namespace: string): ObservedSelection
  /** Ends its watch, unless a request still reads it. */
  release(id: string): void
}

/** For whom a connection is opened. */
interface OpenedSession {
  readonly view: () => ClusterView
  readonly reached?: () => void
  /** Absent: there is no other connection to make. */
  readonly another?: (met: Omit<PreviousAnswer, 'times'>) => void
  /** Called when an exception has ended the session. */
  readonly broke: (error: unknown) => void
  readonly met?: PreviousAnswer | undefined
  /** Absent: nothing is kept waiting. */
  readonly lane?: Lane
}

const versionOf = (access: ClusterAccess): string => ('version' in access ? access.version : access.type)
