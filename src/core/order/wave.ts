import { err, ok, type Result } from '../../env/result.ts'
import { type KubeObject, refOf, refText } from '../../object/object.ts'
import type { OrderFailure } from './graph.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const WEIGHT = 'helm.sh/hook-weight'
const HOOKS = ['argocd.argoproj.io/hook', 'helm.sh/hook']

/** The wave of an object: `sync-wave`; if absent or not a number, `hook-weight`; else 0 (gitops-engine `syncwaves/waves.go`). */
export function waveOf(o: KubeObject): number {
  const { annotations } = o.metadata
  return integer(annotations?.[WAVE]) ?? integer(annotations?.[WEIGHT]) ?? 0
}

export const usesWaves = (o: KubeObject): boolean => o.metadata.annotations?.[WAVE] !== undefined

function integer(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d{1,9}$/.test(text) ? Number(text) : undefined
}

/**
 * Hooks are refused, rather than applied as plain objects at the wrong time: this version delivers none. Helm's
 * `crd-install` is a plain object, as for Argo CD.
 */
export function refuseHooks(objects: readonly KubeObject[]): Result<void, OrderFailure> {
  for (const o of objects) {
    for (const name of HOOKS) {
      const value = o.metadata.annotations?.[name]
      if (value === undefined || value === 'crd-install') continue
      const message = `${refText(refOf(o))}: ${name} has value "${value}"; hooks are not delivered by this version: remove the annotation or the object`
      return err({ reason: 'InvalidAnnotation', message })
    }
  }
  return ok(undefined)
}
