/** An order that manifests imply without saying so: a Namespace before what is in it, an account before who runs as it. */
import type { KubeObject } from '@lockstep/kube/object'
import type { EdgeStrength, RequiredState } from '../ordergraph.ts'
import type { BundleIndex } from './bundleindex.ts'

/** All of `from` come before all of `to`. */
export interface ImpliedEdge {
  readonly from: readonly KubeObject[]
  readonly to: readonly KubeObject[]
  readonly ask: RequiredState
  readonly strength: EdgeStrength
  readonly why: string
  readonly expression?: string
}

/** A row of the table, asked of each object of some kinds; most rows say what comes before it. */
export type ImpliedRule = (o: KubeObject, index: BundleIndex) => readonly ImpliedEdge[]

/** What comes before `to`; nothing where nothing does. */
export function edgesBefore(
  from: readonly (KubeObject | undefined)[],
  to: KubeObject,
  why: string,
  ask: RequiredState = 'Applied',
): readonly ImpliedEdge[] {
  const found = from.filter((o) => o !== undefined && o !== to) as readonly KubeObject[]
  return found.length === 0 ? NO_EDGES : [{ from: found, to: [to], ask, strength: 'Preferred', why }]
}

export const NO_EDGES: readonly ImpliedEdge[] = []

/** Kinds of a table by `group/Kind`. */
export const kindsOf = (table: ReadonlyMap<string, unknown>): readonly string[] =>
  [...table.keys()].map((id) => id.slice(id.lastIndexOf('/') + 1))
