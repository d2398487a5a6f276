/** `healthChecks`: a Module waits for all that it delivers, so these have only to be among that. */
import { at, isArray, isString, type JsonValue, parseApiVersion } from '@lockstep/kube/object'
import type { FluxManifest } from '../flux/fluxmanifest.ts'
import { type FluxFiles, unitContent } from '../flux/unitcontent.ts'
import type { ModuleDraft } from './moduledraft.ts'

const PATH = ['spec', 'healthChecks']

export function readHealthChecks(draft: ModuleDraft, files: FluxFiles): void {
  const { reading, unit } = draft
  const checks = reading.value(PATH)
  if (!isArray(checks)) return
  // Flux does not read them then.
  const isWaiting = reading.value(['spec', 'wait']) === true
  const content = unitContent(files, unit)
  for (const [i, check] of checks.entries()) {
    if (isWaiting || content.some((m) => isMeant(m, check))) reading.settle([...PATH, i])
    else
      reading.lose(
        [...PATH, i],
        'a Module waits for its own objects, and this object is not known to be one of them',
        'If it is, add spec.targets; if it is external, write spec.health.expressions first.',
        true,
      )
  }
}

function isMeant(m: FluxManifest, check: JsonValue): boolean {
  const [apiVersion, kind, name, namespace] = ['apiVersion', 'kind', 'name', 'namespace'].map((f) =>
    at(check, f),
  )
  if (!isString(apiVersion) || m.kind !== kind || m.name !== name) return false
  const isThere = m.namespace === '' || namespace === undefined || m.namespace === namespace
  return isThere && m.group === parseApiVersion(apiVersion).group
}
