import { LIBRARY_TYPES } from '@lockstep/cel/library'
import { anything, type CelProgram, compile, type Declarations, type Declared } from '@lockstep/cel/program'
import { detailOf } from '@lockstep/cel/syntax'
import { BOOL, type CelType, DYN, INT, listOf, mapOf, NULL, STRING, struct } from '@lockstep/cel/type'
import { err, ok, type Result } from '@lockstep/kube/env'

/** What an expression of a policy may name besides the request (apiserver pkg/admission/plugin/cel). */
export interface ExpressionNames {
  readonly params: boolean
  readonly authorizer: boolean
  /** Variables that come before it, with their types; none: there is no `variables`. */
  readonly variables?: ReadonlyMap<string, CelType>
}

const STRINGS = listOf(STRING)
const fields = (members: Readonly<Record<string, CelType>>): ReadonlyMap<string, CelType> =>
  new Map(Object.entries(members))

const kind = struct('kubernetes.GroupVersionKind', fields({ group: STRING, version: STRING, kind: STRING }))
const resource = struct(
  'kubernetes.GroupVersionResource',
  fields({ group: STRING, version: STRING, resource: STRING }),
)
const user = struct(
  'kubernetes.UserInfo',
  fields({ username: STRING, uid: STRING, groups: STRINGS, extra: mapOf(STRING, STRINGS) }),
)

const request = struct(
  'kubernetes.AdmissionRequest',
  fields({
    kind,
    resource,
    subResource: STRING,
    requestKind: kind,
    requestResource: resource,
    requestSubResource: STRING,
    name: STRING,
    namespace: STRING,
    operation: STRING,
    userInfo: user,
    dryRun: BOOL,
    options: DYN,
  }),
)

const labels = mapOf(STRING, STRING)
const namespace = struct(
  'kubernetes.Namespace',
  fields({
    metadata: struct(
      'kubernetes.NamespaceMetadata',
      fields({
        name: STRING,
        generateName: STRING,
        namespace: STRING,
        labels,
        annotations: labels,
        UID: STRING,
        creationTimestamp: DYN,
        deletionGracePeriodSeconds: INT,
        deletionTimestamp: DYN,
        generation: INT,
        resourceVersion: STRING,
        finalizers: STRINGS,
      }),
    ),
    spec: struct('kubernetes.NamespaceSpec', fields({ finalizers: STRINGS })),
    status: struct('kubernetes.NamespaceStatus', fields({ phase: STRING })),
  }),
)

const of = (type: CelType): Declared => ({ ...anything, type })

const ALWAYS: Declarations = {
  object: anything,
  oldObject: anything,
  request: of(request),
  namespaceObject: of(namespace),
}

function declarationsFor(names: ExpressionNames): Declarations {
  return {
    ...ALWAYS,
    ...(names.params && { params: anything }),
    ...(names.authorizer && {
      authorizer: of(LIBRARY_TYPES.authorizer!),
      'authorizer.requestResource': of(LIBRARY_TYPES.resourcecheck!),
    }),
    ...(names.variables && { variables: of(struct('kubernetes.variables', names.variables)) }),
  }
}

/** What expressions have to be, by the name that messages give it. */
const WANTED = { bool: BOOL, string: STRING, null_type: NULL } as const

/** A program, or why there is none in the words of kube-apiserver. `wanted` empty: of any type. */
export function compileExpression(
  text: string,
  names: ExpressionNames,
  wanted: readonly (keyof typeof WANTED)[],
): Result<CelProgram, string> {
  const program = compile(text, declarationsFor(names))
  if (!program.ok) return err(detailOf(text, program.error))
  const { result, type } = program.value
  if (wanted.length === 0 || wanted.some((w) => WANTED[w].kind === result.kind)) return ok(program.value)
  const types = wanted.length === 1 ? wanted[0] : `one of [${wanted.join(' ')}]`
  return err(`must evaluate to ${types} but got ${type}`)
}
