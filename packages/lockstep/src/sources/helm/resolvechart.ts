/** A chart with its values as what a module is made of: its inputs, and the manifests that Helm makes of them. */

import { err, ok, type Result } from '@lockstep/kube/env'
import type { ModuleSpec } from '../../api/kinds/index.ts'
import type { ResolvedInput } from '../../decisions/revision/index.ts'
import { ignoreWarning } from '../clustergroup/clustergroupmanifests.ts'
import { revisionText } from '../git/gitref.ts'
import type { HubReader, ResolvedSource } from '../intake/resolvedsource.ts'
import { fault, inField, type SourceFailure } from '../intake/sourcefailure.ts'
import type { SourceFetcher } from '../intake/sourcefetcher.ts'
import { hubValues } from './hubvalues.ts'
import type { GitCheckout, TemplateOptions, TemplateRequest } from './templaterequest.ts'
import { valuesFilesOf } from './valuesfiles.ts'

type Rendered = Pick<ModuleSpec, 'source' | 'render'>
type Refs = ReadonlyMap<string, GitCheckout>

/** Helm's own limit. */
const MAX_RELEASE_NAME = 53

interface ChartPlace {
  /** Asked for once its objects are. */
  chart(): Result<TemplateRequest['chart'], SourceFailure>
  readonly directory: string
}

/** `of`: what the chart itself is, and as which input. */
export function resolveChart(
  { source, render }: Rendered,
  of: Pick<ResolvedSource, 'inputs' | 'sourceRevision'> & ChartPlace,
  reading: HubReader,
  outside: SourceFetcher,
): Result<ResolvedSource, SourceFailure> {
  const options = optionsOf(render, reading)
  if (!options.ok) return options
  const refs = checkouts(source, outside)
  if (!refs.ok) return refs
  const helm = render!.helm!
  const valuesFiles = valuesFilesOf(helm.valuesFiles ?? [], of.directory, refs.value)
  if (!valuesFiles.ok) return valuesFiles
  const onHub = hubValues(helm, reading)
  if (!onHub.ok) return onHub
  const { directory } = of
  const question: Omit<TemplateRequest, 'chart'> = {
    directory,
    ignore: source.ignore,
    valuesFiles: valuesFiles.value,
    options: options.value,
    values: onHub.value.values,
  }
  return ok({
    inputs: [...of.inputs, ...inputsOf(refs.value), ...onHub.value.inputs],
    sourceRevision: of.sourceRevision,
    // What chance has made may be a password.
    ...(onHub.value.secret || helm.allowRandom ? { sensitive: true } : {}),
    manifests(warn = ignoreWarning) {
      const chart = of.chart()
      if (!chart.ok) return chart
      const made = outside.templated({ ...question, chart: chart.value })
      if (!made.ok) return made
      for (const line of made.value.warnings) warn(line)
      return ok([...made.value.manifests])
    },
  })
}

/** What the schema says of it, too, but for the name of the module. */
function optionsOf(render: Rendered['render'], { name }: HubReader): Result<TemplateOptions, SourceFailure> {
  const { helm, namespace } = render ?? {}
  if (!helm || namespace === undefined)
    return err(
      fault('InvalidSpec', {
        field: 'spec.render.namespace',
        problem: 'must be set with helm',
      }),
    )
  const { releaseName = name, valuesFiles: _f, valuesFrom: _v, values: _i, ...options } = helm
  if (releaseName.length > MAX_RELEASE_NAME)
    return err(
      fault('InvalidSpec', {
        field: 'spec.render.helm.releaseName',
        problem: `the name of this Module is longer than ${MAX_RELEASE_NAME} characters; set a shorter one`,
      }),
    )
  return ok({ ...options, releaseName, namespace })
}

/** The commits that further repositories are at, in the same pass as that of the chart. */
function checkouts({ refs = [] }: ModuleSpec['source'], outside: SourceFetcher): Result<Refs, SourceFailure> {
  const out = new Map<string, GitCheckout>()
  for (const [i, ref] of refs.entries()) {
    const where = `spec.source.refs[${i}].git`
    const git = { ...ref.git, path: '.' }
    const picked = outside.commit(git)
    if (!picked.ok) {
      const { field } = picked.error.facts ?? {}
      // Answers are shared by all fields that name the repository.
      return typeof field === 'string'
        ? err(inField(picked.error, field.replace(/^spec\.source\.git/, where)))
        : picked
    }
    out.set(ref.name, { git, picked: picked.value })
  }
  return ok(out)
}

const inputsOf = (refs: Refs): ResolvedInput[] =>
  [...refs].map(([name, { picked }]) => ({
    path: `source.refs[${name}]`,
    digest: commitOf(revisionText(picked)),
  }))

/** Another name of the same commit is the same input. */
const commitOf = (revision: string): string => revision.slice(revision.lastIndexOf('@') + 1)
