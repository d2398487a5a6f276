/** Plays attacks on a fleet in virtual time, and counts all writes until after the answers. */

import type { CommitRecord } from '@lockstep/apiserver/server'
import { createHttpClient, type KubeClient, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type KubeObject, parseYamlStream } from '@lockstep/kube/object'
import type { Module } from '../../../../api/kinds/index.ts'
import { CLI_MANAGER } from '../../../../api/labels.ts'
import { kindOfObject } from '../../../kit/index.ts'
import { managedNamespace } from '../../../kit/install/index.ts'
import { HUB, LOCAL_PROFILES } from '../../../kit/localfleet/index.ts'
import type { DemoFleet } from '../demofleet.ts'
import { isReady } from '../demostory.ts'
import { type Attack, type AttackedObject, PLATFORM, TEAM } from './attacks.ts'

export const CLUSTER = 'c1'
export const ATTACKER = 'dev'

/** Milliseconds that an answer may take. */
const PATIENCE_MS = 60_000
/** Milliseconds after the answer in which writes still count. */
const WATCHED_MS = 30_000
const SLICE_MS = 100

export interface AttackResult {
  readonly attack: Attack
  /** The refusal, as the status or the API server has it. Absent: the attack was not refused. */
  readonly refusal?: string
  /** Milliseconds from the write to the refusal. */
  readonly refusedAfterMs?: number
  /** Writes to the namespace of the attacker. */
  readonly inside: number
  /** All other writes to the hub and its cluster. */
  readonly outside: readonly CommitRecord[]
  /** Objects of the attack that were written after all. */
  readonly reached: readonly string[]
}

export const hasSucceeded = (r: AttackResult): boolean =>
  r.refusal === undefined || r.outside.length > 0 || r.reached.length > 0

/** The hub of the platform, and the attacker, who has the role edit in one namespace. */
export class AttackPlay {
  private readonly fleet: DemoFleet
  private readonly attacker: KubeClient

  constructor(fleet: DemoFleet) {
    this.fleet = fleet
    const { env, local } = fleet
    const tokens = new Map([[ATTACKER, { name: ATTACKER, groups: [] }]])
    const url = `https://${ATTACKER}.demo.invalid`
    env.net.serve(url, local.hub.handleFor({ anonymous: 'refused', tokens }))
    const headers = { authorization: `Bearer ${ATTACKER}` }
    this.attacker = createHttpClient(env, HUB, env.net.connect({ url, headers }, 'operator'), ATTACKER)
  }

  /** Both teams; false: the platform is not delivered. */
  async prepare(): Promise<boolean> {
    const { local } = this.fleet
    for (const o of [...managedNamespace(TEAM, LOCAL_PROFILES), editBinding]) {
      const made = local.hub.local.create(o as unknown as KubeObject, CLI_MANAGER)
      if (!made.ok) throw new Error(made.error.message)
    }
    return this.isDelivered(this.fleet.user, platformRelease(1), PLATFORM, 'web')
  }

  /** An honest Module of the attacker: refusals of everything would prove nothing. */
  deliverOwn(): Promise<boolean> {
    return this.isDelivered(this.attacker, OWN, TEAM, 'own')
  }

  /** The next release of the platform. */
  deliverPlatform(): Promise<boolean> {
    return this.isDelivered(this.fleet.user, platformRelease(2), PLATFORM, 'web')
  }

  async play(attack: Attack): Promise<AttackResult> {
    const { env, tally } = this.fleet
    const from = tally.commits.length
    const begun = env.clock.steady()
    const rejected = await this.apply(this.attacker, attack.applied)
    const refusal = await this.refusalOf(attack, rejected && requestErrorText(rejected))
    const refusedAfterMs = env.clock.steady() - begun
    await env.clock.run(() => false, WATCHED_MS)
    const written = tally.commits.slice(from)
    const outside = written.filter((c) => !isInside(c))
    const targets = [...(attack.absent ?? []), ...(attack.unchanged ?? [])]
    const reached = written.filter((c) => targets.some((t) => isWriteOf(c, t))).map(textOf)
    const answer = refusal === undefined ? {} : { refusal, refusedAfterMs }
    return { attack, ...answer, inside: written.length - outside.length, outside, reached }
  }

