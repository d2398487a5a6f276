/** All dialects, and what all annotations of one object say together. */
import { err, ok, type Result } from '@lockstep/kube/env'
import { isString, type KubeObject, refOf, refText } from '@lockstep/kube/object'
import { type OrderFailure, orderFailure } from '../ordergraph.ts'
import { argoDialect } from './argodialect.ts'
import { cliUtilsDialect } from './cliutilsdialect.ts'
import { fluxDialect } from './fluxdialect.ts'
import { helmDialect } from './helmdialect.ts'
import { kappDialect } from './kappdialect.ts'
import {
  type AnnotationEffect,
  type AnnotationReader,
  type AnnotationRefusal,
  type DialectName,
  isRefusal,
  type OrderDialect,
} from './orderdialect.ts'
import { ownDialect, STEP_ANNOTATION } from './owndialect.ts'

/** In the order in which they are told. */
const ALL: readonly OrderDialect[] = [
  ownDialect,
  argoDialect,
  helmDialect,
  kappDialect,
  cliUtilsDialect,
  fluxDialect,
]

/** One annotation that says something. */
export interface AnnotationNote {
  readonly dialect: DialectName
  readonly key: string
  readonly effect: AnnotationEffect
}

export type Dialects = readonly Exclude<DialectName, 'Own'>[]

/** Reads the annotations of an object, in the order of their keys. Most objects have none that says anything. */
export type NotesOf = (o: KubeObject) => Result<readonly AnnotationNote[], OrderFailure>

const NONE = ok([])

/** `enabled` absent: all. */
export function dialectsReader(enabled: Dialects | undefined): NotesOf {
  const dialects = ALL.filter((d) => d.name === 'Own' || !enabled || enabled.includes(d.name))
  const byKey = new Map<string, readonly [OrderDialect, AnnotationReader]>()
  for (const d of dialects) for (const [key, read] of d.keys) byKey.set(key, [d, read])
  const prefixes = dialects.flatMap((d) =>
    (d.prefixes ?? []).map(([prefix, read]) => [prefix, [d, read]] as const),
  )
  const find = (key: string) => byKey.get(key) ?? prefixes.find(([prefix]) => key.startsWith(prefix))?.[1]
  return (o) => {
    const { annotations, labels } = o.metadata
    if (!annotations && !labels) return NONE
    const notes: AnnotationNote[] = []
    for (const [key, value] of written(annotations, labels, (k) => find(k)?.[0].labels === true)) {
      const found = find(key)
      if (!found || isElsewhere(found[0], key, o)) continue
      const [{ name }, read] = found
      const effect = read(value, o)
      if (isRefusal(effect)) return err(refused(o, key, value, effect))
      notes.push({ dialect: name, key, effect })
    }
    return ok(notes)
  }
}

/** Annotations, and labels that are keys too, sorted. */
function written(
  annotations: KubeObject['metadata']['annotations'],
  labels: KubeObject['metadata']['labels'],
  isLabel: (key: string) => boolean,
): [string, string][] {
  const pairs: [string, string][] = []
  for (const [key, value] of Object.entries(labels ?? {})) if (isLabel(key)) pairs.push([key, value])
  for (const [key, value] of Object.entries(annotations ?? {})) if (isString(value)) pairs.push([key, value])
  return pairs.length < 2 ? pairs : pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
}

/** On a ClusterResourceSet our keys are about what it delivers to other clusters; only the step is none of its settings. */
const isElsewhere = ({ name }: OrderDialect, key: string, o: KubeObject): boolean =>
  name === 'Own' &&
  key !== STEP_ANNOTATION &&
  o.kind === 'ClusterResourceSet' &&
  o.apiVersion.startsWith('addons.cluster.x-k8s.io/')

function refused(o: KubeObject, key: string, value: string, why: AnnotationRefusal): OrderFailure {
  const object = refText(refOf(o))
  return 'allowed' in why
    ? orderFailure('InvalidAnnotation', { object, key, value: `"${value}"`, allowed: why.allowed })
    : orderFailure('UnsupportedAnnotation', { object, key, detail: why.unsupported })
}
