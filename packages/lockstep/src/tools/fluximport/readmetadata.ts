/** Labels and annotations of a unit, and on which cluster it acts. */
import { isObject, isString, type JsonValue } from '@lockstep/kube/object'
import { textAt } from '../flux/fluxmanifest.ts'
import type { FluxUnit } from '../flux/fluxunit.ts'
import type { ModuleDraft } from './moduledraft.ts'

export type MetadataTexts = Readonly<Record<string, string>>

/** Those of the unit that are not for Flux. */
export function readMetadata(draft: ModuleDraft, field: 'labels' | 'annotations'): MetadataTexts {
  const all = draft.reading.value(['metadata', field])
  if (!isObject(all)) return {}
  const kept: [string, string][] = []
  for (const [key, value] of Object.entries(all)) {
    const path = ['metadata', field, key]
    if (isOfFlux(key)) draft.reading.note(path, 'it is for Flux', 'Nothing.')
    else if (isString(value)) {
      kept.push([key, value])
      draft.reading.settle(path)
    }
  }
  return Object.fromEntries(kept)
}

const isOfFlux = (key: string): boolean => /(^|\.)fluxcd\.io\//.test(key)

const SECRET = ['spec', 'kubeConfig', 'secretRef']
/** Where the kubeconfig of a cluster is looked for. */
const KEYS: readonly JsonValue[] = ['kubeconfig', 'value']

/** The Secret of the cluster to which a Kustomization goes; undefined: where Flux is. */
export const clusterOf = (u: FluxUnit): string | undefined =>
  textAt(u.spec, 'kubeConfig', 'secretRef', 'name')

export function readTargets(draft: ModuleDraft): void {
  const { reading } = draft
  const isRemote = reading.value(['spec', 'kubeConfig']) !== undefined
  const cluster = clusterOf(draft.unit)
  if (!isRemote) draft.imply(['targets'], { hub: true })
  if (cluster !== undefined) {
    const label = 'lockstep.dev/cluster=true'
    const name = [...SECRET, 'name']
    draft.set(['targets', 'clusters'], [cluster], name)
    const why = `Secret ${cluster} is a cluster once it has the label ${label}`
    reading.note(name, why, `kubectl label secret ${cluster} ${label}`)
  }
  const key = reading.value([...SECRET, 'key'])
  if (KEYS.includes(key ?? null)) reading.settle([...SECRET, 'key'])
  else if (key !== undefined) {
    const why = 'the kubeconfig of a cluster is under the key kubeconfig or value'
    reading.lose([...SECRET, 'key'], why, 'Write it there too, then add spec.targets.', true)
  }
  const map = ['spec', 'kubeConfig', 'configMapRef']
  if (reading.value(map) !== undefined) {
    const todo = 'Make such a Secret, and name it in spec.targets.clusters.'
    reading.lose(map, 'clusters are Secrets with a kubeconfig', todo, true)
  }
}
