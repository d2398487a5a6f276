/**
 * Values files of a Validated Pattern in, the objects of its cluster group out: what chart clustergroup 0.9.55 renders of them,
 * but for Argo CD itself and what keeps the pattern running.
 */
import { err, ok, type Result } from '@lockstep/kube/env'
import type { JsonObject } from '@lockstep/kube/object'
import { clusterGroupModules, type GroupModuleFacts } from '../modules/clustergroupmodules.ts'
import { CLUSTER_GROUP_SHAPE } from '../schema/clustergroupshape.ts'
import { checkShape } from '../schema/shape.ts'
import { DEFAULTS } from '../values/defaults.ts'
import { ValuesField } from '../values/field.ts'
import { type Group, groupOf, type Sequencing } from '../values/group.ts'
import {
  type ClusterGroupValuesFile,
  inlineLayer,
  Layers,
  readLayer,
  type ValuesLayer,
} from '../values/layers.ts'
import { overDefaults } from '../values/merge.ts'
import { Notes } from '../values/notes.ts'
import type { Problem } from '../values/problem.ts'
import { noteUnusedValues } from '../values/unusedvalues.ts'
import { applications } from './applications.ts'
import { argoProjects } from './argoprojects.ts'
import { catalogSources, extraObjects, nodes, scheduler } from './extraobjects.ts'
import { namespaces } from './namespaces.ts'
import { subscriptions } from './subscriptions.ts'

export interface ClusterGroupInput {
  /** From left to right. */
  readonly files: readonly ClusterGroupValuesFile[]
  /** Over all files, and what people call the place where they stand. */
  readonly inline?: { readonly place: string; readonly values: JsonObject }
  /** Skip: no Application. Modules: one in place of each. */
  readonly applications?: 'Objects' | 'Modules' | 'Skip'
  /** Modules: what they go by. */
  readonly facts?: GroupModuleFacts
  /** Absent: Jobs, as the chart does it. */
  readonly sequencing?: Sequencing['mode']
  /** Absent: true. */
  readonly extraObjectWaits?: boolean
}

export interface ClusterGroupObjects {
  readonly objects: readonly JsonObject[]
  /** One line each: file, path, what people should know. */
  readonly warnings: readonly string[]
}

/** All problems of the first stage that has some; nothing is rendered then. */
export function renderClusterGroup(input: ClusterGroupInput): Result<ClusterGroupObjects, Problem[]> {
  const made = evaluateClusterGroup(input)
  if (!made.ok) return made
  const { notes, objects } = made.value
  return notes.problems.length > 0 ? err(notes.problems) : ok({ objects, warnings: notes.warnings })
}

/** Values with all that is said of them. */
export interface ClusterGroupEvaluation {
  readonly notes: Notes
  readonly group: Group
  /** None that counts where `notes` has problems. */
  readonly objects: readonly JsonObject[]
}

/**
 * The same for those who want more of it than objects. `goesOn`: templates look at what the schema refuses, too, so that all
 * that is wrong is told at once. An error: files that cannot be read.
 */
export function evaluateClusterGroup(
  input: ClusterGroupInput,
  goesOn = false,
): Result<ClusterGroupEvaluation, Problem[]> {
  const layers: ValuesLayer[] = []
  const unread: Problem[] = []
  for (const file of input.files) {
    const layer = readLayer(file)
    if ('stage' in layer) unread.push(layer)
    else layers.push(layer)
  }
  if (unread.length > 0) return err(unread)
  if (input.inline) layers.push(inlineLayer(input.inline.place, input.inline.values))
  const notes = new Notes(new Layers(layers))
  const values = overDefaults(notes.layers.merged, DEFAULTS)
  checkShape(notes, CLUSTER_GROUP_SHAPE, [], values)
  const { sequencing: mode = 'Jobs', extraObjectWaits = true } = input
  const group = groupOf(notes, values, { mode, extraObjectWaits })
  if (notes.problems.length > 0 && !goesOn) return ok({ notes, group, objects: [] })
  for (const { path, from, to } of notes.layers.rounded)
    notes.warn(path, `: ${from} becomes ${to}: numbers are doubles`, {
      todo: 'quote it to keep it',
      trap: 'G7',
    })
  const others = objectsOf(group, input)
  const objects = [...others, ...applicationsOf(group, input, others)]
  noteUnusedValues(group, new ValuesField(notes, [], notes.layers.merged))
  return ok({ notes, group, objects })
}

/** In the order of the templates. Projects say what Argo CD may deliver: without its Applications they are nobody's. */
const objectsOf = (g: Group, { applications: how }: ClusterGroupInput): JsonObject[] => [
  ...namespaces(g),
  ...catalogSources(g),
  ...subscriptions(g),
  ...nodes(g),
  ...scheduler(g),
  ...extraObjects(g),
  ...(how === 'Modules' ? [] : argoProjects(g)),
]

function applicationsOf(
  g: Group,
  { applications: how = 'Objects', facts }: ClusterGroupInput,
  others: readonly JsonObject[],
): JsonObject[] {
  switch (how) {
    case 'Objects':
      return applications(g)
    case 'Modules':
      return clusterGroupModules(g, facts ?? { git: undefined }, others)
    case 'Skip':
      return []
  }
}
