/** The clusters of the fleet: their views, sessions and states. */
import type { ClusterState } from '../core/rollout/types.ts'
import type { Env } from '../env/env.ts'
import type { KubeClient } from '../kube/client.ts'
import { createKubeClient } from '../kube/http.ts'
import { type ClusterView, clusterKey, HUB_CLUSTER } from './cluster.ts'
import { ClusterSession } from './session.ts'

export interface FleetEvents {
  /** State, access or identity of a cluster changed. */
  cluster(view: ClusterView): void
  /** An object of a unit changed on a cluster. */
  object(view: ClusterView, unit: string): void
  /** The health of a unit was read for the first time since a connection began. */
  judged(view: ClusterView, unit: string): void
  /** What a selection finds on a cluster changed; false: nobody looks at it any more. */
  selected(view: ClusterView, id: string): boolean
}

interface Member {
  view: ClusterView
  accessVersion: string
  session: ClusterSession | undefined
}

/** State of a cluster as the first rule that applies, and why, for people. */
export interface ClusterCondition {
  readonly state: ClusterState
  readonly reason:
    | 'ClusterUnreachable'
    | 'KubeconfigMissing'
    | 'CredentialRefused'
    | 'CredentialsRejected'
    | 'ClusterPaused'
    | 'DuplicateOf'
    | 'IdentityChanged'
    | 'Provisioning'
    | undefined
  readonly message: string
}

export class Fleet {
  private readonly env: Env
  private readonly hubClient: KubeClient
  private readonly events: FleetEvents
  private readonly members = new Map<string, Member>()
  private hubSession: ClusterSession | undefined

  constructor(env: Env, hubClient: KubeClient, events: FleetEvents) {
    this.env = env
    this.hubClient = hubClient
    this.events = events
  }

  /** A cluster of a namespace; the hub is one of every namespace. */
  view(namespace: string, name: string): ClusterView | undefined {
    return (
      this.members.get(`${namespace}/${name}`)?.view ??
      (name === HUB_CLUSTER ? hubView(namespace) : undefined)
    )
  }

  /** All clusters that modules of a namespace can select, by name; the hub last. */
  of(namespace: string): ClusterView[] {
    const own = [...this.members.values()].map((m) => m.view).filter((v) => v.namespace === namespace)
    own.sort((a, b) => (a.name < b.name ? -1 : 1))
    return own.some((v) => v.name === HUB_CLUSTER) ? own : [...own, hubView(namespace)]
  }

  /** Opens a session at first use. */
  session(view: ClusterView): ClusterSession | undefined {
    if (view.access.type === 'Hub') {
      this.hubSession ??= this.open(this.hubClient, () => hubView(''))
      return this.hubSession
    }
    const member = this.members.get(clusterKey(view))
    if (member?.view.access.type !== 'Kubeconfig') return member?.session
    member.session ??= this.open(
      createKubeClient(
        this.env,
        member.view.name,
        this.env.net.connect(member.view.access.endpoint),
        'lockstep-controller',
      ),
      () => member.view,
    )
    return member.session
  }

  condition(view: ClusterView): ClusterCondition {
    const say = (
      state: ClusterState,
      reason: ClusterCondition['reason'],
      message: string,
    ): ClusterCondition => ({ state, reason, message })
    if (view.deleting) return say('Deleting', undefined, `${view.name} is being deleted`)
    if (view.access.type === 'Refused') return say('Refused', 'CredentialRefused', view.access.message)
    const session = this.session(view)
    if (view.access.type === 'Missing' && !session)
      return say('Provisioning', 'KubeconfigMissing', view.access.message)
    const twin = this.twinOf(view, session)
    if (twin)
      return say(
        'Absent',
        'DuplicateOf',
        `${view.name} is the same cluster as ${twin.kind} ${twin.namespace}/${twin.name}`,
      )
    if (view.paused)
      return say('Paused', 'ClusterPaused', `${view.name} is paused by its annotation lockstep.dev/paused`)
    const state = session?.state ?? 'Provisioning'
    const problem = session?.problem
    if (state === 'Connected') return say(state, undefined, '')
    if (session?.rejected) return say(state, 'CredentialsRejected', `${view.name}: ${problem}`)
    if (state === 'Unreachable')
      return say(state, 'ClusterUnreachable', `${view.name}: ${problem ?? 'no answer'}`)
    return say(
      state,
      problem ? 'ClusterUnreachable' : 'Provisioning',
      `${view.name}: ${problem ?? 'connecting'}`,
    )
  }

  /** The inventory has a new view of a cluster, or has it no more. */
  observe(before: ClusterView | undefined, after: ClusterView | undefined): void {
    const key = clusterKey((after ?? before)!)
    const member = this.members.get(key)
    if (!after) {
      this.members.delete(key)
      member?.session?.close()
      if (before) this.events.cluster(before)
      return
    }
    const version = after.access.type === 'Kubeconfig' ? after.access.version : after.access.type
    if (!member) this.members.set(key, { view: after, accessVersion: version, session: undefined })
    else this.update(member, after, version)
    this.events.cluster(after)
  }

  stop(): void {
    for (const m of this.members.values()) m.session?.close()
    this.hubSession?.close()
  }

  /** A live session goes on without its kubeconfig until the credential is refused; a new one replaces it. */
  private update(member: Member, after: ClusterView, version: string): void {
    const isSame = member.accessVersion === version && member.view.uid === after.uid
    if (!isSame && after.access.type === 'Kubeconfig') {
      member.session?.close()
      member.session = undefined
    }
    if (after.access.type !== 'Missing') member.accessVersion = version
    member.view = after
  }

  /** One real cluster behind two objects of a namespace is one unit: the first name wins. */
  private twinOf(view: ClusterView, session: ClusterSession | undefined): ClusterView | undefined {
    const uid = session?.uid
    if (uid === undefined || view.access.type === 'Hub') return undefined
    for (const m of this.members.values()) {
      if (m.view.namespace === view.namespace && m.view.name < view.name && m.session?.uid === uid)
        return m.view
    }
    return undefined
  }

  private open(client: KubeClient, view: () => ClusterView): ClusterSession {
    return new ClusterSession(this.env, client, {
      changed: () => this.events.cluster(view()),
      object: (unit) => this.events.object(view(), unit),
      judged: (unit) => this.events.judged(view(), unit),
      selected: (id) => this.events.selected(view(), id),
    })
  }
}

function hubView(namespace: string): ClusterView {
  return {
    kind: 'Hub',
    namespace,
    name: HUB_CLUSTER,
    uid: 'hub',
    labels: {},
    paused: false,
    deleting: false,
    access: { type: 'Hub' },
  }
}
