/** An order that manifests imply without saying so: a Namespace before what is in it, an account before who runs as it. */
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import type { Ask, Strength } from '../ordergraph.ts'
import type { BundleIndex } from './bundleindex.ts'

/** All of `from` come before all of `to`. */
export interface Implied {
  readonly from: readonly KubeObject[]
  readonly to: readonly KubeObject[]
  readonly ask: Ask
  readonly strength: Strength
  readonly why: string
  readonly expression?: string
}

/** A row of the table, asked of each object of some kinds; most rows say what comes before it. */
export type Row = (o: KubeObject, index: BundleIndex) => readonly Implied[]

/** What comes before `to`; nothing where nothing does. */
export function before(
  from: readonly (KubeObject | undefined)[],
  to: KubeObject,
  why: string,
  ask: Ask = 'Applied',
): readonly Implied[] {
  const found = from.filter((o) => o !== undefined && o !== to) as readonly KubeObject[]
  return found.length === 0 ? NONE : [{ from: found, to: [to], ask, strength: 'Preferred', why }]
}

export const NONE: readonly Implied[] = []

/** Kinds of a table by `group/Kind`. */
export const kindsOf = (table: ReadonlyMap<string, unknown>): readonly string[] =>
  [...table.keys()].map((id) => id.slice(id.lastIndexOf('/') + 1))
