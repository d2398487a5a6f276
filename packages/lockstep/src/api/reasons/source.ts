/** Reasons of sources: requests to Git servers, chart repositories and the hub. */
import { at, namesText, ofSource, place, whereOf } from './place.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import type { WaitRefOf } from './waitref.ts'

const git: WaitRefOf<'Source'> = { kind: 'Source', name: 'https://git.example.com/web.git' }
const charts: WaitRefOf<'Source'> = { kind: 'Source', name: 'https://charts.example.com' }
const GIT = 'git https://git.example.com/web.git'
const CHARTS = 'helm https://charts.example.com'

const SECONDS = (n: number | undefined): string => `${n ?? 0}s`
export const sourceReasons = {
  Fetching: reason({
    actor: 'none',
    on: { ...ofSource, isSample: true },
    facts: {
      place: place.place,
      state: oneOf('Fetching', 'Queued', 'Reading', 'Changing', 'Bindings', 'Values', 'Key'),
      seconds: number.optional(),
      errors: texts.optional(),
      /** Fetches that run, and those of the namespace with most of them. */
      running: number.optional(),
      most: number.optional(),
      namespace: text.optional(),
    },
    message: (f) => {
      switch (f.state) {
        case 'Key':
          return `waiting for the controller to create ${f.place}`
        case 'Queued':
          return `waits for its turn: ${f.running} fetches run, ${f.most} of them for namespace ${f.namespace}`
        case 'Fetching':
          return `fetching ${f.place ?? 'the source'}`
        case 'Reading':
          return `reading ${f.place ?? 'the objects of spec.source'}`
        case 'Changing':
          return `the source has changed for ${SECONDS(f.seconds)}; it is published after 1s without changes`
        case 'Bindings':
          return `reading bindings: ${namesText(f.errors)}`
        case 'Values':
          return 'reading the values that the clusters share'
      }
    },
    meaning: 'A source or a binding is being read, or changes too often to be published.',
    advice: () => 'no action needed: the Module is published when the source is read',
    examples: [
      { on: [git], state: 'Fetching', place: GIT },
      { on: [], state: 'Changing', seconds: 31 },
      { on: [git], state: 'Queued', place: GIT, running: 8, most: 6, namespace: 'team-a' },
    ],
  }),
  SourceUnreachable: reason({
    actor: 'platform',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf(
        'NoRepository',
        'NoHelmRepository',
        'Status',
        'PlainFiles',
        'Certificate',
        'UnknownHost',
        'ConnectionRefused',
        'ConnectionClosed',
        'Timeout',
        'Stopped',
        'RefMoved',
        'ObjectMissing',
        'Encoding',
        'Error',
      ),
      status: number.optional(),
      seconds: number.optional(),
      host: text.optional(),
      name: text.optional(),
      error: text.optional(),
    },
    message: (f) => `${at(f)}${unreachableText(f)}`,
    meaning: 'A source does not answer, or answers with an error; the published revision stays.',
    advice: (f) => {
      switch (f.because) {
        case 'NoRepository':
        case 'NoHelmRepository':
          return 'correct the URL in spec.source, or give credentials in secretRef'
        case 'PlainFiles':
          return 'serve the repository with a Git server (git http-backend)'
        case 'Certificate':
          return 'add the CA to the Secret of the source as ca.crt'
        case 'RefMoved':
          return 'no action needed: the reference is resolved again'
        default:
          return 'check the server and the network; the controller retries with backoff'
      }
    },
    examples: [
      { on: [git], place: GIT, because: 'ConnectionRefused', host: 'git.example.com' },
      { on: [charts], place: CHARTS, because: 'Status', status: 503 },
      { on: [git], place: GIT, because: 'Certificate', error: 'self-signed certificate' },
    ],
  }),
  SourceAuthFailed: reason({
    actor: 'platform',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf('KeyRefused', 'NoCredentials', 'Rejected', 'NotSent', 'NoToken', 'Secret'),
      status: number.optional(),
      /** Name of the credential, not its value. */
      credential: text.optional(),
      error: text.optional(),
    },
    message: (f) => {
      const status = f.status === undefined ? '' : `status ${f.status}`
      const given = f.credential === undefined ? '' : ` with ${f.credential}`
      switch (f.because) {
        case 'KeyRefused':
          return `${at(f)}the server refused the key in the Secret (identity)`
        case 'NoCredentials':
          return `${at(f)}${status}; give credentials in secretRef, or check them`
        case 'Rejected':
          return `${at(f)}${status}${given}; ${f.status === 401 ? 'check the credentials' : 'the credentials may not read it'}`
        case 'NotSent':
          return `${at(f)}${status}; ${f.credential ?? 'the credential'} is not sent to this host unless passCredentials is set`
        case 'NoToken':
          return `${at(f)}the answer has no token`
        case 'Secret':
          return `${at(f)}${f.error ?? 'invalid Secret'}`
      }
    },
    meaning: 'A source rejects the credentials, or a Secret has no usable credentials.',
    advice: (f) => (f.because === 'NotSent' ? 'set passCredentials' : `correct the Secret: ${whereOf(f)}`),
    examples: [
      { on: [git], place: GIT, because: 'NoCredentials', status: 401 },
      { on: [], field: 'spec.source.git.secretRef', because: 'Secret', error: 'key known_hosts is missing' },
    ],
  }),
  SourceRateLimited: reason({
    actor: 'none',
    on: ofSource,
    facts: { host: text, wait: text, until: text },
    message: (f) => `${f.host} asks to wait ${f.wait} (until ${f.until})`,
    meaning: 'A server answered 429 or 503 and is not asked before the time that it gave.',
    advice: (f) => `no action needed: the next request is sent at ${f.until}`,
    examples: [{ on: [charts], host: 'charts.example.com', wait: '5m', until: '2026-11-24T14:05:00Z' }],
  }),
  HostKeyUnknown: reason({
    actor: 'platform',
    on: ofSource,
    facts: { ...place, host: text, fingerprint: text.optional(), command: text },
    message: (f) =>
      f.fingerprint === undefined
        ? `${at(f)}host key of ${f.host} is not in known_hosts; compare it with ${f.command}`
        : `${at(f)}host key is ${f.fingerprint}, known_hosts has another; check whether it was replaced`,
    meaning: 'The Secret has no entry for the SSH server in known_hosts, or another key.',
    advice: (f) => `compare the key with ${f.command} and add it to known_hosts in the Secret`,
    examples: [
      {
        on: [git],
        place: 'git ssh://git@git.example.com/web.git',
        host: 'git.example.com',
        command: 'ssh-keyscan git.example.com',
      },
    ],
  }),
  RedirectRefused: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf('Status', 'Target', 'TooMany'),
      status: number.optional(),
      to: text.optional(),
      error: text.optional(),
      limit: number.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Status':
          return `${at(f)}status ${f.status}: redirects are not followed; write the URL of the target`
        case 'Target':
          return `${at(f)}redirect to ${f.to} refused: ${f.error}`
        case 'TooMany':
          return `${at(f)}more than ${f.limit} redirects`
      }
    },
    meaning: 'A server redirects to another address, which is not followed.',
    advice: () => 'write the URL of the target into spec.source',
    examples: [{ on: [git], place: GIT, because: 'Status', status: 301 }],
  }),
  RefNotFound: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf(
        'NoRef',
        'NoTag',
        'NotOnBranch',
        'NotOnAnyRef',
        'NotACommit',
        'NoVersion',
        'NoVersionInRange',
        'NoVersions',
        'NoChart',
        'NoManifest',
      ),
      kind: text.optional(),
      name: text.optional(),
      commit: text.optional(),
      range: text.optional(),
      prefix: text.optional(),
      count: number.optional(),
      nearest: texts.optional(),
    },
    message: (f) => `${at(f)}${notFoundText(f)}`,
    meaning: 'A source has no such branch, tag, commit or version.',
    advice: (f) =>
      `correct ${f.nearest === undefined ? 'spec.source.git.ref' : 'spec.source.helm.version'}, or push it`,
    examples: [
      { on: [git], place: GIT, because: 'NoRef', kind: 'branch', name: 'main' },
      {
        on: [charts],
        place: CHARTS,
        because: 'NoVersionInRange',
        name: 'web',
        range: '^3',
        nearest: ['2.1.0', '2.0.0'],
      },
    ],
  }),
  RefMoved: reason({
    actor: 'author',
    on: ofSource,
    facts: { ...place, kind: text, name: text, found: text, pinned: text },
    message: (f) => `${at(f)}${f.kind} ${f.name} is ${f.found}, pinned to ${f.pinned}`,
    meaning: 'A tag or a version has other content than the commit or digest that pins it.',
    advice: (f) => `set the pin to ${f.found} if the change is intended`,
    examples: [{ on: [git], place: GIT, kind: 'tag', name: 'v2', found: '9b1c2f3e', pinned: '0a1b2c3d' }],
  }),
  ResolvedOlder: reason({
    actor: 'author',
    on: ofSource,
    facts: { range: text, found: text, published: text, setting: text },
    message: (f) =>
      `${f.range} resolves to ${f.found}, older than the published ${f.published}, which stays; to roll back set ${f.setting} to ${f.found}`,
    meaning: 'A range resolves to an older version than the published one, which stays.',
    advice: (f) => `set ${f.setting} to ${f.found} to roll back`,
    examples: [
      { on: [git], range: '^2.0', found: 'v2.0.1', published: 'v2.1.0', setting: 'spec.source.git.ref.tag' },
    ],
  }),
  SourceBehind: reason({
    actor: 'author',
    on: ofSource,
    facts: { source: text, release: text, pinned: text.optional() },
    message: (f) =>
      `${f.source}; release ${f.release} is frozen${f.pinned === undefined ? '' : ` at ${f.pinned}`}: raise spec.release to deliver it`,
    meaning: 'The source has changed since the release was published. A release stays as it was published.',
    advice: () => 'raise spec.release to deliver the change',
    examples: [{ on: [git], source: 'branch main has moved to 398036d', release: '1', pinned: 'c0131ba' }],
  }),
  ResourceNotFound: reason({
    actor: 'author',
    on: ofSource,
    facts: { field: place.field, object: text, key: text.optional(), known: texts.optional() },
    message: (f) =>
      f.key === undefined
        ? `${at(f)}${f.object} does not exist`
        : `${at(f)}${f.object} has no key ${f.key}; keys: ${namesText(f.known)}`,
    meaning: 'A field of the spec names a ConfigMap or Secret, or a key of it, that does not exist.',
    advice: (f) => (f.key === undefined ? `create ${f.object}` : `add the key ${f.key} to ${f.object}`),
    examples: [
      {
        on: [],
        field: 'spec.source.configMaps[0]',
        object: 'ConfigMap platform/web',
        key: 'a.yaml',
        known: ['b.yaml'],
      },
    ],
  }),
  HubUnreachable: reason({
    actor: 'platform',
    on: ofSource,
    facts: {
      place: place.place,
      because: oneOf('Error', 'BundleRemoved', 'NameTaken'),
      error: text.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Error':
          return `${at(f)}${f.error ?? 'no answer'}`
        case 'BundleRemoved':
          return `${f.place ?? 'the bundle'} was removed while it was stored; storing it again`
        case 'NameTaken':
          return `${f.place ?? 'an object'} exists without the label of the Module; delete it`
      }
    },
    meaning: 'A request to the API server of the hub failed.',
    advice: (f) =>
      f.because === 'NameTaken'
        ? `delete ${f.place ?? 'the object'}`
        : 'check the API server of the hub; the controller retries with backoff',
    examples: [
      { on: [], because: 'Error', error: 'etcdserver: request timed out' },
      { on: [], because: 'BundleRemoved', place: 'bundle 3f9a1c2b7d' },
    ],
  }),
  ToolMissing: reason({
    actor: 'platform',
    on: ofSource,
    facts: { tool: oneOf('git', 'helm', 'kustomize'), field: text },
    message: (f) => {
      const tool = { git: 'git', helm: 'helm', kustomize: 'kustomize or kubectl' }[f.tool]
      return `${tool} is not on PATH of the controller; ${f.field} needs it: install ${INSTALL[f.tool]}`
    },
    meaning: 'A program that reads or renders a source is not installed beside the controller.',
    advice: (f) => `install ${INSTALL[f.tool]} beside the controller`,
    examples: [{ on: [], tool: 'git', field: 'spec.source.git' }],
  }),
} as const

