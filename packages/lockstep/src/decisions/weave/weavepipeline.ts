/**
 * Pipelines of weaveworks' pipeline-controller (`pipelines.weave.works/v1alpha1`, `api/v1alpha1/pipeline_types.go`) as ours: the
 * same promotions, under the same name, so that markers in files stay as they are. What had no effect there, and has one here, is
 * said.
 */

import { err, ok, type Result } from '@lockstep/kube/env'
import { isObject, isString, type JsonObject, sha256Hex, type YamlPath } from '@lockstep/kube/object'
import { type PipelineSpec, pipelineSpec } from '../../api/kinds/index.ts'
import { type WeaveFieldProblem, WeaveFields } from './weavefields.ts'
import { type PromotionRead, readWeavePromotion } from './weavepromotion.ts'

/** Something that is otherwise here. */
export interface WeaveDifference {
  readonly path: YamlPath
  readonly why: string
}

export interface WeavePipeline {
  readonly namespace: string
  readonly name: string
  readonly spec: PipelineSpec
  /** As it is written down: without defaults. */
  readonly given: JsonObject
  readonly texts: JsonObject
  readonly findings: readonly WeaveDifference[]
}

/** The same for the object that is imported and for the one that is served. */
export const weaveIdentity = (namespace: string, name: string): string =>
  `w-${sha256Hex(`${namespace}/${name}`).slice(0, 20)}`

/** `namespace`: of an object that names none. */
export function readWeavePipeline(
  object: JsonObject,
  namespace?: string,
): Result<WeavePipeline, readonly WeaveFieldProblem[]> {
  const f = new WeaveFields(object)
  f.members([], ['apiVersion', 'kind', 'metadata', 'spec', 'status'])
  const findings: WeaveDifference[] = []
  const name = f.text(['metadata', 'name'], true) ?? ''
  const own = f.text(['metadata', 'namespace'], false) ?? namespace
  if (own === undefined)
    f.wrong(['metadata', 'namespace'], 'is missing; its identity is made of it: give it with -n')
  if (!f.members(['spec'], ['appRef', 'environments', 'promotion'])) f.wrong(['spec'], 'is missing')
  const place = own ?? ''
  const given = specOf(f, place, name, findings)
  if (f.problems.length > 0) return err(f.problems)
  const checked = pipelineSpec.safeParse(given)
  if (!checked.success)
    return err(
      checked.error.issues.map((i) => ({ path: ['spec', ...(i.path as YamlPath)], problem: i.message })),
    )
  return ok({
    namespace: place,
    name,
    given,
    findings,
    spec: checked.data,
    texts: textsOf(f),
  })
}

function specOf(f: WeaveFields, namespace: string, name: string, findings: WeaveDifference[]): JsonObject {
  const whole = readWeavePromotion(f, ['spec', 'promotion'])
  const environments = environmentsOf(f, namespace, whole, findings)
  const webhook = webhookOf(f, whole, environments, findings)
  return {
    identity: weaveIdentity(namespace, name),
    appRef: appRefOf(f),
    ...(webhook === undefined ? {} : { webhook: { secretRef: { name: webhook } } }),
    environments: environments.map((e) => e.given),
  }
}

function appRefOf(f: WeaveFields): JsonObject {
  const path = ['spec', 'appRef']
  if (!f.members(path, ['apiVersion', 'kind', 'name'])) f.wrong(path, 'is missing')
  const text = (field: string) => f.text([...path, field], f.value(path) !== undefined) ?? ''
  return { apiVersion: text('apiVersion'), kind: text('kind'), name: text('name') }
}

interface EnvironmentRead {
  readonly given: JsonObject
  readonly promotion: PromotionRead | undefined
}

