import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, fill, items, within } from '../resources/objectdraft.ts'

/** Defaults of pods that only code knows (kubernetes pkg/apis/core/v1/defaults.go). */
export function defaultPodSpec(spec: ObjectDraft | undefined): void {
  if (!spec) return
  fill(spec, {
    dnsPolicy: 'ClusterFirst',
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: {},
    terminationGracePeriodSeconds: 30,
  })
  mirrorAccount(spec)
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const c of items(spec, list)) defaultContainer(c, spec.hostNetwork === true)
  for (const v of items(spec, 'volumes')) defaultVolume(v)
}

/** The account has two names; each is told where the other is. */
function mirrorAccount(spec: ObjectDraft): void {
  const name = spec.serviceAccountName ?? spec.serviceAccount
  if (name === undefined || name === '') return
  spec.serviceAccountName = name
  spec.serviceAccount = name
}

function defaultContainer(c: ObjectDraft, hostNetwork: boolean): void {
  fill(c, {
    imagePullPolicy: pullPolicy(String(c.image ?? '')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  })
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) defaultProbe(within(c, probe))
  for (const hook of ['postStart', 'preStop']) defaultHttp(within(c, 'lifecycle', hook, 'httpGet'))
  for (const e of items(c, 'env')) fill(within(e, 'valueFrom', 'fieldRef'), { apiVersion: 'v1' })
  for (const p of items(c, 'ports')) {
    fill(p, { protocol: 'TCP' })
    if (hostNetwork && p.containerPort !== undefined) fill(p, { hostPort: p.containerPort })
  }
}

/** `Always` for no tag and for `latest`, else `IfNotPresent`. A digest is as good as a tag. */
function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent'
  const name = image.slice(image.lastIndexOf('/') + 1)
  const colon = name.indexOf(':')
  return colon < 0 || name.slice(colon + 1) === 'latest' ? 'Always' : 'IfNotPresent'
}

function defaultProbe(probe: ObjectDraft | undefined): void {
  if (!probe) return
  // Zero means "not said" to Go, so it is filled like an absent one.
  for (const [name, value] of [
    ['timeoutSeconds', 1],
    ['periodSeconds', 10],
    ['successThreshold', 1],
    ['failureThreshold', 3],
  ] as const)
    if (!probe[name]) probe[name] = value
  defaultHttp(within(probe, 'httpGet'))
  fill(within(probe, 'grpc'), { service: '' })
}

function defaultHttp(get: ObjectDraft | undefined): void {
  if (!get) return
  if (!get.path) get.path = '/'
  if (!get.scheme) get.scheme = 'HTTP'
}

const WITH_MODE = ['secret', 'configMap', 'downwardAPI', 'projected'] as const

function defaultVolume(v: ObjectDraft): void {
  if (Object.keys(v).every((k) => k === 'name')) v.emptyDir = {}
  for (const source of WITH_MODE) fill(within(v, source), { defaultMode: 420 })
  fill(within(v, 'hostPath'), { type: '' })
  fill(within(v, 'ephemeral', 'volumeClaimTemplate', 'spec'), { volumeMode: 'Filesystem' })
  const projected = items(within(v, 'projected'), 'sources')
  for (const s of projected) fill(within(s, 'serviceAccountToken'), { expirationSeconds: 3600 })
  const downward = [within(v, 'downwardAPI'), ...projected.map((s) => within(s, 'downwardAPI'))]
  for (const d of downward)
    for (const item of items(d, 'items')) fill(within(item, 'fieldRef'), { apiVersion: 'v1' })
}

/** A pod itself has more than the pods of a template: limits become requests, services become variables. */
export function defaultPod(pod: ObjectDraft): void {
  const spec = ensure(pod, 'spec')
  defaultPodSpec(spec)
  fill(spec, { enableServiceLinks: true })
  for (const c of [...items(spec, 'initContainers'), ...items(spec, 'containers')]) {
    const limits = within(c, 'resources', 'limits')
    if (!limits) continue
    const requests = ensure(ensure(c, 'resources'), 'requests')
    for (const [name, value] of Object.entries(limits))
      if (requests[name] === undefined) requests[name] = value
  }
}

/** BestEffort, Burstable or Guaranteed, by requests and limits of cpu and memory. */
export function qosClass(spec: ObjectDraft | undefined): string {
  const all = [...items(spec, 'initContainers'), ...items(spec, 'containers')]
  let isGuaranteed = all.length > 0
  let hasAny = false
  for (const c of all)
    for (const r of ['cpu', 'memory']) {
      const limit = within(c, 'resources', 'limits')?.[r]
      const request = within(c, 'resources', 'requests')?.[r] ?? limit
      if (limit !== undefined || request !== undefined) hasAny = true
      if (limit === undefined || String(limit) !== String(request)) isGuaranteed = false
    }
  if (!hasAny) return 'BestEffort'
  return isGuaranteed ? 'Guaranteed' : 'Burstable'
}