const INSTALL = { git: 'git ≥ 2.34', helm: 'helm', kustomize: 'kustomize or kubectl' } as const

function unreachableText(f: {
  readonly because: string
  readonly status?: number | undefined
  readonly seconds?: number | undefined
  readonly host?: string | undefined
  readonly name?: string | undefined
  readonly error?: string | undefined
}): string {
  switch (f.because) {
    case 'NoRepository':
      return 'no repository at this URL, or not visible with these credentials'
    case 'NoHelmRepository':
      return `status ${f.status}: no Helm repository at this URL`
    case 'Status':
      return `status ${f.status}`
    case 'PlainFiles':
      return 'served as plain files; a Git server (git http-backend) is required'
    case 'Certificate':
      return `certificate not trusted (${f.error}); add the CA to the Secret${f.name === undefined ? '' : ` of ${f.name}`} as ca.crt`
    case 'UnknownHost':
      return `${f.host} is not known to DNS`
    case 'ConnectionRefused':
      return `${f.host} refuses connections`
    case 'ConnectionClosed':
      return 'connection closed before the end of the answer'
    case 'Timeout':
      return `no complete answer within ${SECONDS(f.seconds)}`
    case 'Stopped':
      return 'request stopped'
    case 'RefMoved':
      return `${f.name} moved during the fetch`
    case 'ObjectMissing':
      return `${f.name} was not sent`
    case 'Encoding':
      return `the answer is encoded as ${f.name}, which was not requested`
    default:
      return f.error ?? 'no answer'
  }
}

