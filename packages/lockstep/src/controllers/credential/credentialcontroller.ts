/**
 * Renews tokens in cluster Secrets that ask for it. Everything goes to the server that the same Secret names, with the token
 * that the same Secret holds; a Secret that changes at that time is not written.
 */
import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type Env, ProblemLog } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import type { Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import { MANAGER, RENEW_ANNOTATION } from '../../api/labels.ts'
import { type CredentialWriter, clusterSecretKind } from '../../api/records.ts'
import type { ClusterView, Fleet } from '../../fleet/clusters/index.ts'
import {
  renewalRetryMs,
  renewalTime,
  renewedData,
  renewedToken,
  secretRenewal,
} from '../../fleet/credentials/index.ts'
import type { ClusterProxy } from '../../fleet/kubeconfig/index.ts'
import {
  type Controller,
  defineController,
  done,
  type EventRecorder,
  failed,
  type ObjectKey,
  objectKey,
  onCluster,
  type Request,
  requestOf,
  requeueAfter,
} from '../runtime/index.ts'

const NAME = 'credential'
/** Milliseconds until a far renewal is checked again: a clock may have been set. */
const MOST_WAIT_MS = 24 * 3_600_000

export interface CredentialDeps {
  readonly env: Env
  readonly hub: { readonly credentials: CredentialWriter }
  readonly fleet: Pick<Fleet, 'viewOf' | 'credentialLife'>
  readonly events: EventRecorder
  /** Proxies that kubeconfigs may name. */
  readonly clusterProxies: readonly ClusterProxy[]
}

/** Its Secret asks for renewal. */
export const isRenewed = ({ kind, annotations }: ClusterView): boolean =>
  kind === 'Secret' && annotations[RENEW_ANNOTATION] !== undefined

const keyOfView = ({ namespace, objectName }: ClusterView): ObjectKey =>
  objectKey.of({ namespace, name: objectName })

export const credentialRequest = (view: ClusterView): Request => requestOf(NAME, keyOfView(view))

export function credentialController(d: CredentialDeps): Controller<ObjectKey> {
  const renewer = new CredentialRenewer(d)
  return defineController({
    name: NAME,
    key: objectKey,
    watches: [onCluster(isRenewed, (view) => [keyOfView(view)])],
    reconcile: (key) => renewer.reconcile(key),
  })
}

class CredentialRenewer {
  private readonly d: CredentialDeps
  /** By Secret. */
  private readonly problems: ProblemLog

  constructor(d: CredentialDeps) {
    this.d = d
    this.problems = new ProblemLog(d.env)
  }

  async reconcile({ namespace, name }: ObjectKey): Promise<ReconcileResult> {
    const { env, fleet } = this.d
    const view = fleet.viewOf({ kind: 'Secret', namespace, objectName: name })
    const life = view && isRenewed(view) ? fleet.credentialLife(view) : undefined
    // Without an end nothing is due; after the end the server refuses the token that would ask for another.
    if (!view || life?.of !== 'Token' || env.clock.now() >= life.endsAt) {
      this.problems.forget(`${namespace}/${name}`)
      return done
    }
    const left = renewalTime(life, view.uid) - env.clock.now()
    if (left > 0) return requeueAfter(Math.min(left, MOST_WAIT_MS))
    const renewed = await this.renew({ namespace, name })
    if (renewed === undefined) return done
    if ('kind' in renewed) return failed(renewed)
    this.report(`${namespace}/${name}`, renewed.problem)
    return requeueAfter(renewalRetryMs(life))
  }

  /** Undefined: the Secret has a new token, or is another by now. */
  private async renew(key: {
    readonly namespace: string
    readonly name: string
  }): Promise<RequestError | { readonly problem: string } | undefined> {
    const { env, hub } = this.d
    const found = await hub.credentials.get(clusterSecretKind, key, { purpose: 'renewal' })
    if (!found.ok) return found.error.kind === 'NotFound' ? undefined : found.error
    const { uid, resourceVersion, annotations } = found.value.metadata
    if (annotations?.[RENEW_ANNOTATION] === undefined) return undefined
    const renewal = secretRenewal(found.value, this.d.clusterProxies)
    if (!renewal.ok) return { problem: renewal.error }
    const { endpoint, account, seconds, kubeconfig } = renewal.value
    const by = { namespace: key.namespace }
    const server = { cluster: key.name, endpoint, by, agent: 'lockstep-controller' }
    const token = await renewedToken(env, server, account, seconds)
    const data = token.ok ? renewedData(kubeconfig, token.value) : token
    if (!data.ok) return { problem: data.error }
    const options = { purpose: 'renewal', manager: MANAGER, precondition: { uid, resourceVersion } } as const
    const written = await hub.credentials.patch(clusterSecretKind, key, { data: data.value }, options)
    if (!written.ok)
      return written.error.kind === 'Forbidden' ? { problem: requestErrorText(written.error) } : written.error
    this.renewed(written.value)
    return undefined
  }

  private renewed(secret: Stored<Secret>): void {
    const { env, events } = this.d
    const { namespace, name } = secret.metadata
    env.meters.count('lockstep_credential_renewals_total', { result: 'renewed' })
    // The line of the Event says that it is over.
    this.problems.forget(`${namespace}/${name}`)
    const text = 'the token of the cluster was renewed'
    const of = secret.metadata.resourceVersion
    events.record(secret, [{ type: 'Normal', reason: 'CredentialRenewed', action: 'Renew', text, of }])
  }

  /** A problem is logged when it begins; its renewals are counted. `cluster`: as its Secret. */
  private report(cluster: string, err: string): void {
    this.d.env.meters.count('lockstep_credential_renewals_total', { result: 'failed' })
    const message = 'the token of the cluster could not be renewed'
    this.problems.begin(cluster, 'RenewalFailed', message, { controller: NAME, cluster, err })
  }
}
