/** Helm's memory: a Secret for each revision of a release. */

import type { LocalApi } from '@lockstep/apiserver/server'
import {
  at,
  base64ToBytes,
  bytesToBase64,
  canonicalJson,
  type KubeObject,
  sha256Hex,
} from '@lockstep/kube/object'

export type ReleaseStatus =
  | 'pending-install'
  | 'pending-upgrade'
  | 'deployed'
  | 'superseded'
  | 'failed'
  | 'uninstalled'

export interface Release {
  readonly name: string
  readonly namespace: string
  readonly version: number
  readonly status: ReleaseStatus
  readonly chartName: string
  readonly chartVersion: string
  readonly configDigest: string
  readonly firstDeployed: string
  readonly lastDeployed: string
  readonly manifest: readonly KubeObject[]
}

export const isPending = (r: Release): boolean => r.status.startsWith('pending-')

export const releaseDigest = (r: Release): string => `sha256:${sha256Hex(canonicalJson(r))}`

/** Where releases of a name are kept: a namespace of the cluster. */
export class HelmStore {
  private readonly api: LocalApi
  private readonly namespace: string
  private readonly manager: string

  constructor(api: LocalApi, namespace: string, manager: string) {
    this.api = api
    this.namespace = namespace
    this.manager = manager
  }

  /** All revisions, newest first. */
  history(name: string): Release[] {
    return this.secrets(name)
      .map(releaseOf)
      .sort((a, b) => b.version - a.version)
  }

  put(release: Release): void {
    const secret = secretOf(release, this.namespace)
    const old = this.api.get('secrets', this.namespace, secret.metadata.name ?? '')
    if (!old) this.api.create(secret, this.manager)
    else
      this.api.update({ ...old, ...secret, metadata: { ...old.metadata, ...secret.metadata } }, this.manager)
  }

  /** Forgets a release. */
  purge(name: string): void {
    for (const { metadata } of this.secrets(name))
      this.api.delete('secrets', this.namespace, metadata.name ?? '', this.manager)
  }

  private secrets(name: string): KubeObject[] {
    return this.api
      .list('secrets', this.namespace)
      .filter((o) => o.metadata.labels?.owner === 'helm' && o.metadata.labels.name === name)
  }
}

function secretOf(r: Release, namespace: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: `sh.helm.release.v1.${r.name}.v${r.version}`,
      namespace,
      labels: { owner: 'helm', name: r.name, status: r.status, version: String(r.version) },
    },
    type: 'helm.sh/release.v1',
    data: { release: bytesToBase64(new TextEncoder().encode(JSON.stringify(r))) },
  }
}

const releaseOf = (secret: KubeObject): Release =>
  JSON.parse(new TextDecoder().decode(base64ToBytes(String(at(secret, 'data', 'release'))))) as Release
