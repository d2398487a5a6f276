/** What a rule finds: where, what goes wrong in which order, and what to do. */
import type { YamlPath } from '@lockstep/kube/object'
import type { FilePosition } from '../../decisions/clustergroup/index.ts'
import { type FluxManifest, positionOf } from '../flux/fluxmanifest.ts'
import type { FluxSet } from '../flux/fluxset.ts'
import type { FluxRuleId } from './fluxruletable.ts'

export type FluxFindingLevel = 'error' | 'warning' | 'note'

export interface FluxFinding {
  readonly rule: FluxRuleId
  readonly level: FluxFindingLevel
  readonly place: FilePosition
  readonly message: string
  /** How it goes wrong, step by step. */
  readonly race: readonly string[]
  readonly fix: string
  /** Other places that belong to it. */
  readonly related: readonly RelatedPosition[]
}

export interface RelatedPosition {
  readonly place: FilePosition
  readonly message: string
}

/** What is checked. */
export interface CheckedFlux {
  readonly set: FluxSet
  /** The state before a change: then findings are about the change, too. */
  readonly before?: FluxSet
  /** The controllers run with AdditiveCELDependencyCheck: what they compare by themselves stays. */
  readonly additiveGate: boolean
}

/** A file of rules: looks at everything, once. */
export type FluxCheckRule = (c: CheckedFlux) => readonly FluxFinding[]

export const relatedTo = (
  m: FluxManifest,
  field: YamlPath,
  message: string,
  what: 'value' | 'key' = 'value',
): RelatedPosition => ({ place: positionOf(m, field, what), message })

/** `apps/front` of `Kustomization apps/front`: steps of a race are told in few words. */
export const shortUnitText = (unit: string): string => unit.slice(unit.indexOf(' ') + 1)
