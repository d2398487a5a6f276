/** What a hub has where weaveworks' pipeline-controller is, or was. */
const KEEPS = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const STATUS = {
  ...KEEPS,
  properties: {
    environments: { type: 'object', additionalProperties: { ...KEEPS, properties: { promotion: KEEPS } } },
  },
}
/** Of weaveworks' Pipelines, with as much of a schema as our status needs. */
export const weaveDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'pipelines.pipelines.weave.works' },
  spec: {
    group: 'pipelines.weave.works',
    scope: 'Namespaced',
    names: { kind: 'Pipeline', listKind: 'PipelineList', plural: 'pipelines', singular: 'pipeline' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: KEEPS, status: STATUS } } },
      },
    ],
  },
}
