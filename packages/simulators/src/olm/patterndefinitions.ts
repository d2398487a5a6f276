/** Definitions of what a cluster group delivers: kinds of Operator Lifecycle Manager, ClusterExtensions, Applications and AppProjects. */
import { deepFreeze, type KubeObject } from '@lockstep/kube/object'
import generated from './crds.generated.json' with { type: 'json' }

const definitions = deepFreeze(generated.definitions as unknown as KubeObject[])

/** CustomResourceDefinitions as OLM and Argo CD install them, without descriptions (`scripts/generate-olm-crds.js`). */
export const patternDefinitions = (): readonly KubeObject[] => definitions
