/** A Module for the values of a cluster group, and what people should know before they go without the chart. */

import { err, ok, type Result } from '@lockstep/kube/env'
import {
  at,
  isObject,
  type JsonObject,
  type JsonValue,
  valuePathText,
  type YamlPath,
} from '@lockstep/kube/object'
import { API_VERSION } from '../../api/apiversion.ts'
import {
  type ClusterGroupEvaluation,
  type ClusterGroupValuesFile,
  evaluateClusterGroup,
  type FilePosition,
  type Problem,
  templateText,
} from '../../decisions/clustergroup/index.ts'
import { BUNDLE_WAIT } from '../../decisions/order/index.ts'
import { checkClusterGroup } from '../clustergroupcheck/checkclustergroup.ts'
import type { GroupFinding } from '../clustergroupcheck/groupcheckrule.ts'
import { locatePaths } from '../clustergroupcheck/locatepaths.ts'
import { isLabel } from '../fluximport/importrefusal.ts'
import { keptJobReason } from './keptjob.ts'

export interface GroupSource {
  /** Undefined: nobody can tell. */
  readonly git: { readonly url: string; readonly ref: { readonly branch: string } } | undefined
  /** Why nobody can. */
  readonly problem?: string
  /** As the Module names them, in the order of the files. */
  readonly valuesFiles: readonly string[]
  readonly namespace?: string
}

export interface ImportedGroup {
  readonly name: string
  readonly module: JsonObject
  /** By kind. */
  readonly objects: readonly { readonly kind: string; readonly count: number }[]
  readonly waits: readonly GroupWait[]
  /** Jobs that stay Jobs. */
  readonly jobs: readonly { readonly name: string; readonly wave: string; readonly why: string }[]
  readonly listed: readonly GroupListed[]
  /** Traps of the chart. */
  readonly traps: readonly GroupFinding[]
}

export interface GroupWait {
  readonly wave: string
  /** PreSync, Sync, PostSync. */
  readonly phase: string
  /** `sc fast in storage`. */
  readonly for: string
  /** `sequenceJob of odf-operator`. */
  readonly asked: string
}

export interface GroupListed {
  /** `loss`: no Module has it. `note`: nothing is lost, and people should know. */
  readonly level: 'loss' | 'note'
  readonly place: FilePosition
  readonly path: string
  readonly why: string
  readonly todo: string
}

/** Namespace of what the chart writes without one: Argo CD delivers a cluster group there. */
const NAMESPACE = 'openshift-operators'
/** Operators take longer than other objects. */
const TIMEOUT_SECONDS = 3600
const HOOK = 'argocd.argoproj.io/hook'
const WAVE = 'argocd.argoproj.io/sync-wave'
/** What the patterns operator sets, and applications are told. */
const FACTS = [
  'repoURL',
  'localClusterDomain',
  'hubClusterDomain',
  'clusterDomain',
  'clusterPlatform',
  'clusterVersion',
]

