/** W4b, W4c, W5a, W5b: content that moves by itself, and checks that do not run again. */

import { at, isArray, type YamlPath } from '@lockstep/kube/object'
import { CHECKPOINT_LABEL } from '../../api/labels.ts'
import { annotationOf, type FluxManifest, positionOf, textAt } from '../flux/fluxmanifest.ts'
import { type FluxSource, movingChart, movingRef } from '../flux/fluxsource.ts'
import { type FluxUnit, unitText } from '../flux/fluxunit.ts'
import { type FluxFiles, filesOf, unitContent } from '../flux/unitcontent.ts'
import {
  type CheckedFlux,
  type FluxCheckRule,
  type FluxFinding,
  relatedTo,
  shortUnitText,
} from './fluxcheckrule.ts'

export const checkContent: FluxCheckRule = (c) => {
  const gated = c.set.units.filter((u) => u.edges.length > 0 || c.set.dependants(u).length > 0)
  const used = new Set(gated.flatMap((u) => (u.source && c.set.source(u.manifest, u.source)) ?? []))
  const needed = c.set.units.filter((u) => c.set.dependants(u).length > 0)
  const files = filesOf(c.set)
  return [
    ...[...used].flatMap((s) => [...moving(s), ...included(s)]),
    ...gated.flatMap(movingRelease),
    ...needed.flatMap((u) => [...jobs(c, files, u), ...releases(u)]),
  ]
}

const MOVES = (what: string): readonly string[] => [
  `${what} has new content, no object was written`,
  'a dependent is reconciled first, and applies it',
  'its dependencies follow later',
]

function moving(s: FluxSource): FluxFinding[] {
  const ref = movingRef(s)
  if (ref === undefined) return []
  const [word] = ref.split(' ')
  const field =
    s.kind === 'HelmChart' ? word : word && at(s.spec, 'ref', word) !== undefined ? `ref.${word}` : undefined
  const path = field === undefined ? ['spec'] : ['spec', ...field.split('.')]
  return [
    {
      rule: 'W4b',
      level: 'warning',
      place: positionOf(s.manifest, path, field === undefined ? 'key' : 'value'),
      related: [],
      message: `${unitText(s)} follows ${ref}: the content that dependent units apply can change without a release`,
      race: MOVES(unitText(s)),
      fix:
        s.kind === 'OCIRepository'
          ? 'Name a digest in spec.ref.'
          : s.kind === 'GitRepository'
            ? 'Name a commit in spec.ref.'
            : 'Use a source that has revisions.',
    },
  ]
}

function movingRelease(u: FluxUnit): FluxFinding[] {
  const chart: YamlPath = ['spec', 'chart', 'spec']
  const [name, version, strategy] = ['chart', 'version', 'reconcileStrategy'].map((f) =>
    textAt(u.manifest.value, ...chart, f),
  )
  if (name === undefined) return []
  // In a Git repository or bucket the chart is whatever is there: its version is no choice.
  const ref = movingChart(u.source?.kind === 'HelmRepository' ? version : '0.0.0', strategy)
  if (ref === undefined) return []
  const field = strategy === 'Revision' ? 'reconcileStrategy' : version === undefined ? 'chart' : 'version'
  return [
    {
      rule: 'W4b',
      level: 'warning',
      place: positionOf(u.manifest, [...chart, field]),
      related: [],
      message: `${unitText(u)} follows ${ref} of chart ${name}: it can change without a release`,
      race: MOVES(`chart ${name}`),
      fix: strategy === 'Revision' ? 'Set reconcileStrategy: ChartVersion.' : 'Name one version.',
    },
  ]
}

