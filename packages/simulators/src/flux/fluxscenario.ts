/**
 * A release that goes out, as plain data: units and what they need, what of them is in which release, and in what order and when
 * it is written. The same scenario is played under Flux, with names that carry the release, and under Lockstep.
 */
import type { KubeObject } from '@lockstep/kube/object'
import type { SimulatedUnitKind } from './fluxkind.ts'

/** The release that everything is at, and the one that is written. Not numbers: as a variable in a text a number is no text. */
export const BEFORE = 'v1'
export const AFTER = 'v2'

export interface ScenarioUnit {
  readonly name: string
  readonly kind?: SimulatedUnitKind
  readonly needs?: readonly string[]
  /**
   * What moves a unit to a release: its own spec (variables of a Kustomization, values of a HelmRelease), the content of its source,
   * or a ConfigMap that it reads.
   */
  readonly carrier: 'spec' | 'source' | 'input'
  /** Names its source; units of one name share it. */
  readonly source?: string
  /** The repository that holds its content, if its source only includes that one. */
  readonly contentIn?: string
  /** A unit that only checks what it needs: with a Job, or by rules of health. */
  readonly checkpoint?: true
  /** Its objects at a release, each `tagged`. Those of a checkpoint may have a discriminator in their names. */
  readonly objects: (release: string, discriminator?: string) => readonly KubeObject[]
  /** More of the spec of its Flux object. */
  readonly spec?: (release: string) => object
  /** It is written under this name in the new release only, in place of the unit `name`, whose objects it takes over. */
  readonly renamedTo?: string
}

/** What somebody does, so many milliseconds after everything was at rest at the release before. */
export type ScenarioStep = { readonly atMs: number } & (
  | { readonly write: string }
  /** A repository gets the new release, and its source is told if `tell`. */
  | { readonly push: string; readonly tell?: boolean }
  /** The object of a source points to the new release. */
  | { readonly point: string }
  | { readonly input: string }
  | { readonly remove: string }
)

export interface FluxScenario {
  /** `W1`: which race it is. */
  readonly race: string
  readonly title: string
  readonly units: readonly ScenarioUnit[]
  readonly steps: readonly ScenarioStep[]
  /** Milliseconds after which nothing more is expected. */
  readonly endMs: number
}

const UNIT = 'world.lockstep.dev/unit'
const RELEASE = 'world.lockstep.dev/release'
const OBJECT = 'world.lockstep.dev/object'

/** What an object is of: whose, which one of it, and at which release it is so. */
export interface Tag {
  readonly unit: string
  readonly object: string
  readonly release: string
}

/**
 * The object with its tag. What a release does not change keeps the tag of the one before; what carries a discriminator in its name
 * has another name in the tag.
 */
export const tagged = (o: KubeObject, unit: string, release: string, name = o.metadata.name): KubeObject => ({
  ...o,
  metadata: {
    ...o.metadata,
    annotations: {
      ...o.metadata.annotations,
      [UNIT]: unit,
      [RELEASE]: release,
      [OBJECT]: `${o.kind}/${name}`,
    },
  },
})

export function tagOf(o: KubeObject | undefined): Tag | undefined {
  const { [UNIT]: unit, [OBJECT]: object, [RELEASE]: release } = o?.metadata.annotations ?? {}
  return unit === undefined || object === undefined || release === undefined
    ? undefined
    : { unit, object, release }
}