  /** Waits until the status has it. */
  private async refusalOf(attack: Attack, rejected: string | undefined): Promise<string | undefined> {
    if (attack.module === undefined || rejected !== undefined)
      return attack.refused.test(rejected ?? '') ? rejected : undefined
    const find = () => this.blockersOf(attack.module!).find((b) => attack.refused.test(b))
    await this.until(() => find() !== undefined)
    return find()
  }

  private blockersOf(module: string): readonly string[] {
    const blockers = this.moduleOf(TEAM, module)?.status?.blockers ?? []
    return blockers.map(({ reason, message }) => `${reason}: ${message}`)
  }

  private async isDelivered(as: KubeClient, manifests: string, namespace: string, name: string) {
    const failure = await this.apply(as, manifests)
    if (failure) throw new Error(requestErrorText(failure))
    const isDone = (): boolean => {
      const module = this.moduleOf(namespace, name)
      return module !== undefined && isReady(module as never) && (module.status?.blockers ?? []).length === 0
    }
    await this.until(isDone)
    await this.fleet.env.clock.run(() => false, WATCHED_MS)
    return isDone()
  }

  private moduleOf(namespace: string, name: string): Module | undefined {
    return this.fleet.local.hub.local.get('modules.lockstep.dev', namespace, name) as unknown as
      | Module
      | undefined
  }

  private async until(isDone: () => boolean): Promise<void> {
    const { clock } = this.fleet.env
    for (let passed = 0; passed < PATIENCE_MS && !isDone(); passed += SLICE_MS)
      await clock.run(isDone, SLICE_MS)
  }

  /** The first error. */
  private async apply(as: KubeClient, manifests: string): Promise<RequestError | undefined> {
    for (const o of parseYamlStream(manifests) as unknown as KubeObject[]) {
      const kind = kindOfObject(o.apiVersion, o.kind)!
      const write = {
        purpose: 'user',
        manager: CLI_MANAGER,
        precondition: 'any',
        validate: 'Strict',
      } as const
      const done = await this.fleet.wait(as.apply(kind, o, write))
      if (!done.ok) return done.error
    }
    return undefined
  }
}

const isInside = (c: CommitRecord): boolean =>
  c.cluster === HUB && (c.next ?? c.old)?.metadata.namespace === TEAM

const isWriteOf = (c: CommitRecord, [apiVersion, kind, name, namespace]: AttackedObject): boolean => {
  const o = c.next ?? c.old
  return (
    c.cluster === HUB &&
    o?.apiVersion === apiVersion &&
    o.kind === kind &&
    o.metadata.name === name &&
    o.metadata.namespace === namespace
  )
}

/** `create configmaps platform/web-1 on hub by dev`. */
export const textOf = ({ verb, resource, key, cluster, user, actor }: CommitRecord): string =>
  `${verb} ${resource} ${key} on ${cluster} by ${user ?? actor}`

const RBAC = 'rbac.authorization.k8s.io'

const editBinding = {
  apiVersion: `${RBAC}/v1`,
  kind: 'RoleBinding',
  metadata: { name: ATTACKER, namespace: TEAM },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'edit' },
  subjects: [{ apiGroup: RBAC, kind: 'User', name: ATTACKER }],
}

const platformRelease = (n: number): string => `
apiVersion: v1
kind: ConfigMap
metadata: {name: web-${n}, namespace: ${PLATFORM}}
data:
  a.yaml: |
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: web, namespace: default}
    data: {release: "${n}"}
---
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web, namespace: ${PLATFORM}}
spec: {source: {configMaps: [{name: web-${n}}]}, targets: {clusters: [${CLUSTER}]}}
`

const OWN = `
apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: own, namespace: ${TEAM}}
spec:
  targets: {hub: true}
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: fine, namespace: ${TEAM}}}]}}
`