/** Annotation `lockstep.dev/request.<name>` names it. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/
const LONGEST_NAME = 55

function environmentsOf(
  f: WeaveFields,
  namespace: string,
  whole: PromotionRead | undefined,
  findings: WeaveDifference[],
): EnvironmentRead[] {
  const path = ['spec', 'environments']
  const all = f.list(path)
  if (all.length === 0) f.wrong(path, 'must have an environment at least')
  const names = new Set<string>()
  return all.map((_, i) => {
    const at = [...path, i]
    if (!f.members(at, ['name', 'targets', 'promotion'])) f.wrong(at, 'must be an object')
    const name = f.text([...at, 'name'], true) ?? ''
    if (names.has(name))
      f.wrong([...at, 'name'], `${name} is a duplicate name: give each environment its own name`)
    if (name !== '' && (!NAME.test(name) || name.length > LONGEST_NAME))
      f.wrong(
        [...at, 'name'],
        `"${name}" must be lower-case letters, digits and dashes, at most ${LONGEST_NAME}`,
      )
    names.add(name)
    const promotion = readWeavePromotion(f, [...at, 'promotion'])
    const counts = promotion ?? whole
    if (i === 0 && promotion)
      findings.push({
        path: [...at, 'promotion'],
        why: 'nothing is promoted to the first environment, here as there',
      })
    if (i > 0) findings.push(...findingsOf(counts, promotion, [...at, 'promotion']))
    const settings = i > 0 ? counts?.settings : undefined
    return {
      promotion,
      given: {
        name,
        targets: targetsOf(f, [...at, 'targets'], namespace),
        ...(settings === undefined ? {} : { promotion: settings }),
      },
    }
  })
}

/** D10 of the design: what `controllers/leveltriggered` did not read. */
function findingsOf(
  counts: PromotionRead | undefined,
  own: PromotionRead | undefined,
  path: YamlPath,
): WeaveDifference[] {
  const out: WeaveDifference[] = []
  if (own)
    out.push({
      path,
      why: 'there, levels were promoted by spec.promotion; here this one counts, as for its webhook',
    })
  if (counts?.isManual)
    out.push({
      path: [...counts.path, 'manual'],
      why: 'there, levels were promoted without asking; here each promotion waits for an Approval',
    })
  if (counts && counts.settings === undefined)
    out.push({
      path: [...counts.path, 'strategy'],
      why: 'it names no strategy: there, each pass ended with an error; here the environment is only observed',
    })
  return out
}

function targetsOf(f: WeaveFields, path: YamlPath, namespace: string): JsonObject[] {
  const all = f.list(path)
  if (all.length === 0) f.wrong(path, 'NoTargets: without one the environment never settles')
  return all.map((_, i) => {
    const at = [...path, i]
    if (!f.members(at, ['namespace', 'clusterRef'])) f.wrong(at, 'must be an object')
    const cluster = clusterOf(f, [...at, 'clusterRef'], namespace)
    return {
      namespace: f.text([...at, 'namespace'], true) ?? '',
      ...(cluster === undefined ? {} : { clusterRef: { name: cluster } }),
    }
  })
}

/** Without one: the hub. A cluster is found by its name in the namespace of the pipeline. */
function clusterOf(f: WeaveFields, path: YamlPath, namespace: string): string | undefined {
  if (!f.members(path, ['kind', 'name', 'apiVersion', 'namespace'])) return undefined
  const kind = f.text([...path, 'kind'], true)
  if (kind !== undefined && kind !== 'GitopsCluster')
    f.wrong([...path, 'kind'], `must be GitopsCluster, is ${kind}`)
  f.text([...path, 'apiVersion'], false)
  const of = f.text([...path, 'namespace'], false) ?? namespace
  if (of !== namespace)
    f.wrong(
      [...path, 'namespace'],
      `clusters of a pipeline are in its namespace ${namespace}, not in ${of}: give ${namespace} a Secret for it, and take this out`,
    )
  return f.text([...path, 'name'], true)
}

/** One key for a pipeline; it may be the key of its environments (D16: those were never read). */
function webhookOf(
  f: WeaveFields,
  whole: PromotionRead | undefined,
  environments: readonly EnvironmentRead[],
  findings: WeaveDifference[],
): string | undefined {
  const own = environments.flatMap(({ promotion }) => (promotion?.hmacSecret ? [promotion] : []))
  const name = whole?.hmacSecret ?? own[0]?.hmacSecret
  for (const { hmacSecret, path } of own) {
    const at = [...path, 'strategy', 'secretRef', 'name']
    if (hmacSecret !== name)
      f.wrong(at, `a pipeline has one Secret with hmac-key, and ${name} is another: name one`)
    else if (!whole?.hmacSecret)
      findings.push({ path: at, why: 'there, it was not read, and unsigned events were taken; here it is' })
  }
  if (name === undefined)
    findings.push({
      path: ['spec'],
      why: 'it names no Secret with hmac-key: there, unsigned events promoted; here none are taken, and none are needed',
    })
  return name
}

const NOT_KEPT = 'kubectl.kubernetes.io/last-applied-configuration'

/** Labels and annotations: they are kept. */
function textsOf(f: WeaveFields): JsonObject {
  const out: { [key: string]: JsonObject } = {}
  for (const field of ['labels', 'annotations']) {
    const all = f.value(['metadata', field])
    const kept = Object.entries(isObject(all) ? all : {}).filter(([k, v]) => isString(v) && k !== NOT_KEPT)
    if (kept.length > 0) out[field] = Object.fromEntries(kept)
  }
  return out
}
