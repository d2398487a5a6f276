/** Cluster of Cluster API, with no more than what is read of it: the demo has no Cluster API to bring it along. */
import { clusterApiKinds } from '../../../../fleet/inventories/index.ts'

const flag = { type: 'boolean' }
const object = (properties: object) => ({ type: 'object', properties })

export function clusterDefinition() {
  const { group, version, kind, plural } = clusterApiKinds[0]!
  const endpoint = object({ host: { type: 'string' }, port: { type: 'integer' } })
  const initialization = object({ infrastructureProvisioned: flag, controlPlaneInitialized: flag })
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: object({
              spec: object({ paused: flag, controlPlaneEndpoint: endpoint }),
              status: object({ initialization }),
            }),
          },
        },
      ],
    },
  }
}
