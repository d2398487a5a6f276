/**
 * Every error that a person can see, once. Codes are API: never reused. `text` and `hint` take `{name}` places.
 * Exit codes: 1 the answer is no · 2 bad input · 3 cannot reach, not authorised · 4 timed out.
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
    hint: 'Correct the YAML; nothing of this file was used.',
  },
  E_YAML_DUPLICATE_KEY: { exit: 2, text: '{where}the key {key} is there twice', hint: 'Remove one of them.' },
  E_NOT_AN_OBJECT: {
    exit: 2,
    text: '{where}{problem}',
    hint: 'Each document needs apiVersion, kind and metadata.name.',
  },
  E_KIND_UNKNOWN: {
    exit: 2,
    text: '{where}{apiVersion} {kind} is not served by {server}',
    hint: '{suggestion}',
  },
  E_FILE_READ: { exit: 2, text: '{path}: {problem}', hint: 'Give a file, a folder or - for standard input.' },
  E_PROVIDER_FILE: {
    exit: 2,
    text: '{path}: {problem}',
    hint: 'lockstep controller --help shows what a file of credential providers looks like.',
  },
  E_FILE_WRITE: { exit: 2, text: '{path}: {problem}', hint: 'Choose a file that can be written.' },
  E_VALUES: {
    exit: 2,
    text: '{problem}',
    hint: 'Nothing was rendered. docs/reference/clustergroup.md says what values may be.',
  },
  E_OUTDATED: {
    exit: 1,
    text: '{path} is out of date',
    hint: 'Run it without --check and keep what it prints.',
  },
  E_NO_INPUT: { exit: 2, text: 'no documents in {path}', hint: 'Give files that hold Lockstep resources.' },
  E_GIT: {
    exit: 2,
    text: 'git in {folder}: {problem}',
    hint: 'Name a revision that git rev-parse knows there.',
  },
  E_TOOL_MISSING: { exit: 3, text: '{program} is not on PATH; {what} needs it', hint: 'Install {program}.' },
  E_USAGE: { exit: 2, text: '{problem}', hint: '{suggestion}' },
  E_NOT_FOUND: { exit: 2, text: 'no {kind} "{name}" in namespace {namespace}', hint: '{suggestion}' },
  E_ALREADY_EXISTS: { exit: 1, text: '{ref} already exists', hint: 'Use apply to change it.' },
  E_CONFLICT: {
    exit: 1,
    text: '{ref}: {problem}',
    hint: 'Change it where it is owned, or add --force-conflicts.',
  },
  E_REFUSED: { exit: 1, text: '{ref}: {problem}', hint: '{suggestion}' },
  E_UNREACHABLE: { exit: 3, text: 'cannot reach {server}: {problem}', hint: '{suggestion}' },
  E_UNAUTHORIZED: {
    exit: 3,
    text: '{server} did not accept the credentials',
    hint: 'Look at the user of the current context of your kubeconfig.',
  },
  E_FORBIDDEN: { exit: 3, text: '{problem}', hint: 'Ask for the right, or use another context.' },
  E_KUBECONFIG: {
    exit: 2,
    text: '{path}: {problem}',
    hint: 'Give a kubeconfig with --kubeconfig or KUBECONFIG, and a context with --context.',
  },
  E_NOT_INSTALLED: {
    exit: 3,
    text: '{server} does not serve lockstep.dev/v1alpha1',
    hint: 'lockstep install --export | kubectl apply --server-side -f -',
  },
  E_TIMEOUT: { exit: 4, text: '{problem}', hint: '{suggestion}' },
  E_SERVER: {
    exit: 3,
    text: '{server}: {problem}',
    hint: 'Try again; if it stays, look at the log of the server.',
  },
  E_LEADERSHIP_LOST: {
    exit: 1,
    text: 'this process leads no more: Lease {lease}: {problem}',
    hint: 'Start it again: it waits for its turn. Its log says what went wrong before.',
  },
  E_PORT_IN_USE: {
    exit: 3,
    text: 'cannot listen on {address}: {problem}',
    hint: '{suggestion}',
  },
  PR01: {
    exit: 1,
    text: '{unit} is a hook of Helm ({hook}): Helm deletes and makes it again, with all that it owns',
    hint: 'Remove the annotation helm.sh/hook; order comes of dependsOn.',
  },
  PR02: {
    exit: 1,
    text: 'these depend on each other: {chain}',
    hint: 'Take one of the edges out of spec.dependsOn.',
  },
  PR03: {
    exit: 1,
    text: '{what}: the name {name} is longer than {limit} characters',
    hint: 'Give it a shorter name: eleven characters are added.',
  },
  PR04: {
    exit: 1,
    text: '{unit} depends on {to}, which is not in the input: this edge stays as it is, without a release',
    hint: 'Render them together, or leave it: Flux then compares what it always compares.',
  },
  PR05: {
    exit: 1,
    text: '{unit} is of version {version}, which has no readyExpr and no healthCheckExprs',
    hint: 'Write version {current}.',
  },
  PR06: {
    exit: 1,
    text: '{what} could not be changed in place and was written anew, without its comments',
    hint: 'Write what its anchors stand for where it is used.',
  },
  PR07: {
    exit: 1,
    text: '{what} follows {ref}: its content can change under {unit} without this release, and {why}',
    hint: '{suggestion}',
  },
  PR08: { exit: 1, text: 'no source is called {name}', hint: 'Correct --keep-source, or leave it out.' },
  PR09: {
    exit: 1,
    text: '{unit} has neither wait nor healthChecks: it gets wait: true, so that ready means healthy',
    hint: 'Name what it has to wait for in spec.healthChecks if that is less than everything.',
  },
  PR11: {
    exit: 1,
    text: '{unit} owns {owns}; renaming it at each release deletes or leaks them',
    hint: 'Use --strategy expr; or label it lockstep.dev/checkpoint: "true" if it only checks.',
  },
  PR12: {
    exit: 1,
    text: '{unit} is depended upon: for a new release Flux compares its values, but does not look at its health again',
    hint: 'Put a Kustomization with a Job or health checks between it and those that depend on it.',
  },
  E_INVARIANT: {
    exit: 1,
    text: '{problem}',
    hint: 'This is a bug in Lockstep: please report it with the seed.',
  },
})

export type ErrorCode = keyof typeof errors

/** An error for people: what, where and what to do. */
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
