import {
  at,
  isArray,
  type JsonObject,
  type JsonValue,
  jsonEqual,
  type KubeObject,
} from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { asObject, ensure, fill, items, within } from '../resources/objectdraft.ts'
import type { ServedKindRules } from '../resources/servedkind.ts'
import { subdomainName } from '../write/validatemeta.ts'
import { readDefinition } from './crddefinition.ts'
import { conditionsOf, statusWith, withCondition } from './definitioncondition.ts'
import { validateDefinition } from './validatedefinition.ts'

export const CLEANUP = 'customresourcecleanup.apiextensions.k8s.io'

/** CustomResourceDefinitions as an object kind (apiextensions-apiserver `customresourcedefinition/strategy.go`). */
export const definitionRules: ServedKindRules = {
  name: subdomainName,
  unconditional: false,
  generation: (next, old) => !jsonEqual(next.spec, old.spec),
  defaults(draft) {
    const spec = ensure(draft, 'spec')
    const names = ensure(spec, 'names')
    const kind = String(names.kind ?? '')
    fill(names, { singular: kind.toLowerCase(), listKind: `${kind}List` })
    fill(ensure(spec, 'conversion'), { strategy: 'None' })
    for (const column of items(spec, 'versions').flatMap((v) => items(v, 'additionalPrinterColumns')))
      if (column.priority === 0) delete column.priority
    delete spec.preserveUnknownFields
  },
  prepareCreate(draft) {
    draft.status = {
      conditions: null,
      acceptedNames: { plural: '', kind: '' },
      storedVersions: [readDefinition(asObject(draft)).storageVersion],
    }
  },
  prepareUpdate: addStoredVersion,
  validate: validateDefinition,
  warnings: definitionWarnings,
  holdsDeletion: (o) => o.metadata.deletionTimestamp === undefined,
  markDeleted: (_marked, live, now) => terminate(live, now),
}

/** What is stored and has no effect here is said when it is stored. */
function definitionWarnings(next: KubeObject, old: KubeObject | undefined): string[] {
  const out: string[] = []
  const { needsWebhook, storageVersion } = readDefinition(next)
  if (needsWebhook && !(old && readDefinition(old).needsWebhook))
    out.push(
      `spec.conversion: conversion webhooks are not called by this version of the embedded API; only the storage version ${storageVersion} is served`,
    )
  return out
}

/** The version that objects are written in from now on is remembered as one that may be stored. */
function addStoredVersion(draft: ObjectDraft, old: KubeObject): void {
  const { storageVersion } = readDefinition(asObject(draft))
  const stored = at(old, 'status', 'storedVersions')
  const status = within(draft, 'status')
  if (!status || !isArray(stored) || stored.includes(storageVersion)) return
  draft.status = { ...status, storedVersions: [...stored, storageVersion] }
}

/** A deleted definition waits until its objects are gone, and says so; no grace period, no new generation. */
function terminate(live: KubeObject, now: string): KubeObject {
  const finalizers = live.metadata.finalizers ?? []
  const conditions = withCondition(
    conditionsOf(live),
    {
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionPending',
      message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    },
    now,
  )
  const marked: KubeObject = {
    ...live,
    metadata: {
      ...live.metadata,
      deletionTimestamp: now,
      finalizers: finalizers.includes(CLEANUP) ? finalizers : [...finalizers, CLEANUP],
    },
  }
  return statusWith(marked, { conditions: conditions as readonly JsonValue[] as JsonObject[] })
}