/** An error: values that are not rendered. */
export function importClusterGroup(
  files: readonly ClusterGroupValuesFile[],
  source: GroupSource,
): Result<ImportedGroup, Problem[]> {
  const looked = evaluateClusterGroup({ files, sequencing: 'Native' })
  if (!looked.ok) return looked
  const { notes, group, objects } = looked.value
  if (notes.problems.length > 0) return err(notes.problems)
  const place = locatePaths(files, (path) => notes.layers.of(path)?.file)
  const list = (level: GroupListed['level'], path: YamlPath, why: string, todo: string): GroupListed => ({
    level,
    place: place(path),
    path: valuePathText(path),
    why,
    todo: `${todo.charAt(0).toUpperCase()}${todo.slice(1)}`,
  })
  const checked = checkClusterGroup(files)
  const findings = checked.ok ? checked.value : []
  const said = templateText(group.own.get('name').value)
  const name = moduleNameOf(said)
  return ok({
    name,
    module: moduleOf(name, source),
    objects: countsOf(objects),
    waits: objects
      .filter((o) => o.kind === BUNDLE_WAIT.kind && o.apiVersion === BUNDLE_WAIT.apiVersion)
      .map(waitOf),
    jobs: objects
      .filter((o) => o.kind === 'Job')
      .map((job) => ({
        name: String(at(job, 'metadata', 'name')),
        wave: waveOf(job),
        why: keptJobReason(job),
      })),
    listed: [
      ...notes.warned
        .filter((n) => n.trap === 'Idle')
        .map((n) => list('loss', n.path, n.what.trim(), n.todo ?? 'leave it to the patterns operator')),
      ...sourceless(source).map((why) =>
        list('loss', ['clusterGroup'], why, 'add url and ref of its repository to spec.source.git'),
      ),
      ...missingFacts(looked.value).map((why) =>
        list('note', ['global'], why, 'set them in spec.render.clusterGroup.values'),
      ),
      ...argoNeeded(looked.value).map((why) =>
        list(
          'note',
          ['clusterGroup', 'applications'],
          why,
          'have one there, set global.singleArgoCD, or set render.clusterGroup.applications: Modules',
        ),
      ),
      ...findings
        .filter((f) => PROMISES.includes(f.rule))
        .map((f) => ({
          level: 'note' as const,
          place: f.place,
          path: f.path,
          why: `${f.message} (${f.rule})`,
          todo: f.fix,
        })),
      ...(name === said
        ? []
        : [
            list(
              'note',
              ['clusterGroup', 'name'],
              `is not a name of a Module; the Module is named ${name}`,
              'rename it',
            ),
          ]),
    ],
    traps: findings.filter((f) => f.rule.startsWith('G')),
  })
}

const moduleOf = (name: string, { git, valuesFiles, namespace }: GroupSource): JsonObject => ({
  apiVersion: API_VERSION,
  kind: 'Module',
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  spec: {
    ...(git ? { source: { git: git as unknown as JsonValue } } : {}),
    render: { namespace: NAMESPACE, clusterGroup: { valuesFiles, sequencing: 'Native' } },
    health: { timeoutSeconds: TIMEOUT_SECONDS },
  },
})

function moduleNameOf(text: string): string {
  if (isLabel(text)) return text
  const made = text
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 63)
    .replace(/^-+|-+$/g, '')
  return isLabel(made) ? made : 'cluster-group'
}

function countsOf(objects: readonly JsonObject[]): ImportedGroup['objects'] {
  const counts = new Map<string, number>()
  for (const { apiVersion, kind } of objects)
    if (kind !== BUNDLE_WAIT.kind || apiVersion !== BUNDLE_WAIT.apiVersion)
      counts.set(String(kind), (counts.get(String(kind)) ?? 0) + 1)
  return [...counts].map(([kind, count]) => ({ kind, count }))
}

const waveOf = (o: JsonObject): string => templateText(at(o, 'metadata', 'annotations', WAVE)) || '0'

function waitOf(o: JsonObject): GroupWait {
  const spec = isObject(o.spec) ? o.spec : {}
  const [type, name, namespace] = ['resourceType', 'resourceName', 'resourceNamespace'].map((k) =>
    templateText(spec[k]),
  )
  return {
    wave: waveOf(o),
    phase: templateText(at(o, 'metadata', 'annotations', HOOK)) || 'Sync',
    for: `${type}${name ? ` ${name}` : ', any'}${namespace ? ` in ${namespace}` : ''}`,
    asked: templateText(spec.asked),
  }
}

const sourceless = ({ git, problem }: GroupSource): string[] =>
  git ? [] : [`comes from an unknown repository${problem === undefined ? '' : `: ${problem}`}`]

/** Waves that promise less than people think, under the chart and here. */
const PROMISES: readonly string[] = ['S1', 'S5']

/** The Argo CD of the chart is not rendered, nor its namespace. */
function argoNeeded({ group, objects }: ClusterGroupEvaluation): string[] {
  const isAsked = objects.some((o) => o.kind === 'Application')
  const namespace = group.argoNamespace.text
  return isAsked
    ? [`go to namespace ${namespace}, where an Argo CD must manage them: a Module creates neither`]
    : []
}

/** Without applications nobody asks for them. */
function missingFacts({ group, objects }: ClusterGroupEvaluation): string[] {
  const absent = FACTS.filter((name) => !group.global.get(name).isTruthy)
  if (absent.length === 0 || !objects.some((o) => o.kind === 'Application')) return []
  return [
    `has no ${absent.join(', ')}: the patterns operator sets these values for applications, and no file does`,
  ]
}
