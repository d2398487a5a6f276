/** What one process of controllers may be told. */

import type { KubeClient } from '@lockstep/kube/client'
import type { AllowedHost, Env } from '@lockstep/kube/env'
import { type LeaderTerm, leaderClient, type WritesInFlight } from '@lockstep/kube/leaderelection'
import type { ExecProviders } from '../../fleet/credentials/index.ts'
import type { ClusterProxy } from '../../fleet/kubeconfig/index.ts'
import type { GitAccessOpener } from '../../gitproviders/gitaccess.ts'
import type { UpstreamSources } from '../../sources/intake/index.ts'

/** So many clusters may leave a module at once, unless somebody says otherwise. */
export const MAX_REMOVAL = '50%'

/** A slow server of one Module occupies a slot of all Modules no longer. */
export const MAX_SOURCE_TIMEOUT_MS = 120_000

/** On commits of promotions, unless somebody says otherwise: an address that nobody can have (RFC 2606). */
export const GIT_AUTHOR = 'Lockstep <lockstep@invalid>'

/** Namespace of Argo CD by default. */
export const ARGOCD_NAMESPACES: readonly string[] = ['argocd']

export interface WeaveOptions {
  /** Also those without the annotation. */
  readonly managesAll: boolean
}

export interface ManagerOptions {
  /** Where sources from outside are kept between requests; absent: a private directory. */
  readonly cacheDir?: string
  /** Git and charts for modules, which wakes who has asked when there is news; absent: over the network. */
  readonly sources?: (wake: (who: string) => void) => UpstreamSources
  /** Folder below which `file://` sources are. Absent: none is taken. */
  readonly sourceRoot?: string
  /** Hosts that namespaces may name although they are loopback, link-local or the like. */
  readonly allowHosts?: readonly AllowedHost[]
  /** Proxies that kubeconfigs on the hub may name; default: none. */
  readonly clusterProxies?: readonly ClusterProxy[]
  /** Programs that give credentials for clusters. */
  readonly providers?: ExecProviders
  /** Where cluster Secrets of Argo CD count; default `argocd`. */
  readonly argocdNamespaces?: readonly string[]
  /** Milliseconds after which what is known of a cluster that is gone is dropped; default 30 days. */
  readonly orphanRetentionMs?: number
  /** So many clusters may leave a module at once; default `MAX_REMOVAL`. */
  readonly maxRemoval?: number | string
  /** Milliseconds; a larger `spec.source.timeout` counts as this one; default `MAX_SOURCE_TIMEOUT_MS`. */
  readonly maxSourceTimeoutMs?: number
  /** Items worked on at once. */
  readonly workers?: number
  /** Git hosts and repositories of promotions; absent: over the network, by git. */
  readonly forges?: GitAccessOpener
  /** Of this process, where it says who acts. */
  readonly identity?: string
  /** `Name <address>`: author and committer of promotions; default `GIT_AUTHOR`. */
  readonly person?: string
  /** Pipelines of weaveworks' pipeline-controller are served; absent: they are not looked at. */
  readonly weave?: WeaveOptions
  /** So long this process may write. Absent: no other one works on the hub. */
  readonly term?: LeaderTerm
  /** The same for records of what this process has written, which it completes while it stops; default `term`. */
  readonly recordTerm?: LeaderTerm
  /** Counts the writes of this process. Absent: it is never asked to stop. */
  readonly writes?: WritesInFlight
}

/** Every client of the process goes through it: the one place where writes are held to the term, and counted. */
export const guardOf =
  (env: Env, { term, writes }: ManagerOptions) =>
  (client: KubeClient): KubeClient => {
    const fenced = term ? leaderClient(client, term, env.meters) : client
    return writes ? writes.guard(fenced) : fenced
  }
