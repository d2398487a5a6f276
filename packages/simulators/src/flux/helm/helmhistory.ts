/** What a HelmRelease's status tells of its Helm releases, and how they end. */
import { isArray, type JsonValue, type KubeObject } from '@lockstep/kube/object'
import { durationMs, type HelmReleaseSpec } from '../fluxkind.ts'
import type { FluxSubject } from '../fluxsubject.ts'
import { type HelmClient, uninstall } from './helmclient.ts'
import type { HelmRun } from './helmrun.ts'
import { type Release, releaseDigest } from './helmstore.ts'

/** `status.history[]`. */
export interface HelmSnapshot {
  readonly name: string
  readonly namespace: string
  readonly version: number
  readonly status: string
  readonly chartName: string
  readonly chartVersion: string
  readonly configDigest: string
  readonly digest: string
  readonly ociDigest?: string
  readonly action?: 'install' | 'upgrade'
  readonly firstDeployed: string
  readonly lastDeployed: string
}

/** Newest first. */
export function helmHistoryOf(subject: FluxSubject): readonly HelmSnapshot[] {
  const list = subject.field('history')
  return isArray(list) ? (list as unknown as readonly HelmSnapshot[]) : []
}

export const latestOf = (subject: FluxSubject): HelmSnapshot | undefined => helmHistoryOf(subject)[0]

/** The newest in front; of the older ones only the last that was deployed stays, to go back to. */
export function record(
  subject: FluxSubject,
  r: Release,
  action: 'install' | 'upgrade',
  ociDigest: string,
): void {
  const { manifest: _, ...shown } = r
  const next: HelmSnapshot = {
    ...shown,
    digest: releaseDigest(r),
    action,
    ...(ociDigest === '' ? {} : { ociDigest }),
  }
  const older = helmHistoryOf(subject).filter((s) => s.version !== r.version)
  const previous = older.find((s) => s.status === 'deployed' || s.status === 'superseded')
  const kept =
    previous && r.status === 'deployed' ? [{ ...previous, status: 'superseded' }] : previous ? [previous] : []
  subject.set({ history: [next, ...kept] as unknown as JsonValue })
}

export const clearHistory = (subject: FluxSubject): void =>
  subject.set({
    history: undefined,
    storageNamespace: undefined,
    inventory: undefined,
    failures: undefined,
    installFailures: undefined,
    upgradeFailures: undefined,
  })

/** Where the release of a HelmRelease is, and what it is called. */
export function storageOf(o: KubeObject, spec: HelmReleaseSpec) {
  const { name = '', namespace = '' } = o.metadata
  const composed = spec.targetNamespace ? `${spec.targetNamespace}-${name}` : name
  return {
    name: spec.releaseName || composed,
    namespace: spec.targetNamespace || namespace,
    storageNamespace: spec.storageNamespace || namespace,
  }
}

export const fullName = ({ namespace, name, version }: HelmSnapshot): string =>
  `${namespace}/${name}.v${version}`

export const timeoutOfRelease = ({ timeout = '5m' }: HelmReleaseSpec): number => durationMs(timeout)

/** Conflicts are always forced. */
export const clientOf = ({ c }: HelmRun): HelmClient => ({
  env: c.x.env,
  api: c.x.api,
  manager: c.manager,
  pauseMs: c.x.settings.delays.apply,
  force: true,
  stop: c.x.stop,
})

/** Uninstalls what the status names; false: it has to be tried again. */
export async function uninstallRelease(run: HelmRun): Promise<boolean> {
  const { subject, spec } = run
  const last = latestOf(subject)
  if (!last) return true
  const storage = String(subject.field('storageNamespace'))
  const done = await uninstall(clientOf(run), last.name, storage, timeoutOfRelease(spec))
  if (!done.ok) {
    const text = `Helm uninstall failed for release ${last.namespace}/${last.name} with chart ${last.chartName}@${last.chartVersion}: ${done.error}`
    subject.mark('Released', 'False', 'UninstallFailed', text)
    subject.mark('Ready', 'False', 'UninstallFailed', text)
    return false
  }
  const text = `Helm uninstall succeeded for release ${fullName(last)} with chart ${last.chartName}@${last.chartVersion}`
  subject.mark('Released', 'False', 'UninstallSucceeded', text)
  subject.mark('Ready', 'False', 'UninstallSucceeded', text)
  return true
}
