import { at, type JsonValue, jsonEqual, type KubeObject } from '@lockstep/kube/object'
import type { ObjectDraft } from '../resources/objectdraft.ts'
import { ensure, fill, within } from '../resources/objectdraft.ts'
import { invalid } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import { IMMUTABLE } from '../status/invalid.ts'
import { defaultPodSpec } from './defaultpod.ts'
import type { SpecialRules } from './specialrules.ts'

const UID = 'batch.kubernetes.io/controller-uid'
const NAME = 'batch.kubernetes.io/job-name'

const job: SpecialRules = {
  generation: (next, old) => !jsonEqual(next.spec, old.spec),
  orphansByDefault: true,
  defaults(o) {
    const spec = ensure(o, 'spec')
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1
    fill(spec, {
      parallelism: 1,
      backoffLimit: spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed',
    })
    const labels = within(spec, 'template', 'metadata', 'labels')
    const meta = ensure(o, 'metadata')
    if (labels && Object.keys(labels).length > 0 && meta.labels === undefined) meta.labels = { ...labels }
    defaultPodSpec(within(spec, 'template', 'spec'))
  },
  prepareCreate: generateSelector,
  validate: jobFindings,
  fields: { 'status.successful': (o) => String(at(o, 'status', 'succeeded') ?? 0) },
}

/** Pods are chosen by the job's uid, unless the job brings a selector of its own (kubernetes pkg/registry/batch/job). */
function generateSelector(o: ObjectDraft): void {
  const spec = within(o, 'spec')
  if (!spec || spec.manualSelector === true) return
  const uid = String(within(o, 'metadata')?.uid ?? '')
  const name = String(within(o, 'metadata')?.name ?? '')
  const template = within(spec, 'template') ?? {}
  const meta = within(template, 'metadata') ?? {}
  const labels = {
    ...within(meta, 'labels'),
    'controller-uid': uid,
    'job-name': name,
    [UID]: uid,
    [NAME]: name,
  }
  const selector = within(spec, 'selector')
  o.spec = {
    ...spec,
    selector: { ...selector, matchLabels: { ...within(selector, 'matchLabels'), [UID]: uid } },
    template: { ...template, metadata: { ...meta, labels } },
  }
}

function jobFindings(next: KubeObject, old: KubeObject | undefined): FieldError[] {
  if (!old) return []
  const out: FieldError[] = []
  for (const name of ['completions', 'selector', 'completionMode', 'podFailurePolicy', 'successPolicy']) {
    const value = at(next, 'spec', name)
    if (!jsonEqual(value, at(old, 'spec', name)))
      out.push(invalid(`spec.${name}`, (value ?? null) as JsonValue, IMMUTABLE))
  }
  const template = at(next, 'spec', 'template')
  if (!jsonEqual(template, at(old, 'spec', 'template')))
    out.push(invalid('spec.template', (template ?? null) as JsonValue, IMMUTABLE))
  return out
}

const cronJob: SpecialRules = {
  generation: (next, old) => !jsonEqual(next.spec, old.spec),
  defaults(o) {
    const spec = ensure(o, 'spec')
    fill(spec, {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    })
    defaultPodSpec(within(spec, 'jobTemplate', 'spec', 'template', 'spec'))
  },
}

export const batchRules: Readonly<Record<string, SpecialRules>> = {
  'Job.batch': job,
  'CronJob.batch': cronJob,
}
