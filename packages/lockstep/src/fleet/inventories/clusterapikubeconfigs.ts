/**
 * Kubeconfigs that Cluster API has written. Of all Secrets of its clusters only the metadata is watched, since private keys
 * are among them; a kubeconfig is read by its name when it is there or has changed.
 */

import type { Informer } from '@lockstep/kube/cache'
import { requestErrorText } from '@lockstep/kube/client'
import { type Cancel, type Env, ProblemLog, supervise } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { type Key, keyText, type Stored } from '@lockstep/kube/object'
import { backoffMs } from '@lockstep/kube/workqueue'
import { type CredentialReader, clusterSecretKind } from '../../api/records.ts'
import type { ClusterAccess } from '../clusters/cluster.ts'
import type { AllowedProxies } from '../kubeconfig/clusterproxy.ts'
import { CLUSTER_NAME_LABEL, clusterApiAccess, kubeconfigName } from './clusterapi.ts'
import type { SecretCaches } from './secretcaches.ts'

const AT_ONCE = 16

export interface ClusterApiKubeconfigEvents {
  /** The kubeconfig of a Cluster was read, or is gone; by `namespace/name` of the Cluster. */
  changed(cluster: string): void
  /** All that were there at the start were read. Called once. */
  settled(): void
}

export class ClusterApiKubeconfigs {
  private readonly env: Env
  private readonly client: CredentialReader
  private readonly proxies: AllowedProxies
  private readonly events: ClusterApiKubeconfigEvents
  private readonly secrets: Informer<Secret, Key>
  private readonly found = new Map<string, ClusterAccess>()
  /** To be read, by the Secret's key: how often that failed. */
  private readonly due = new Map<string, { readonly key: Key; readonly failures: number }>()
  private readonly later = new Map<string, Cancel>()
  private readonly problems: ProblemLog
  private reading = 0
  private isSettled = false
  private isStopped = false

  constructor(
    env: Env,
    client: CredentialReader,
    proxies: AllowedProxies,
    caches: SecretCaches,
    events: ClusterApiKubeconfigEvents,
  ) {
    this.env = env
    this.problems = new ProblemLog(env)
    this.client = client
    this.proxies = proxies
    this.events = events
    this.secrets = caches.open(client, {
      kind: clusterSecretKind,
      labelSelector: CLUSTER_NAME_LABEL,
      fields: 'metadata',
      project: ({ metadata }: Stored) => ({ namespace: metadata.namespace ?? '', name: metadata.name }),
    })
    this.secrets.store.subscribe(({ before, after }) => {
      if (after) this.read(after, 0)
      else if (before) this.put(before, undefined)
    })
    this.secrets.store.onSynced(() => this.settle())
  }

  /** By `namespace/name` of the Cluster. */
  access(cluster: string): ClusterAccess | undefined {
    return this.found.get(cluster)
  }

  stop(): void {
    this.isStopped = true
    this.secrets.stop()
    for (const cancel of this.later.values()) cancel()
  }

  private read(key: Key, failures: number): void {
    if (clusterOf(key) === undefined) return
    this.due.set(keyText(key), { key, failures })
    this.next()
  }

  private next(): void {
    for (const [text, { key, failures }] of this.due) {
      if (this.reading >= AT_ONCE || this.isStopped) return
      this.due.delete(text)
      this.reading++
      supervise(this.env, async () => {
        await this.readOne(key, failures)
        this.reading--
        this.settle()
        this.next()
      })
    }
  }

  private async readOne(key: Key, failures: number): Promise<void> {
    const answer = await this.client.get(clusterSecretKind, key, { purpose: 'sync' })
    if (this.isStopped || this.due.has(keyText(key))) return
    const secret = keyText(key)
    if (answer.ok || answer.error.kind === 'NotFound')
      this.problems.end(secret, 'SecretRead', `Secret ${secret} can be read again`)
    if (answer.ok) return this.put(key, clusterApiAccess(answer.value, this.proxies))
    if (answer.error.kind === 'NotFound') return this.put(key, undefined)
    // What was read before stays: a cluster is not lost because the hub stumbles.
    const err = requestErrorText(answer.error)
    this.problems.begin(secret, 'SecretUnreadable', `Secret ${secret} cannot be read`, { err })
    const { clock, random } = this.env
    this.later.get(keyText(key))?.()
    this.later.set(
      keyText(key),
      clock.at(clock.steady() + backoffMs(failures, random), () => this.read(key, failures + 1)),
    )
  }

  private put(key: Key, access: ClusterAccess | undefined): void {
    const cluster = clusterOf(key)
    if (cluster === undefined) return
    this.due.delete(keyText(key))
    this.later.get(keyText(key))?.()
    this.later.delete(keyText(key))
    if (access) this.found.set(cluster, access)
    else this.found.delete(cluster)
    this.events.changed(cluster)
  }

  private settle(): void {
    const isBusy = this.reading > 0 || this.due.size > 0
    if (this.isSettled || isBusy || this.secrets.store.freshness.state === 'Syncing') return
    this.isSettled = true
    this.events.settled()
  }
}

const SUFFIX = kubeconfigName('')

/** Whose kubeconfig it is, by the name of the Secret. */
const clusterOf = ({ namespace = '', name = '' }: Key): string | undefined =>
  name.endsWith(SUFFIX) && name.length > SUFFIX.length
    ? `${namespace}/${name.slice(0, -SUFFIX.length)}`
    : undefined
