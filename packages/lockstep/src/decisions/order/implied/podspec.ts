import { at, isString, type JsonValue, type KubeObject, type LabelMap } from '@lockstep/kube/object'
import { manifestName, manifestValues } from '../manifestvalues.ts'
import { labelsOf } from './parseselector.ts'

/** Where each kind of workload keeps its Pod. A map: a manifest may call its kind `constructor`. */
const POD_SPEC: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    Pod: ['spec'],
    Deployment: ['spec', 'template', 'spec'],
    StatefulSet: ['spec', 'template', 'spec'],
    DaemonSet: ['spec', 'template', 'spec'],
    ReplicaSet: ['spec', 'template', 'spec'],
    ReplicationController: ['spec', 'template', 'spec'],
    Job: ['spec', 'template', 'spec'],
    CronJob: ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
  }),
)

export const WORKLOAD_KINDS: readonly string[] = [...POD_SPEC.keys()]

export function podSpecOf(o: KubeObject): JsonValue | undefined {
  const path = POD_SPEC.get(o.kind)
  return path && at(o, ...path)
}

/** `ConfigMap/name` and `Secret/name` that a Pod reads: env, envFrom, volumes, projected ones, pull secrets. Optional ones too. */
export function configOf(podSpec: JsonValue): Set<string> {
  const found = new Set<string>()
  const add = (kind: string, name: JsonValue | undefined): void => {
    if (isString(name) && name !== '') found.add(`${kind}/${name}`)
  }
  for (const kind of ['containers', 'initContainers']) {
    for (const c of manifestValues(at(podSpec, kind))) {
      for (const e of manifestValues(at(c, 'env'))) {
        add('ConfigMap', at(e, 'valueFrom', 'configMapKeyRef', 'name'))
        add('Secret', at(e, 'valueFrom', 'secretKeyRef', 'name'))
      }
      for (const e of manifestValues(at(c, 'envFrom'))) {
        add('ConfigMap', at(e, 'configMapRef', 'name'))
        add('Secret', at(e, 'secretRef', 'name'))
      }
    }
  }
  for (const v of manifestValues(at(podSpec, 'volumes'))) {
    add('ConfigMap', at(v, 'configMap', 'name'))
    add('Secret', at(v, 'secret', 'secretName'))
    for (const p of manifestValues(at(v, 'projected', 'sources'))) {
      add('ConfigMap', at(p, 'configMap', 'name'))
      add('Secret', at(p, 'secret', 'name'))
    }
  }
  for (const s of manifestValues(at(podSpec, 'imagePullSecrets'))) add('Secret', at(s, 'name'))
  return found
}

/** The name of the account that a Pod runs as. */
export function serviceAccountOf(podSpec: JsonValue): string {
  const name = at(podSpec, 'serviceAccountName') ?? at(podSpec, 'serviceAccount')
  return isString(name) && name !== '' ? name : 'default'
}

/** Names of the claims that a Pod mounts. */
export const claimsOf = (podSpec: JsonValue): string[] =>
  manifestValues(at(podSpec, 'volumes')).flatMap(
    (v) => manifestName(at(v, 'persistentVolumeClaim', 'claimName')) ?? [],
  )

/** Labels of the Pods that it makes; undefined: it makes none. */
export function podLabelsOf(o: KubeObject): LabelMap {
  const path = POD_SPEC.get(o.kind)
  const labels = path && at(o, ...path.slice(0, -1), 'metadata', 'labels')
  return path && (labelsOf(labels) ?? {})
}
