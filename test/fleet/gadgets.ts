/** A kind that the cluster does not serve by itself, and an object of it. */

export const GADGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'gadgets.x.test' },
  spec: {
    group: 'x.test',
    scope: 'Namespaced',
    names: { plural: 'gadgets', singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}

export const gadget = (namespace: string) => ({
  apiVersion: 'x.test/v1',
  kind: 'Gadget',
  metadata: { name: 'g', namespace },
})
