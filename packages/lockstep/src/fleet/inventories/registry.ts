/** All inventories of a hub: what each says of its clusters, from caches. */

import { OptionalKind } from '@lockstep/kube/cache'
import type { Env } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { keyText, type Stored } from '@lockstep/kube/object'
import { CLUSTER_LABEL } from '../../api/labels.ts'
import { clusterSecretKind, records } from '../../api/records.ts'
import type { ClusterView } from '../clusters/cluster.ts'
import type { HubClients } from '../clusters/hubclients.ts'
import type { ClusterProxy } from '../kubeconfig/clusterproxy.ts'
import { ARGOCD_LABEL, type ArgoTrust, clusterOfArgo } from './argocd.ts'
import { clusterApiKinds, clusterOfClusterApi } from './clusterapi.ts'
import { ClusterApiKubeconfigs } from './clusterapikubeconfigs.ts'
import { clusterOfClusterProfile, clusterProfileKinds } from './clusterprofile.ts'
import { clusterOfKubeconfigSecret } from './kubeconfigsecret.ts'
import type { SecretCaches } from './secretcaches.ts'

export interface InventoryEvents {
  changed(before: ClusterView | undefined, after: ClusterView | undefined): void
  /** Everything is known: before that, absence looks like deletion. Called once. */
  synced(): void
}

/** Settings of the controller that decide which credentials on the hub it uses. */
export interface ClusterTrust extends ArgoTrust {
  /** Proxies that kubeconfigs may name. */
  readonly proxies: readonly ClusterProxy[]
}

type InventoryClients = Pick<HubClients, 'own' | 'credentials'>

const MEANWHILE = 'nothing is deployed'

export class Inventories {
  private readonly env: Env
  private readonly clients: InventoryClients
  private readonly trust: ClusterTrust
  private readonly caches: SecretCaches
  private readonly events: InventoryEvents
  private readonly parts: { stop(): void }[] = []
  /** Clusters of Cluster API, by `namespace/name`, without their kubeconfig. */
  private readonly bare = new Map<string, ClusterView>()
  private kubeconfigs: ClusterApiKubeconfigs | undefined
  private waiting = 4

  constructor(
    env: Env,
    clients: InventoryClients,
    trust: ClusterTrust,
    caches: SecretCaches,
    events: InventoryEvents,
  ) {
    const { providers, proxies } = trust
    this.env = env
    this.caches = caches
    this.clients = clients
    this.trust = trust
    this.events = events
    this.secrets(`${CLUSTER_LABEL}=true`, (s) => clusterOfKubeconfigSecret(s, proxies))
    this.secrets(`${ARGOCD_LABEL}=cluster`, (s) => clusterOfArgo(s, trust))
    const settled = (): void => this.settled()
    this.parts.push(
      new OptionalKind(
        env,
        clients.own,
        {
          definitions: records.definition,
          kinds: clusterProfileKinds,
          project: (o) => clusterOfClusterProfile(o, providers),
          meanwhile: MEANWHILE,
        },
        { changed: (before, after) => events.changed(before, after), opened: () => {}, settled },
      ),
      new OptionalKind(
        env,
        clients.own,
        {
          definitions: records.definition,
          kinds: clusterApiKinds,
          project: clusterOfClusterApi,
          meanwhile: MEANWHILE,
        },
        {
          changed: (before, after) => this.clusterApiChanged(before, after),
          opened: () => this.readKubeconfigs(),
          settled,
        },
      ),
    )
  }

  get synced(): boolean {
    return this.waiting === 0
  }

  stop(): void {
    for (const p of this.parts) p.stop()
    this.kubeconfigs?.stop()
  }

  private secrets(labelSelector: string, project: (s: Stored<Secret>) => ClusterView | undefined): void {
    const informer = this.caches.open(this.clients.credentials, {
      kind: clusterSecretKind,
      labelSelector,
      project,
    })
    informer.store.subscribe(({ before, after }) => {
      if (before || after) this.events.changed(before, after)
    })
    let isSettled = false
    informer.store.onSynced(() => {
      if (!isSettled) this.settled()
      isSettled = true
    })
    this.parts.push(informer)
  }

  /** Once there are such clusters, their Secrets are waited for as well. */
  private readKubeconfigs(): void {
    if (this.kubeconfigs) return
    if (this.waiting > 0) this.waiting++
    const { env, clients, trust, caches } = this
    this.kubeconfigs = new ClusterApiKubeconfigs(env, clients.credentials, trust.proxies, caches, {
      changed: (cluster) => this.kubeconfigChanged(cluster),
      settled: () => this.settled(),
    })
  }

  private clusterApiChanged(before: ClusterView | undefined, after: ClusterView | undefined): void {
    const key = viewKey((after ?? before)!)
    if (after) this.bare.set(key, after)
    else this.bare.delete(key)
    this.events.changed(before, after && this.withAccess(key, after))
  }

  private kubeconfigChanged(key: string): void {
    const bare = this.bare.get(key)
    if (bare) this.events.changed(bare, this.withAccess(key, bare))
  }

  private withAccess(key: string, bare: ClusterView): ClusterView {
    const access = this.kubeconfigs?.access(key)
    return access ? { ...bare, access } : bare
  }

  private settled(): void {
    if (this.waiting === 0) return
    this.waiting--
    if (this.waiting === 0) this.events.synced()
  }
}

/** The key under which a view's object is stored. */
const viewKey = (view: ClusterView): string => keyText({ namespace: view.namespace, name: view.objectName })
