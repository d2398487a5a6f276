/** What a rule finds: where, what goes wrong in which order, and what to do. */
import type { YamlPath } from '../../../../kube/src/object/index.ts'
import { type FilePlace, type Manifest, placeOf } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import type { RuleId } from './fluxruletable.ts'

export type Level = 'error' | 'warning' | 'note'

export interface FluxFinding {
  readonly rule: RuleId
  readonly level: Level
  readonly place: FilePlace
  readonly message: string
  /** How it goes wrong, step by step. */
  readonly race: readonly string[]
  readonly fix: string
  /** Other places that belong to it. */
  readonly related: readonly Related[]
}

export interface Related {
  readonly place: FilePlace
  readonly message: string
}

/** What is checked. */
export interface Checked {
  readonly set: FluxSet
  /** The state before a change: then findings are about the change, too. */
  readonly before?: FluxSet
  /** The controllers run with AdditiveCELDependencyCheck: what they compare by themselves stays. */
  readonly additiveGate: boolean
}

/** A file of rules: looks at everything, once. */
export type Look = (c: Checked) => readonly FluxFinding[]

export const relatedTo = (
  m: Manifest,
  field: YamlPath,
  message: string,
  what: 'value' | 'key' = 'value',
): Related => ({ place: placeOf(m, field, what), message })

/** `apps/front` of `Kustomization apps/front`: steps of a race are told in few words. */
export const short = (unit: string): string => unit.slice(unit.indexOf(' ') + 1)