function notFoundText(f: {
  readonly because: string
  readonly kind?: string | undefined
  readonly name?: string | undefined
  readonly commit?: string | undefined
  readonly range?: string | undefined
  readonly prefix?: string | undefined
  readonly count?: number | undefined
  readonly nearest?: readonly string[] | undefined
}): string {
  const near = f.nearest && f.nearest.length > 0 ? `; nearest: ${f.nearest.join(', ')}` : ''
  switch (f.because) {
    case 'NoRef':
      return `no ${f.kind} ${f.name}`
    case 'NoTag':
      return `none of ${f.count} tags matches ${f.range}${f.prefix === undefined ? '' : ` with prefix ${f.prefix}`}`
    case 'NotOnBranch':
      return `commit ${f.commit} is not on ${f.name}`
    case 'NotOnAnyRef':
      return `commit ${f.commit} is not on a branch or tag`
    case 'NotACommit':
      return 'the reference names a file or directory, not a commit'
    case 'NoVersion':
      return `no version ${f.range} of chart ${f.name}${near}`
    case 'NoVersionInRange':
      return `no version of chart ${f.name} matches ${f.range}${near}`
    case 'NoVersions':
      return `no versions of chart ${f.name}`
    case 'NoChart':
      return `no chart ${f.name}, or not visible with these credentials`
    default:
      return 'the manifest no longer exists'
  }
}
