import { createHash } from 'node:crypto'
import { deepFreeze, type JsonObject } from '@lockstep/kube/object'
import { structuralSchema } from '@lockstep/kube/schema'
import { GROUP } from '../apiversion.ts'
import type { OwnKind } from '../kinds/ownkind.ts'
import { SCHEMA_ANNOTATION } from '../labels.ts'
import { ownKinds, sharedKinds } from '../registry.ts'
import { definitionName, schemaNumber } from './schemanumber.ts'

const OURS = { 'app.kubernetes.io/part-of': 'lockstep' } as const

/** Selects what an installation has. */
export const OUR_SELECTOR = Object.entries(OURS)
  .map(([key, value]) => `${key}=${value}`)
  .join(',')

/** A definition with these labels is Lockstep's, also in the group of another project. */
export const isOurDefinition = (labels: Readonly<Record<string, string>> | undefined): boolean =>
  Object.entries(OURS).every(([key, value]) => labels?.[key] === value)

/** The CustomResourceDefinition of one of our kinds. */
export function crdOf(kind: OwnKind): JsonObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: definitionName(kind),
      labels: { ...OURS, ...kind.labels },
      ...(kind.group === GROUP ? { annotations: { [SCHEMA_ANNOTATION]: String(schemaNumber(kind)) } } : {}),
    },
    spec: specOf(kind),
  }
}

/** Digest of a definition: another one gets the next schema number. */
export const definitionDigest = (kind: OwnKind): string =>
  createHash('sha256')
    .update(JSON.stringify(specOf(kind)))
    .digest('hex')

const specOf = (kind: OwnKind): JsonObject => ({
  group: kind.group,
  scope: 'Namespaced',
  names: {
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    plural: kind.plural,
    singular: kind.singular,
    shortNames: kind.shortNames,
    categories: ['lockstep'],
  },
  versions: [
    {
      name: kind.version,
      served: true,
      storage: true,
      schema: { openAPIV3Schema: rootSchema(kind) },
      subresources: { status: {} },
      additionalPrinterColumns: kind.columns.map(({ instead: _ours, ...c }) => c),
    },
  ],
})

const rootSchemas = new WeakMap<OwnKind, JsonObject>()

/** Derived from the records once in a process: that costs as much as hundreds of requests. */
function rootSchema(kind: OwnKind): JsonObject {
  const known = rootSchemas.get(kind)
  if (known) return known
  const derived = deepFreeze(deriveRootSchema(kind))
  rootSchemas.set(kind, derived)
  return derived
}

function deriveRootSchema(kind: OwnKind): JsonObject {
  return {
    type: 'object',
    description: kind.summary,
    required: ['spec'],
    ...(kind.rules ? { 'x-kubernetes-validations': kind.rules.map((r) => ({ ...r })) } : {}),
    properties: {
      apiVersion: { description: 'Version of the API, as group/version.', type: 'string' },
      kind: { description: 'Kind of the object.', type: 'string' },
      // An API server refuses a description here: it brings its own.
      metadata: { type: 'object' },
      spec: { description: `Desired state of the ${kind.kind}.`, ...structuralSchema(kind.spec) },
      ...(kind.status
        ? {
            status: {
              description: `Observed state of the ${kind.kind}.`,
              ...structuralSchema(kind.status),
            },
          }
        : {}),
    },
  }
}

export const ownCrds = (): JsonObject[] => ownKinds.map(crdOf)

/** Definitions of Cluster API kinds, for hubs without Cluster API. */
export const sharedCrds = (): JsonObject[] => sharedKinds.map(crdOf)
