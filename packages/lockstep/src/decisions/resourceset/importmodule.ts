/** A Module for what a ClusterResourceSet delivers, for people who go on without the set. Pure. */

import { err, ok, type Result } from '@lockstep/kube/env'
import { API_VERSION } from '../../api/apiversion.ts'
import { type ClusterResourceSet, type ModuleSpecGiven, SET } from '../../api/kinds/index.ts'
import { companionName, companionSpec, isModuleName } from './companionspec.ts'
import { settingsOf } from './setsettings.ts'

export interface ModuleOfSet {
  readonly apiVersion: string
  readonly kind: 'Module'
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: ModuleSpecGiven
}

/**
 * The same objects to the same clusters, and what the set has delivered becomes the Module's. A Module knows one way of
 * delivering: whatever the mode of the set, it looks after what it delivers. What is wrong with its settings is told.
 */
export function importModule(set: ClusterResourceSet): Result<ModuleOfSet, readonly string[]> {
  const { name = '', namespace = '', annotations = {} } = set.metadata
  const asked = {
    ...set,
    metadata: { ...set.metadata, annotations: { ...annotations, [SET.mode]: 'Continuous' } },
  }
  const { settings, problems } = settingsOf(asked)
  if (!settings) return err(problems.map((p) => p.message))
  return ok({
    apiVersion: API_VERSION,
    kind: 'Module',
    metadata: { name: isModuleName(name) ? name : companionName(name), namespace },
    spec: companionSpec(set, settings),
  })
}
