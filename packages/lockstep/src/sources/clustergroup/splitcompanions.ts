/** Of what was rendered: Modules that are to be beside this one, apart from what is for clusters. */

import { type KubeObject, member } from '@lockstep/kube/object'
import type { Application } from '../../decisions/clustergroup/index.ts'
import { integer } from '../../decisions/order/index.ts'
import type { SourceManifest } from '../intake/renderplain.ts'

export function splitCompanions(manifests: readonly SourceManifest[]): {
  readonly manifests: SourceManifest[]
  readonly applications: Application[]
} {
  const isFor = (companion: boolean) => (m: SourceManifest) => (m.companion === true) === companion
  return {
    manifests: manifests.filter(isFor(false)),
    applications: manifests.filter(isFor(true)).map(({ object }) => applicationOf(object)),
  }
}

function applicationOf(o: KubeObject): Application {
  const { metadata, spec } = o as KubeObject & Pick<Application, 'spec'>
  const said = member(metadata.annotations ?? {}, 'argocd.argoproj.io/sync-wave')
  // What is no whole number is 0, as there.
  const wave = integer(String(said)) ?? 0
  return { name: metadata.name ?? '', wave, isPlaced: said !== undefined, spec }
}
