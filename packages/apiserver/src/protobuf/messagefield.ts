/**
 * Fields of messages with their numbers, as Kubernetes' `generated.proto` have them: `name=1` is a string, `*` after the
 * number a list, `{}` a map by name, `:Type` another type; a `count` of zero is none.
 */
const MESSAGES: Readonly<Record<string, string>> = {
  ObjectMeta:
    'name=1 generateName=2 namespace=3 uid=5 resourceVersion=6 generation=7:count creationTimestamp=8:Time deletionTimestamp=9:Time deletionGracePeriodSeconds=10:int labels=11{} annotations=12{} ownerReferences=13*:OwnerReference finalizers=14*',
  OwnerReference: 'kind=1 name=3 uid=4 apiVersion=5 controller=6:bool blockOwnerDeletion=7:bool',
  LabelSelector: 'matchLabels=1{} matchExpressions=2*:Requirement',
  Requirement: 'key=1 operator=2 values=3*',
  DeleteOptions:
    'gracePeriodSeconds=1:int preconditions=2:Preconditions orphanDependents=3:bool propagationPolicy=4 dryRun=5*',
  Preconditions: 'uid=1 resourceVersion=2',

  SelfSubjectReview: 'metadata=1:ObjectMeta',
  SelfSubjectAccessReview: 'metadata=1:ObjectMeta spec=2:AccessSpec',
  SelfSubjectRulesReview: 'metadata=1:ObjectMeta spec=2:RulesSpec',
  SubjectAccessReview: 'metadata=1:ObjectMeta spec=2:AccessSpec',
  LocalSubjectAccessReview: 'metadata=1:ObjectMeta spec=2:AccessSpec',
  RulesSpec: 'namespace=1',
  AccessSpec:
    'resourceAttributes=1:ResourceAttributes nonResourceAttributes=2:PathAttributes user=3 groups=4* extra=5{}:Values uid=6',
  ResourceAttributes:
    'namespace=1 verb=2 group=3 version=4 resource=5 subresource=6 name=7 fieldSelector=8:Selector labelSelector=9:Selector',
  PathAttributes: 'path=1 verb=2',
  Selector: 'rawSelector=1 requirements=2*:Requirement',
  Values: '@=1*',

  TokenReview: 'metadata=1:ObjectMeta spec=2:TokenSpec',
  TokenSpec: 'token=1 audiences=2*',
  TokenRequest: 'metadata=1:ObjectMeta spec=2:TokenRequestSpec',
  TokenRequestSpec: 'audiences=1* boundObjectRef=3:BoundObject expirationSeconds=4:int',
  BoundObject: 'kind=1 apiVersion=2 name=3 uid=4',

  Role: 'metadata=1:ObjectMeta rules=2*:PolicyRule',
  ClusterRole: 'metadata=1:ObjectMeta rules=2*:PolicyRule aggregationRule=3:AggregationRule',
  AggregationRule: 'clusterRoleSelectors=1*:LabelSelector',
  PolicyRule: 'verbs=1* apiGroups=2* resources=3* resourceNames=4* nonResourceURLs=5*',
  RoleBinding: 'metadata=1:ObjectMeta subjects=2*:Subject roleRef=3:RoleRef',
  ClusterRoleBinding: 'metadata=1:ObjectMeta subjects=2*:Subject roleRef=3:RoleRef',
  Subject: 'kind=1 apiGroup=2 name=3 namespace=4',
  RoleRef: 'apiGroup=1 kind=2 name=3',

  Namespace: 'metadata=1:ObjectMeta spec=2:NamespaceSpec',
  NamespaceSpec: 'finalizers=1*',
  ServiceAccount:
    'metadata=1:ObjectMeta secrets=2*:ObjectReference imagePullSecrets=3*:LocalReference automountServiceAccountToken=4:bool',
  ObjectReference: 'kind=1 namespace=2 name=3 uid=4 apiVersion=5 resourceVersion=6 fieldPath=7',
  LocalReference: 'name=1',
  ConfigMap: 'metadata=1:ObjectMeta data=2{} binaryData=3{}:bytes immutable=4:bool',
  Secret: 'metadata=1:ObjectMeta data=2{}:bytes type=3 stringData=4{} immutable=5:bool',
}

const CORE = ['ConfigMap', 'Namespace', 'Secret', 'ServiceAccount']
const KINDS: ReadonlySet<string> = new Set([
  ...CORE.map((k) => `v1/${k}`),
  'v1/DeleteOptions',
  ...['SelfSubjectReview', 'TokenReview', 'TokenRequest'].map((k) => `authentication.k8s.io/v1/${k}`),
  ...['SelfSubjectAccess', 'SelfSubjectRules', 'SubjectAccess', 'LocalSubjectAccess'].map(
    (k) => `authorization.k8s.io/v1/${k}Review`,
  ),
  ...['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'].map(
    (k) => `rbac.authorization.k8s.io/v1/${k}`,
  ),
])

export interface MessageField {
  readonly name: string
  readonly type: string
  readonly shape: 'one' | 'list' | 'map'
}

const parsed = new Map<string, ReadonlyMap<number, MessageField>>()

/** The fields of a message by number; undefined for what is no message. */
export function fieldsOf(message: string): ReadonlyMap<number, MessageField> | undefined {
  const known = parsed.get(message)
  if (known) return known
  const text = Object.hasOwn(MESSAGES, message) ? MESSAGES[message] : undefined
  if (text === undefined) return undefined
  const fields = new Map(text.split(' ').map(parseField))
  parsed.set(message, fields)
  return fields
}

function parseField(text: string): [number, MessageField] {
  const [, name = '', number, sign, type = 'string'] = /^(.+)=(\d+)(\*|\{\})?(?::(\w+))?$/.exec(text) ?? []
  const shape = sign === '*' ? 'list' : sign === '{}' ? 'map' : 'one'
  return [Number(number), { name, type, shape }]
}

/** Whether objects of a kind can be read. */
export const isMessage = (apiVersion: string, kind: string): boolean =>
  KINDS.has(`${apiVersion}/${kind}`) || kind === 'DeleteOptions'
