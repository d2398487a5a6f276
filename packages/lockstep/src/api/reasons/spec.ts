/** Reasons of a spec and its manifests: fields, objects, order and bindings. */
import { at, ofSource, place, whereOf } from './place.ts'
import { oneOf, reason, text, texts } from './reason.ts'
import type { WaitRefOf } from './waitref.ts'
import { anyNumber, oneOrMore } from './waitref.ts'

const hello: WaitRefOf<'Module'> = { kind: 'Module', name: 'hello', namespace: 'platform' }

export const specReasons = {
  InvalidSpec: reason({
    actor: 'author',
    on: anyNumber('Source', 'Object', 'Module', 'Unit', 'Budget', 'External'),
    facts: {
      field: text,
      /** Detail of the validation, as in field.Invalid of Kubernetes. */
      problem: text,
    },
    message: (f) => `${f.field}: ${f.problem}`,
    meaning: 'A field of the spec is invalid in a way that its schema cannot express.',
    advice: (f) => `correct ${f.field}`,
    examples: [
      { on: [hello], field: 'spec.source.git.url', problem: 'http:// is not encrypted; write https://' },
    ],
  }),
  InvalidExpression: reason({
    actor: 'author',
    on: anyNumber('Source', 'Object', 'Module', 'Unit', 'External'),
    facts: { field: text, problem: text },
    message: (f) => `${f.field}: ${f.problem}`,
    meaning: 'A CEL expression does not compile, or costs too much.',
    advice: (f) => `correct the expression in ${f.field}`,
    examples: [
      { on: [hello], field: 'spec.dependsOn[0].readyExpr', problem: '1:8: undeclared reference to "objct"' },
    ],
  }),
  InvalidObject: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      object: text.optional(),
      /** Detail of the validation. */
      problem: text,
      /** The file may be listed in spec.source.ignore. */
      ignorable: oneOf('Yes').optional(),
    },
    message: (f) =>
      `${at(f)}${f.object === undefined ? '' : `${f.object}: `}${f.problem}${f.ignorable === undefined ? '' : '; if the file is not a manifest, add it to spec.source.ignore'}`,
    meaning: 'A manifest is not a valid Kubernetes object.',
    advice: (f) => `correct the manifest: ${whereOf(f)}`,
    examples: [
      { on: [], place: 'deploy/web.yaml doc 1', object: 'ConfigMap', problem: 'metadata.name is missing' },
    ],
  }),
  DuplicateObject: reason({
    actor: 'author',
    on: ofSource,
    facts: { object: text, places: texts },
    message: (f) => `${f.object} occurs twice with different content (${f.places.join(', ')})`,
    meaning: 'A bundle has one object twice, with different content.',
    advice: (f) => `remove one of the two manifests of ${f.object}`,
    examples: [{ on: [], object: 'ConfigMap web/settings', places: ['a.yaml doc 1', 'b.yaml doc 3'] }],
  }),
  InvalidAnnotation: reason({
    actor: 'author',
    on: anyNumber('Source', 'Object', 'Module', 'Unit', 'External'),
    facts: {
      object: text,
      key: text,
      value: text.optional(),
      allowed: text.optional(),
      /** Detail of the validation, where values are not enough. */
      problem: text.optional(),
    },
    message: (f) =>
      f.problem === undefined
        ? `${f.object}: ${f.key} has value ${f.value}; allowed: ${f.allowed}`
        : `${f.object}: ${f.key}: ${f.problem}`,
    meaning: 'An annotation has a value that its key does not allow.',
    advice: (f) =>
      f.problem === undefined
        ? `set ${f.key} on ${f.object} to an allowed value: ${f.allowed}`
        : `correct or remove ${f.key} on ${f.object}`,
    examples: [
      {
        on: [],
        object: 'Job web/seed',
        key: 'argocd.argoproj.io/sync-wave',
        value: '"first"',
        allowed: 'a whole number',
      },
    ],
  }),
  UnsupportedAnnotation: reason({
    actor: 'author',
    on: ofSource,
    facts: { object: text, key: text, detail: text },
    message: (f) => `${f.object}: ${f.key} is not supported: ${f.detail}`,
    meaning: 'An annotation of another tool has an effect that Lockstep does not have.',
    advice: (f) => `remove ${f.key} from ${f.object}, or list the dialects in spec.apply.dialects`,
    examples: [
      {
        on: [],
        object: 'Job web/seed',
        key: 'kapp.k14s.io/versioned',
        detail: 'objects keep their names',
      },
    ],
  }),
  CycleDetected: reason({
    actor: 'author',
    on: ofSource,
    /** `edge`: of a dependent of the cycle. */
    facts: { of: oneOf('Modules', 'Objects'), cycle: texts, edge: text.optional() },
    message: (f) =>
      f.of === 'Modules'
        ? `spec.dependsOn: ${f.cycle.join(' → ')}; remove one of these dependencies`
        : `order has a cycle: ${f.cycle.join('')}; remove one of these dependencies`,
    setMessage: (f) =>
      f.of === 'Modules'
        ? `lockstep.dev/depends-on: ${f.cycle.join(' → ')}; remove one of these dependencies`
        : undefined,
    meaning: 'Modules, or objects of one Module, depend on each other in a cycle.',
    advice: (f) =>
      f.of === 'Modules'
        ? 'remove one of these entries from spec.dependsOn'
        : 'remove one of these annotations or dependencies from the manifests',
    examples: [
      { on: [hello], of: 'Modules', cycle: ['certs', 'hello', 'certs'] },
      {
        on: [],
        of: 'Objects',
        cycle: [
          'ConfigMap a/x -(lockstep.dev/depends-on, Healthy)-> ',
          'ConfigMap a/y -(…)-> ',
          'ConfigMap a/x',
        ],
      },
    ],
  }),
  BindingUnresolved: reason({
    actor: 'author',
    on: anyNumber('Source', 'Object', 'Module', 'Unit', 'Cluster', 'External'),
    facts: {
      field: place.field,
      binding: text,
      because: oneOf('Missing', 'Pending', 'Refused', 'Cycle', 'External'),
      /** Detail of the lookup. */
      error: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Missing':
          return `${at(f)}${f.binding}: ${f.error ?? 'no value;'} or give a default`
        case 'Pending':
        case 'Refused':
          return `${at(f)}${f.binding}: ${f.error ?? 'being read'}`
        case 'Cycle':
          return `${at(f)}${f.binding}: the binding refers to itself`
        case 'External':
          return `${f.error ?? 'the revision'} mentions binding ${f.binding}, which only Modules resolve`
      }
    },
    meaning: 'A binding has no value on a cluster.',
    advice: (f) =>
      f.because === 'Refused'
        ? `bind a role that reads the object of binding ${f.binding} to the ServiceAccount of the Module`
        : `set the value that binding ${f.binding} reads, or give the binding a default`,
    examples: [
      {
        on: [],
        binding: 'REGION',
        because: 'Missing',
        error: 'cluster cluster-7 has no label region; set it',
      },
    ],
  }),
  BindingInvalid: reason({
    actor: 'author',
    on: anyNumber('Source', 'Object', 'Module', 'Unit', 'Cluster'),
    facts: {
      ...place,
      because: oneOf('Type', 'Declaration', 'Mention'),
      binding: text.optional(),
      /** Absent where it is of a Secret. */
      value: text.optional(),
      type: text.optional(),
      problem: text.optional(),
    },
    message: (f) =>
      f.because === 'Type'
        ? `${at(f)}${f.binding}: ${f.value ?? 'the value of a Secret'} is not ${f.type}`
        : `${at(f)}${f.problem}`,
    meaning: 'A binding is declared or used in a way that is not allowed, or its value has another type.',
    advice: (f) =>
      f.because === 'Type'
        ? `correct the value or the type of binding ${f.binding}`
        : `correct ${whereOf(f)}`,
    examples: [{ on: [], because: 'Type', binding: 'REPLICAS', value: '"three"', type: 'an Integer' }],
  }),
  ReleaseNotCompared: reason({
    actor: 'author',
    on: oneOrMore('Module'),
    facts: { edge: text, module: text, dependency: text, without: text },
    message: (f) =>
      `${f.edge}: ${f.without} sets no release; ${f.module} may start before the next revision of ${f.dependency} is published; set spec.release on both`,
    meaning: 'A Module or its dependency has no release, so the gate does not compare them.',
    advice: (f) => `set spec.release of ${f.without}, or release: Any on the dependency ${f.edge}`,
    examples: [{ on: [hello], edge: 'certs', module: 'hello', dependency: 'certs', without: 'certs' }],
  }),
} as const
