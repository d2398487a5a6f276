import type { Schema } from './schematypes.ts'

const text: Schema = { type: 'string' }
const time: Schema = { type: 'string', format: 'date-time' }
const texts: Schema = { type: 'object', additionalProperties: text }
const flag: Schema = { type: 'boolean' }

/**
 * `meta/v1` ObjectMeta as the OpenAPI document of Kubernetes describes it: the type of metadata in custom resources, and
 * of what they embed.
 */
export const objectMetaSchema: Schema = {
  type: 'object',
  properties: {
    annotations: texts,
    creationTimestamp: time,
    deletionGracePeriodSeconds: { type: 'integer', format: 'int64' },
    deletionTimestamp: time,
    finalizers: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
    generateName: text,
    generation: { type: 'integer', format: 'int64' },
    labels: texts,
    managedFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'object',
        properties: {
          apiVersion: text,
          fieldsType: text,
          fieldsV1: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          manager: text,
          operation: text,
          subresource: text,
          time,
        },
      },
    },
    name: text,
    namespace: text,
    ownerReferences: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
      items: {
        type: 'object',
        'x-kubernetes-map-type': 'atomic',
        required: ['apiVersion', 'kind', 'name', 'uid'],
        properties: {
          apiVersion: text,
          blockOwnerDeletion: flag,
          controller: flag,
          kind: text,
          name: text,
          uid: text,
        },
      },
    },
    resourceVersion: text,
    selfLink: text,
    uid: text,
  },
}
