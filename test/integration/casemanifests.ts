/** What the modules of the cases consist of. */
import { defineKind, type Kind } from '../../packages/kube/src/object/kind.ts'

export const config = (name: string, namespace: string, data: Record<string, string>, wave?: number) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace,
    ...(wave === undefined ? {} : { annotations: { 'argocd.argoproj.io/sync-wave': `${wave}` } }),
  },
  data,
})

export const deployment = (name: string, namespace: string, image: string, wave?: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name,
    namespace,
    ...(wave === undefined ? {} : { annotations: { 'argocd.argoproj.io/sync-wave': `${wave}` } }),
  },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'main', image }] } },
  },
})

export const jobKind: Kind = defineKind({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
})

export const job = (name: string, namespace: string, image: string) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } } },
})

/** A definition of a group of its own, with required fields to be refused by. */
export const definition = (group: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `gadgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { kind: 'Gadget', plural: 'gadgets', singular: 'gadget', listKind: 'GadgetList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['size'],
                properties: { size: { type: 'integer', minimum: 1 } },
              },
            },
          },
        },
      },
    ],
  },
})

/** The same with a status that its operator writes. */
export const reporting = (group: string) => {
  const crd = definition(group)
  const [v1] = crd.spec.versions
  const { openAPIV3Schema: schema } = v1!.schema
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const openAPIV3Schema = { ...schema, properties: { ...schema.properties, status } }
  return {
    ...crd,
    spec: { ...crd.spec, versions: [{ ...v1, subresources: { status: {} }, schema: { openAPIV3Schema } }] },
  }
}

export const gadgetKind = (group: string): Kind =>
  defineKind({ group, version: 'v1', kind: 'Gadget', plural: 'gadgets', namespaced: true })

export const gadget = (group: string, name: string, namespace: string, size: number) => ({
  apiVersion: `${group}/v1`,
  kind: 'Gadget',
  metadata: { name, namespace },
  spec: { size },
})