function included(s: FluxSource): FluxFinding[] {
  const list = at(s.spec, 'include')
  if (s.kind !== 'GitRepository' || !isArray(list) || list.length === 0) return []
  return [
    {
      rule: 'W4c',
      level: 'warning',
      place: positionOf(s.manifest, ['spec', 'include'], 'key'),
      related: [],
      message: `${unitText(s)} includes other repositories: its content changes with them, its revision does not`,
      race: [
        `a repository that ${s.name} includes has a new commit`,
        `Flux makes another artifact of ${s.name}, with the same revision`,
        'dependents compare revisions, find them equal, and apply new content before their dependencies do',
      ],
      fix: 'Give each unit its own source, or put everything into one repository.',
    },
  ]
}

/** What a unit applies is only known where its folder is among the files. */
function jobs(c: CheckedFlux, files: FluxFiles, u: FluxUnit): FluxFinding[] {
  const content = unitContent(files, u)
  const found = content.filter((m) => m.group === 'batch' && m.kind === 'Job')
  const silent = found.flatMap((job) => runsOnce(u, job))
  if (found.length === 0 || found.length < content.length || c.before) return silent
  return [
    ...silent,
    {
      rule: 'W5a',
      level: 'note',
      place: positionOf(u.manifest, ['spec', 'path']),
      message: `${unitText(u)} holds only Jobs: it checks something, and is not run again when that changes`,
      race: [
        'a new release changes the objects that the Job checks, not the Job',
        `nothing runs: ${shortUnitText(unitText(u))} stays Ready=True`,
        'its dependents apply, nothing was checked',
      ],
      fix: 'Let the template of the Job change with each release (lockstep post-render --release does so for its unit).',
      related: found.map((job) => relatedTo(job, ['metadata', 'name'], 'this Job')),
    },
  ]
}

const VARIABLE = '${'

function runsOnce(u: FluxUnit, job: FluxManifest): FluxFinding[] {
  const template = JSON.stringify(at(job.value, 'spec', 'template') ?? null)
  const isForced =
    u.spec.force === true || annotationOf(job, 'kustomize.toolkit.fluxcd.io/force') === 'Enabled'
  const expires = at(job.value, 'spec', 'ttlSecondsAfterFinished') !== undefined
  const changes = template.includes(VARIABLE)
  if (job.name.includes(VARIABLE) || expires || (isForced && changes)) return []
  const text = unitText(u)
  const why = isForced
    ? 'its template is the same at each release'
    : changes
      ? `its template changes, which Kubernetes refuses for an existing Job, and ${text} has no force: true`
      : `neither its name nor its template changes, and ${text} has no force: true`
  return [
    {
      rule: 'W5b',
      level: 'warning',
      place: positionOf(job, ['metadata', 'name']),
      message: `Job ${job.name} does not run again for a new release: ${why}`,
      race: [
        'release 1: the Job runs and succeeds',
        `release 2: ${isForced || !changes ? 'nothing to apply' : 'Flux fails to apply it'}`,
        isForced || !changes ? 'dependents see the success of release 1' : 'dependents wait forever',
      ],
      fix: 'Put something of the release into its template, for example by postBuild.substitute, and set force: true on its unit.',
      related: [relatedTo(u.manifest, ['metadata', 'name'], `applied by ${text}`)],
    },
  ]
}

/** In sync, Flux does not look at the health of a release again. */
function releases(u: FluxUnit): FluxFinding[] {
  const isBetween =
    u.edges.length > 0 || textAt(u.manifest.value, 'metadata', 'labels', CHECKPOINT_LABEL) === 'true'
  if (u.kind !== 'HelmRelease' || !isBetween) return []
  return [
    {
      rule: 'W5b',
      level: 'warning',
      place: positionOf(u.manifest, ['metadata', 'name']),
      related: [],
      message: `${unitText(u)} is between others, but is not checked again when its dependencies change`,
      race: [
        'a dependency has a new release, the values of the unit are equal',
        'Flux finds the release in sync: Ready=True without a health check',
        'its dependents apply',
      ],
      fix: 'Put a Kustomization with health checks, or a Job, between it and those that depend on it.',
    },
  ]
}
