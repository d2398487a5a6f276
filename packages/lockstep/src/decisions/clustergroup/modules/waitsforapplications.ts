/**
 * Later waves of a cluster group wait for its applications of earlier ones, as a wave of Argo CD waits for Applications. Who has
 * nothing of the group behind it holds nothing, nor does one that nobody has put into a wave (ADR 0085). Pure.
 */
import { at, isString, type JsonObject } from '@lockstep/kube/object'
import { BUNDLE_WAIT, isBundleWait } from '../../order/bundlewait.ts'
import { integer } from '../../order/dialect/orderdialect.ts'
import { WAVE } from '../../order/waves.ts'

const HOOK = 'argocd.argoproj.io/hook'

/** `applications` and `others` as they are rendered: what the group delivers itself. */
export const waitsForApplications = (
  applications: readonly JsonObject[],
  others: readonly JsonObject[],
): JsonObject[] =>
  applications.flatMap((application) => {
    const wave = waveOf(application)
    const name = String(at(application, 'metadata', 'name') ?? '')
    if (wave === undefined || !others.some((o) => isBehind(o, wave))) return []
    return [
      {
        ...BUNDLE_WAIT,
        metadata: { name: `application-${name}`, annotations: { [WAVE]: String(wave) } },
        spec: { application: name, asked: `application ${name}` },
      },
    ]
  })

/** What is no whole number is 0, as there; undefined: it is in none. */
function waveOf(o: JsonObject): number | undefined {
  const said = at(o, 'metadata', 'annotations', WAVE)
  if (said === undefined || said === null) return undefined
  return integer(String(said)) ?? 0
}

/** It is applied, or runs, after that wave. */
function isBehind(o: JsonObject, wave: number): boolean {
  if (isBundleWait(o as never)) return false
  const said = at(o, 'metadata', 'annotations', HOOK)
  const phases = isString(said) ? said.split(',').map((p) => p.trim()) : ['Sync']
  return phases.includes('PostSync') || (phases.includes('Sync') && (waveOf(o) ?? 0) > wave)
}
