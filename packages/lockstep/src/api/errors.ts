/**
 * All errors shown to users. Codes are API: never reused. `text` and `hint` take `{name}` places.
 * Exit codes: 1 failed, blocked or different · 2 bad input · 3 unreachable or not authorized · 4 timeout.
 */
interface ErrorEntry {
  readonly exit: 1 | 2 | 3 | 4
  readonly text: string
  readonly hint: string
}

function defineErrors<T extends Record<string, ErrorEntry>>(table: T): T {
  return table
}

export const errors = defineErrors({
  E_FIELD_INVALID: { exit: 2, text: '{where}{ref}: {field}: {problem}', hint: '{suggestion}' },
  E_FIELD_UNKNOWN: { exit: 2, text: '{where}{ref}: {field}: unknown field', hint: '{suggestion}' },
  E_YAML_SYNTAX: {
    exit: 2,
    text: '{where}{problem}',
    hint: 'correct the YAML; no document of this file was applied',
  },
  E_YAML_DUPLICATE_KEY: { exit: 2, text: '{where}duplicate key {key}', hint: 'remove one of them' },
  E_NOT_AN_OBJECT: {
    exit: 2,
    text: '{where}{problem}',
    hint: 'each document needs apiVersion, kind and metadata.name',
  },
  E_KIND_UNKNOWN: {
    exit: 2,
    text: '{where}{apiVersion} {kind} is not served by {server}',
    hint: '{suggestion}',
  },
  E_FILE_READ: { exit: 2, text: '{path}: {problem}', hint: 'give a file, a folder, or - for standard input' },
  E_PROVIDER_FILE: {
    exit: 2,
    text: '{path}: {problem}',
    hint: 'for the format, run: lockstep controller --help',
  },
  E_FILE_WRITE: { exit: 2, text: '{path}: {problem}', hint: 'choose a writable file' },
  E_VALUES: {
    exit: 2,
    text: '{problem}',
    hint: 'correct the values; nothing was rendered (see docs/reference/clustergroup.md)',
  },
  E_OUTDATED: {
    exit: 1,
    text: '{path} is out of date',
    hint: 'run the command without --check and save its output',
  },
  E_NO_INPUT: { exit: 2, text: 'no documents in {path}', hint: 'give files with Lockstep resources' },
  E_GIT: {
    exit: 2,
    text: 'git in {folder}: {problem}',
    hint: 'use a revision that "git rev-parse" resolves',
  },
  E_TOOL_MISSING: { exit: 3, text: '{program} is not on PATH; {what} needs it', hint: 'install {program}' },
  E_USAGE: { exit: 2, text: '{problem}', hint: '{suggestion}' },
  E_NOT_FOUND: { exit: 2, text: 'no {kind} "{name}" in namespace {namespace}', hint: '{suggestion}' },
  E_ALREADY_EXISTS: {
    exit: 1,
    text: '{ref} already exists',
    hint: 'to change the object, use lockstep apply',
  },
  E_CONFLICT: {
    exit: 1,
    text: '{ref}: {problem}',
    hint: 'change the field through its manager, or add --force-conflicts',
  },
  E_REFUSED: { exit: 1, text: '{ref}: {problem}', hint: '{suggestion}' },
  E_CLUSTER_IN_USE: {
    exit: 1,
    text: '{units} on {name} ({modules})',
    hint: 'relabel the cluster first, or use --orphan to leave their objects',
  },
  E_UNREACHABLE: { exit: 3, text: 'cannot reach {server}: {problem}', hint: '{suggestion}' },
  E_UNAUTHORIZED: {
    exit: 3,
    text: '{server} rejected the credentials',
    hint: 'check the user of the current kubeconfig context',
  },
  E_FORBIDDEN: { exit: 3, text: '{problem}', hint: 'request access, or use another context' },
  E_KUBECONFIG: {
    exit: 2,
    text: '{problem}',
    hint: 'give a kubeconfig with --kubeconfig or KUBECONFIG, and a context with --context',
  },
  E_NOT_INSTALLED: {
    exit: 3,
    text: '{server} does not serve lockstep.dev/v1alpha1',
    hint: 'lockstep install --namespaces platform --controller=false | kubectl apply --server-side -f -',
  },
  E_TIMEOUT: { exit: 4, text: '{problem}', hint: '{suggestion}' },
  E_SERVER: {
    exit: 3,
    text: '{server}: {problem}',
    hint: 'try again; if the problem persists, check the log of the server',
  },
  E_LEADERSHIP_LOST: {
    exit: 1,
    text: 'lost leader election: Lease {lease}: {problem}',
    hint: 'restart the controller; its log shows the cause',
  },
  E_LEASE_UNUSABLE: {
    exit: 1,
    text: 'cannot take part in leader election: Lease {lease}: {problem}',
    hint: 'check the credential of the controller, and its right to get, create and update this Lease',
  },
  E_HUB_MOVED: {
    exit: 1,
    text: '{problem}',
    hint: 'start the controller again if this is intended',
  },
  E_INTERNAL: {
    exit: 1,
    text: 'the controllers failed {count} times in 10 minutes: {problem}',
    hint: 'this is a bug in Lockstep; report it with the log of the controller',
  },
  E_PORT_IN_USE: {
    exit: 3,
    text: 'cannot listen on {address}: {problem}',
    hint: '{suggestion}',
  },
  PR01: {
    exit: 1,
    text: '{unit} is a Helm hook ({hook}): Helm deletes and recreates it with everything it owns',
    hint: 'remove the annotation helm.sh/hook; dependsOn defines the order',
  },
  PR02: {
    exit: 1,
    text: 'dependency cycle: {chain}',
    hint: 'remove one of these dependencies from spec.dependsOn',
  },
  PR03: {
    exit: 1,
    text: '{what}: the name {name} is longer than {limit} characters',
    hint: 'use a shorter name; eleven characters are added',
  },
  PR04: {
    exit: 1,
    text: '{unit} depends on {to}, which is not in the input: the dependency stays without a release check',
    hint: 'render both together, or keep the dependency: Flux checks readiness only',
  },
  PR05: {
    exit: 1,
    text: '{unit} has API version {version}, which has neither readyExpr nor healthCheckExprs',
    hint: 'use version {current}',
  },
  PR06: {
    exit: 1,
    text: '{what} could not be changed in place: rewritten without its comments',
    hint: 'replace YAML anchors by their content',
  },
  PR07: {
    exit: 1,
    text: '{what} follows {ref}: its content can change under {unit} without a new release, and {why}',
    hint: '{suggestion}',
  },
  PR08: { exit: 1, text: 'no source is named {name}', hint: 'correct or remove --keep-source' },
  PR09: {
    exit: 1,
    text: '{unit} has neither wait nor healthChecks: post-render sets wait: true, so that ready means healthy',
    hint: 'to wait for some objects only, list them in spec.healthChecks',
  },
  PR11: {
    exit: 1,
    text: '{unit} owns {owns}; renaming it at each release deletes or leaks them',
    hint: 'use --strategy expr, or label a unit that only checks lockstep.dev/checkpoint: "true"',
  },
  PR12: {
    exit: 1,
    text: '{unit} has dependents: after a new release Flux compares its values and does not check its health again',
    hint: 'add a Kustomization with a Job or health checks between it and its dependents',
  },
  E_INVARIANT: {
    exit: 1,
    text: '{problem}',
    hint: 'this is a bug in Lockstep; report it with the seed',
  },
})

export type ErrorCode = keyof typeof errors

/** Error shown to users: problem, place and next action. */
export interface PublicError {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  readonly exit: number
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly kind?: string
  readonly namespace?: string
  readonly name?: string
  readonly field?: string
  /** The lines around the place, ready to print. */
  readonly excerpt?: string
}

export type ErrorLocation = Pick<
  PublicError,
  'file' | 'line' | 'column' | 'kind' | 'namespace' | 'name' | 'field' | 'excerpt'
>

/** Fills a template of the table; places without a value become empty. */
export function publicError(
  code: ErrorCode,
  values: Readonly<Record<string, string>>,
  place: ErrorLocation = {},
): PublicError {
  const entry = errors[code]
  const all: Record<string, string> = { where: whereText(place), ...values }
  const fill = (template: string): string =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => all[name] ?? '')
  return { code, message: fill(entry.text), hint: fill(entry.hint), exit: entry.exit, ...place }
}

function whereText(p: ErrorLocation): string {
  if (p.file === undefined) return ''
  return `${p.file}${p.line === undefined ? '' : `:${p.line}:${p.column ?? 1}`} `
}
