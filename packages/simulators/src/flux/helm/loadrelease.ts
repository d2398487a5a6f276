/** What a HelmRelease's release needs next, until nothing does (`internal/reconcile/atomic_release.go`, `state.go`). */
import { err, ok, type Result } from '@lockstep/kube/env'
import { canonicalJson, isObject, type JsonValue, type KubeObject, sha256Hex } from '@lockstep/kube/object'
import type { ChartArtifact } from '../artifacts.ts'
import { artifactOf, goDuration } from '../fluxkind.ts'
import type { FluxSubject } from '../fluxsubject.ts'
import { inputValues } from '../inputvalues.ts'
import { entriesOf, idOf } from '../inventoryid.ts'
import { waitForHealth } from '../waitforhealth.ts'
import { unlock, upgrade } from './helmclient.ts'
import {
  clientOf,
  fullName,
  helmHistoryOf,
  latestOf,
  record,
  storageOf,
  timeoutOfRelease,
} from './helmhistory.ts'
import { failing, type HelmEnd, type HelmRun, stalled } from './helmrun.ts'
import { HelmStore, isPending, type Release } from './helmstore.ts'

/** What is to be released. */
export interface LoadedRelease {
  /** Its version has the digest of its image behind a plus, if it has one. */
  readonly chart: ChartArtifact
  readonly values: JsonValue
  readonly configDigest: string
  readonly ociDigest: string
}

type LoadProblem = { readonly missing: true } | { readonly reason: string; readonly message: string }

/** Spec fields whose effect is not played here: refused, never ignored. */
const NOT_SIMULATED = [
  'commonMetadata',
  'driftDetection',
  'kubeConfig',
  'postRenderers',
  'rollback',
  'serviceAccountName',
  'test',
]

export function loadRelease({ c, subject, spec }: HelmRun, source: KubeObject): LoadedRelease | LoadProblem {
  const refused = NOT_SIMULATED.filter((name) => Object.hasOwn(spec, name)).map((f) => `spec.${f}`)
  for (const action of ['install', 'upgrade'] as const)
    for (const name of Object.keys(spec[action] ?? {}))
      if (name !== 'disableWait') refused.push(`spec.${action}.${name}`)
  if (refused.length > 0) return { reason: 'FactoryError', message: `not simulated: ${refused.join(', ')}` }
  const values = inputValues(c.x.api, subject.object.metadata.namespace ?? '', spec)
  if (!values.ok) return { reason: 'ValuesError', message: values.error }
  const artifact = artifactOf(source)
  const chart = artifact && c.x.artifacts.fetch(artifact.digest)?.charts?.[0]
  if (!artifact || !chart) return { missing: true }
  const isDigested = source.kind === 'OCIRepository'
  const ociDigest = isDigested ? artifact.revision.slice(artifact.revision.lastIndexOf('@') + 1) : ''
  const hex = ociDigest.slice(ociDigest.indexOf(':') + 1, ociDigest.indexOf(':') + 13)
  return {
    chart: isDigested ? { ...chart, version: `${chart.version.split('+')[0]}+${hex}` } : chart,
    values: values.value,
    configDigest: `sha256:${sha256Hex(canonicalJson(values.value))}`,
    ociDigest,
  }
}

/** Installs or upgrades until the release is what is wanted; undefined: it is. */
export async function reconcileRelease(run: HelmRun, loaded: LoadedRelease): Promise<HelmEnd | undefined> {
  const { c, subject, spec, patcher } = run
  const target = storageOf(subject.object, spec)
  attempt(subject, loaded, target.storageNamespace)
  const store = new HelmStore(c.x.api, target.storageNamespace, c.manager)
  let hasReleased = false
  for (;;) {
    const [last] = store.history(target.name)
    if (last && isPending(last)) {
      unlock(clientOf(run), target.name, target.storageNamespace)
      continue
    }
    const need = needOf(subject, loaded, last)
    if (need === undefined) {
      inSync(subject)
      return undefined
    }
    if (Number(subject.field('failures') ?? 0) > 0) {
      const action = String(subject.field('lastAttemptedReleaseAction'))
      subject.stalled('RetriesExceeded', `Failed to ${action} after 1 attempt(s)`)
      return stalled
    }
    if (hasReleased) return failing
    const message = `Running '${need}' action with timeout of ${goDuration(timeoutOfRelease(spec))}`
    subject.reconciling('Progressing', message)
    subject.mark('Ready', 'Unknown', 'Progressing', message)
    if (!(await patcher.patch()).ok) return failing
    if (!(await act(run, loaded, need))) return failing
    hasReleased = true
    if (!(await patcher.patch()).ok) return failing
  }
}

