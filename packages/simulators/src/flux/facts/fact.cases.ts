/** What is known of Flux, as cases: a row of the table of facts, what holds, and a play that shows it on the simulation. */
import type { KubeObject } from '../../../../kube/src/object/index.ts'
import type { ArtifactContent } from '../artifacts.ts'
import { config, git, type Playground, type PlaygroundOptions, URL, unit } from '../playground.cases.ts'

export interface Fact {
  /** The row, in words. */
  readonly row: string
  readonly holds: string
  readonly options?: PlaygroundOptions
  readonly play: (p: Playground) => Promise<void>
}

/** Folders `a` and `b`, each with a ConfigMap of its name at a release. */
export const contentOf = (release: string): ArtifactContent => ({
  objects: { a: [config('a', { release })], b: [config('b', { release })] },
})

/** Puts them into the repository. */
export function publish(
  p: Playground,
  release: string,
  more: Readonly<Record<string, readonly KubeObject[]>> = {},
): string {
  const objects = { ...contentOf(release).objects, ...more }
  return p.artifacts.publish(URL, 'main', { objects })
}

export const needsA = { dependsOn: [{ name: 'a' }] }

export const readyMessage = (p: Playground, name: string): string | undefined =>
  p.condition('Kustomization', name)?.message

export const isReady = (p: Playground, name: string): boolean =>
  p.condition('Kustomization', name)?.status === 'True'

/** `a` and, needing it, `b`, both ready at a release of one repository. */
export async function settled(p: Playground, spec: object = {}): Promise<void> {
  publish(p, '1')
  p.start()
  p.apply(git(), unit('a'), unit('b', { ...needsA, ...spec }))
  await p.until('b is ready', () => isReady(p, 'b'))
  await p.pass(1000)
}
