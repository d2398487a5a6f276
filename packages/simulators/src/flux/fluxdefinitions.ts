/** Definitions of Flux's kinds: Kustomization, HelmRelease and the sources, at the versions that are current. */
import { deepFreeze, type KubeObject } from '@lockstep/kube/object'
import generated from './crds.generated.json' with { type: 'json' }

const definitions = deepFreeze(generated.definitions as unknown as KubeObject[])

/** CustomResourceDefinitions as Flux's controllers install them, without descriptions (`scripts/generate-flux-crds.js`). */
export const fluxDefinitions = (): readonly KubeObject[] => definitions