/** Failures count for one generation, chart version and set of values. */
function attempt(
  subject: FluxSubject,
  { chart, configDigest, ociDigest }: LoadedRelease,
  storageNamespace: string,
): void {
  const isNew =
    subject.field('lastAttemptedGeneration') !== subject.generation ||
    subject.field('lastAttemptedRevision') !== chart.version ||
    subject.field('lastAttemptedConfigDigest') !== configDigest
  subject.set({
    ...(isNew ? { failures: undefined, installFailures: undefined, upgradeFailures: undefined } : {}),
    storageNamespace,
    lastAttemptedGeneration: subject.generation,
    lastAttemptedRevision: chart.version,
    lastAttemptedRevisionDigest: ociDigest === '' ? undefined : ociDigest,
    lastAttemptedConfigDigest: configDigest,
  })
}

function needOf(
  subject: FluxSubject,
  { chart, configDigest }: LoadedRelease,
  last: Release | undefined,
): 'install' | 'upgrade' | undefined {
  if (!last || last.status === 'uninstalled') return 'install'
  if (helmHistoryOf(subject).length === 0 || last.status !== 'deployed') return 'upgrade'
  const isSame =
    last.chartName === chart.name && last.chartVersion === chart.version && last.configDigest === configDigest
  return isSame ? undefined : 'upgrade'
}

/** The last action went well: that is all. Nothing in the cluster is looked at. */
function inSync(subject: FluxSubject): void {
  subject.drop('Reconciling')
  const released = subject.get('Released')
  if (released?.status !== 'True') return
  subject.drop('Stalled')
  subject.mark('Ready', 'True', released.reason, released.message)
}

/** False: nothing was remembered, so it is tried again. */
async function act(run: HelmRun, loaded: LoadedRelease, action: 'install' | 'upgrade'): Promise<boolean> {
  const { c, subject, spec } = run
  const { chart, values, configDigest, ociDigest } = loaded
  const target = storageOf(subject.object, spec)
  subject.set({ lastAttemptedReleaseAction: action })
  const waits = spec[action]?.disableWait !== true
  const done = await upgrade(clientOf(run), {
    ...target,
    chart,
    configDigest,
    documents: chart.templates(isObject(values) ? values : {}),
    ...(waits ? { wait: (manifest) => healthOf(run, manifest) } : {}),
  })
  const [last] = new HelmStore(c.x.api, target.storageNamespace, c.manager).history(target.name)
  const isStored = done.ok || done.error.stored
  if (last && isStored) record(subject, last, action, ociDigest)
  if (last && isStored) subject.set({ inventory: entriesOf(last.manifest.map(idOf)) })
  const title = action === 'install' ? 'Install' : 'Upgrade'
  const where = `${target.namespace}/${target.name}`
  if (done.ok) {
    const snapshot = latestOf(subject)!
    const text = `Helm ${action} succeeded for release ${fullName(snapshot)} with chart ${chart.name}@${chart.version}`
    mark(subject, 'True', `${title}Succeeded`, text)
    return true
  }
  const text = `Helm ${action} failed for release ${where} with chart ${chart.name}@${chart.version}: ${done.error.message}`
  mark(subject, 'False', `${title}Failed`, text)
  subject.set({ failures: Number(subject.field('failures') ?? 0) + 1 })
  if (isStored) subject.set({ [`${action}Failures`]: 1 })
  else subject.set({ failures: undefined })
  return isStored
}

function mark(subject: FluxSubject, status: 'True' | 'False', reason: string, message: string): void {
  subject.mark('Released', status, reason, message)
  subject.mark('Ready', status, reason, message)
}

async function healthOf(
  { c, spec }: HelmRun,
  manifest: readonly KubeObject[],
): Promise<Result<undefined, string>> {
  const done = await waitForHealth(c, manifest.map(idOf), {
    pollMs: c.x.settings.delays.poll,
    timeoutMs: timeoutOfRelease(spec),
    failFast: true,
    rules: spec.healthCheckExprs ?? [],
  })
  return done.ok ? ok(undefined) : err(done.error)
}
