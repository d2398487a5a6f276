/** Fields of a Kustomization, one by one. Edges, the source, targets and health checks are decided beside this table. */
import {
  at,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  parseDuration,
} from '@lockstep/kube/object'
import {
  duration,
  type FieldPosition,
  type FieldRow,
  flag,
  list,
  map,
  never,
  only,
  pick,
  text,
  texts,
} from './readfields.ts'

const PATCH_TARGET = [
  'group',
  'version',
  'kind',
  'name',
  'namespace',
  'labelSelector',
  'annotationSelector',
].map((f) => `target.${f}`)

/** What kustomize makes of the folder. */
const content: readonly FieldRow[] = [
  list('patches', 'render.kustomize.patches', ['patch', ...PATCH_TARGET]),
  list('images', 'render.kustomize.images', ['name', 'newName', 'newTag', 'digest']),
  texts('components', 'render.kustomize.components'),
  only('ignoreMissingComponents', false, {
    why: 'a component that is missing fails the rendering',
    todo: 'Take it out of components, or add it.',
  }),
  text('namePrefix', 'render.kustomize.namePrefix'),
  text('nameSuffix', 'render.kustomize.nameSuffix'),
  text('targetNamespace', 'render.kustomize.targetNamespace'),
  map('commonMetadata.labels', 'render.kustomize.commonMetadata.labels'),
  map('commonMetadata.annotations', 'render.kustomize.commonMetadata.annotations'),
  never('buildMetadata', {
    why: 'objects do not say from which file they come',
    todo: 'Nothing, unless something reads these annotations.',
  }),
  never('postBuild', {
    why: 'variables are not substituted: their names would be deployed unchanged',
    todo: 'Write the values into patches or an overlay in the repository, then add spec.targets.',
    holds: true,
  }),
  never('decryption', {
    why: 'nothing is decrypted: content encrypted by SOPS would be deployed unchanged',
    todo: 'Deploy these Secrets in another way, remove them from the path, then add spec.targets.',
    holds: true,
  }),
]

const applying: readonly FieldRow[] = [
  { field: 'prune', become: prune },
  { field: 'deletionPolicy', become: deletionPolicy },
  flag('force', 'apply.replaceImmutable'),
  duration('interval', 'apply.driftInterval', '10s', '24h'),
  never('retryInterval', {
    why: 'failures are retried at growing intervals, which cannot be set',
    todo: 'Nothing.',
  }),
  { field: 'ignore', become: ignoreRules },
  never('serviceAccountName', {
    why: 'a Module acts as the user of the kubeconfig of its cluster, not as a ServiceAccount',
    todo: 'Give that credential the rights that it is to have, then add spec.targets.',
    holds: true,
  }),
  only('suspend', false, {
    why: 'a Module cannot be suspended',
    todo: 'The Module targets no cluster: add spec.targets when it should continue.',
    holds: true,
  }),
]

const health: readonly FieldRow[] = [
  { field: 'timeout', become: timeout },
  { field: 'wait', become: wait },
  list('healthCheckExprs', 'health.expressions', ['apiVersion', 'kind', 'inProgress', 'failed', 'current']),
]

export const KUSTOMIZATION_FIELDS: readonly FieldRow[] = [...content, ...applying, ...health]

const POLICIES: Readonly<Record<string, string>> = {
  Delete: 'Delete',
  WaitForTermination: 'Delete',
  Orphan: 'Orphan',
}

/** Also decides what a deletion does, unless `deletionPolicy` says it: Flux deletes what it prunes. */
function prune(value: JsonValue, { draft, path }: FieldPosition): void {
  if (typeof value !== 'boolean') return
  draft.set(['apply', 'prune'], value, path)
  draft.imply(['apply', 'deletionPolicy'], value ? 'Delete' : 'Orphan')
}

function deletionPolicy(value: JsonValue, { draft, reading, path }: FieldPosition): void {
  if (value === 'MirrorPrune') reading.settle(path)
  const ours = isString(value) ? POLICIES[value] : undefined
  if (ours !== undefined) draft.set(['apply', 'deletionPolicy'], ours, path)
}

function timeout(value: JsonValue, { draft, reading, path }: FieldPosition): void {
  const ms = isString(value) ? parseDuration(value) : undefined
  if (ms === undefined) return
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  if (seconds * 1000 !== ms)
    reading.note(path, `spec.health.timeoutSeconds counts whole seconds: ${seconds}`, 'Nothing.')
  draft.set(['health', 'timeoutSeconds'], seconds, path)
}

function wait(value: JsonValue, { reading, path }: FieldPosition): void {
  if (value === true) reading.settle(path)
  if (value === false)
    reading.note(
      path,
      'a Module is ready once all of its objects are healthy, not once they are applied',
      'Nothing, unless an object never becomes healthy: then write spec.health.expressions.',
    )
}

/** Flux takes these as regular expressions: only such that mean one text mean the same here. */
const LITERAL = /^[-A-Za-z0-9.]+$/

function ignoreRules(value: JsonValue, { draft, reading, path }: FieldPosition): void {
  if (!isArray(value)) return
  const kept: JsonObject[] = []
  for (const [i, rule] of value.entries()) {
    const [target, paths] = [at(rule, 'target'), at(rule, 'paths')]
    if (!isObject(rule) || !isArray(paths) || !paths.every(isString)) continue
    const ours = isObject(target) ? pick(target, ['group', 'kind', 'name', 'namespace'])?.value : {}
    const isWhole = jsonSize(target) === jsonSize(ours)
    if (!ours || !isWhole || !Object.values(ours).every((v) => isString(v) && LITERAL.test(v))) {
      const why = 'spec.apply.ignore[].target takes group, kind, name and namespace as plain texts'
      reading.lose([...path, i], why, 'Write the intended values, then add spec.targets.', true)
      continue
    }
    kept.push(target === undefined ? { paths } : { target: ours, paths })
    reading.settle([...path, i, 'paths'])
    reading.settle([...path, i, 'target'])
  }
  if (kept.length > 0) draft.gather(['apply', 'ignore'], kept, path)
}

const jsonSize = (v: unknown): number => (isObject(v) ? Object.keys(v).length : 0)
