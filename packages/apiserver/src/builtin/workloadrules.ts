import {
  at,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
} from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, fill, items, within } from '../resources/objectdraft.ts'
import { forbidden, invalid } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { IMMUTABLE } from '../status/invalid.ts'
import { defaultPodSpec } from './defaultpod.ts'
import type { SpecialRules } from './specialrules.ts'

const specChanged = (next: KubeObject, old: KubeObject): boolean => !jsonEqual(next.spec, old.spec)
const templateSpec = (o: ObjectDraft): ObjectDraft | undefined => within(o, 'spec', 'template', 'spec')

/** Selectors choose what the template makes, and never change (kubernetes pkg/apis/apps/validation). */
function selectorFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  const selector = at(next, 'spec', 'selector')
  const out: FieldError[] = []
  const labels = at(next, 'spec', 'template', 'metadata', 'labels')
  const wanted = at(selector, 'matchLabels')
  const misses =
    isObject(wanted) && Object.entries(wanted).some(([k, v]) => !isObject(labels) || labels[k] !== v)
  if (misses)
    out.push(
      invalid(
        'spec.template.metadata.labels',
        (labels ?? null) as JsonValue,
        '`selector` does not match template `labels`',
      ),
    )
  if (old && !jsonEqual(selector, at(old, 'spec', 'selector')))
    out.push(invalid('spec.selector', (selector ?? null) as JsonValue, IMMUTABLE))
  return out
}

const deployment: SpecialRules = {
  generation: (next, old) =>
    specChanged(next, old) || !jsonEqual(next.metadata.annotations, old.metadata.annotations),
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
    const strategy = ensure(spec, 'strategy')
    fill(strategy, { type: 'RollingUpdate' })
    if (strategy.type === 'RollingUpdate')
      fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: '25%', maxSurge: '25%' })
    defaultPodSpec(templateSpec(o))
  },
  validate: selectorFindings,
}

const replicaSet: SpecialRules = {
  generation: specChanged,
  defaults(o) {
    fill(ensure(o, 'spec'), { replicas: 1 })
    defaultPodSpec(templateSpec(o))
  },
  validate: selectorFindings,
  fields: { 'status.replicas': (o) => String(at(o, 'status', 'replicas') ?? 0) },
}

const replicationController: SpecialRules = {
  generation: specChanged,
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { replicas: 1 })
    const labels = within(spec, 'template', 'metadata', 'labels')
    if (labels) fill(spec, { selector: labels })
    defaultPodSpec(templateSpec(o))
  },
  fields: { 'status.replicas': (o) => String(at(o, 'status', 'replicas') ?? 0) },
}

const CHANGEABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]

const statefulSet: SpecialRules = {
  generation: specChanged,
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 })
    const strategy = ensure(spec, 'updateStrategy')
    fill(strategy, { type: 'RollingUpdate' })
    if (strategy.type === 'RollingUpdate') fill(ensure(strategy, 'rollingUpdate'), { partition: 0 })
    fill(ensure(spec, 'persistentVolumeClaimRetentionPolicy'), {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
    })
    for (const claim of items(spec, 'volumeClaimTemplates')) {
      fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' })
      fill(ensure(claim, 'spec'), { volumeMode: 'Filesystem' })
      fill(ensure(claim, 'status'), { phase: 'Pending' })
    }
    defaultPodSpec(templateSpec(o))
  },
  validate(next, old) {
    if (!old) return selectorFindings(next, undefined)
    if (jsonEqual(fixed(next), fixed(old))) return selectorFindings(next, undefined)
    const quoted = CHANGEABLE.map((f) => `'${f}'`)
    return [
      forbidden(
        'spec',
        `updates to statefulset spec for fields other than ${quoted.slice(0, -1).join(', ')} and ${quoted[quoted.length - 1]} are forbidden`,
      ),
    ]
  },
}

const fixed = (o: KubeObject): JsonObject =>
  Object.fromEntries(Object.entries(o.spec as JsonObject).filter(([k]) => !CHANGEABLE.includes(k)))

const GENERATION = 'deprecated.daemonset.template.generation'

const daemonSet: SpecialRules = {
  generation: specChanged,
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, { revisionHistoryLimit: 10 })
    const strategy = ensure(spec, 'updateStrategy')
    fill(strategy, { type: 'RollingUpdate' })
    if (strategy.type === 'RollingUpdate')
      fill(ensure(strategy, 'rollingUpdate'), { maxUnavailable: 1, maxSurge: 0 })
    defaultPodSpec(templateSpec(o))
  },
  prepareCreate: (o) => setTemplateGeneration(o, 1),
  prepareUpdate(o, old) {
    const before = Number(old.metadata.annotations?.[GENERATION] ?? 0)
    const isNew = !jsonEqual(at(o, 'spec', 'template'), at(old, 'spec', 'template'))
    setTemplateGeneration(o, isNew ? before + 1 : before)
  },
  validate: selectorFindings,
}

/** An old counter that apps/v1 keeps as an annotation. */
function setTemplateGeneration(o: ObjectDraft, n: number): void {
  const meta = within(o, 'metadata')
  o.metadata = { ...meta, annotations: { ...within(meta, 'annotations'), [GENERATION]: String(n) } }
}

const controllerRevision: SpecialRules = {
  validate: (next, old) =>
    old && !jsonEqual(next.data, old.data)
      ? [invalid('data', (next.data ?? null) as JsonValue, IMMUTABLE)]
      : [],
}

export const workloadRules: Readonly<Record<string, SpecialRules>> = {
  'Deployment.apps': deployment,
  'ReplicaSet.apps': replicaSet,
  'StatefulSet.apps': statefulSet,
  'DaemonSet.apps': daemonSet,
  'ControllerRevision.apps': controllerRevision,
  ReplicationController: replicationController,
}
