/** Reasons of files, charts and bundles: from a fetched source to stored manifests. */
import { at, namesText, ofSource, place } from './place.ts'
import { number, oneOf, reason, text, texts } from './reason.ts'
import type { WaitRefOf } from './waitref.ts'

const key: WaitRefOf<'Object'> = {
  kind: 'Object',
  name: 'lockstep-hmac',
  namespace: 'lockstep-system',
  object: { apiVersion: 'v1', kind: 'Secret' },
}

export const renderReasons = {
  PathMissing: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf('Directory', 'File', 'ValuesFile', 'Chart'),
      path: text,
      revision: text.optional(),
      known: texts.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Directory':
          return `${at(f)}path ${f.path} is not a directory at ${f.revision}; directories: ${namesText(f.known)}`
        case 'File':
          return `${at(f)}no file ${f.path}; correct the path, or set ignoreMissingValuesFiles`
        case 'ValuesFile':
          return `${at(f)}no file ${f.path} in the source${f.known === undefined ? '' : `; values files: ${namesText(f.known)}`}`
        case 'Chart':
          return `${at(f)}no ${f.path}; the path must be the directory of a chart`
      }
    },
    meaning: 'A path of the spec does not exist in the source.',
    advice: (f) =>
      f.because === 'File'
        ? 'correct the path, or set ignoreMissingValuesFiles'
        : `correct the path, or commit ${f.path}`,
    examples: [
      {
        on: [],
        place: 'git',
        because: 'Directory',
        path: 'deploy',
        revision: 'main@sha1:9b1c',
        known: ['apps'],
      },
      { on: [], place: 'helm', because: 'Chart', path: 'charts/web/Chart.yaml' },
    ],
  }),
  PathEscapes: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf(
        'Outside',
        'Encoding',
        'Length',
        'ControlCharacter',
        'GitDirectory',
        'Links',
        'Dangling',
        'Link',
      ),
      path: text,
      to: text.optional(),
      limit: number.optional(),
    },
    message: (f) => {
      const subject = `${at(f)}${f.path}${f.to === undefined ? '' : ` → ${f.to}`}`
      switch (f.because) {
        case 'Outside':
          return `${subject} is outside the repository`
        case 'Encoding':
          return `${at(f)}the name of a file is not UTF-8`
        case 'Length':
          return `${subject} is longer than ${f.limit} bytes`
        case 'ControlCharacter':
          return `${subject} contains a control character`
        case 'GitDirectory':
          return `${subject} is part of a .git directory`
        case 'Links':
          return `${subject} follows more than ${f.limit} links`
        case 'Dangling':
          return `${subject} does not exist`
        case 'Link':
          return `${subject} is another link`
      }
    },
    meaning: 'A path or a link leads out of the repository, or has a name that is not safe.',
    advice: (f) => `correct the path ${f.path}`,
    examples: [{ on: [], place: 'git', because: 'Outside', path: 'deploy/web.yaml', to: '../../etc/passwd' }],
  }),
  ArchiveRefused: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf('Fsck', 'Entry', 'Digest', 'Url', 'NoUrl', 'Size', 'NotAChart', 'Layer', 'Invalid'),
      name: text.optional(),
      expected: text.optional(),
      found: text.optional(),
      types: texts.optional(),
      error: text.optional(),
    },
    message: (f) => {
      const name = f.name === undefined ? '' : `${f.name}: `
      switch (f.because) {
        case 'Fsck':
          return `${at(f)}objects fail git fsck (names like .. or .git, or damaged trees)`
        case 'Entry':
          return `${at(f)}git lists an unknown entry`
        case 'Digest':
          return `${at(f)}${name}digest is ${f.found}, expected ${f.expected}`
        case 'Url':
          return `${at(f)}the index names ${f.name}: ${f.error}`
        case 'NoUrl':
          return `${at(f)}the index names no URL of this version`
        case 'Size':
          return `${at(f)}size is ${f.found} bytes, expected ${f.expected}`
        case 'NotAChart':
          return `${at(f)}not a chart: no layer of type ${f.expected}${f.types === undefined ? '' : `; layers: ${namesText(f.types)}`}`
        case 'Layer':
          return `${at(f)}the layer has no digest or size`
        case 'Invalid':
          return `${at(f)}${name}${f.error}`
      }
    },
    meaning: 'The content of a source is damaged, unsafe, or not what its digest or index promises.',
    advice: () => 'publish the archive or commit again at the source',
    examples: [
      {
        on: [],
        place: 'helm https://charts.example.com',
        because: 'Digest',
        name: 'version 1.2.3',
        expected: 'sha256:9b1c',
        found: 'sha256:0a1b',
      },
    ],
  }),
  SourceTooLarge: reason({
    actor: 'author',
    on: ofSource,
    facts: { ...place, limit: text },
    message: (f) => `${at(f)}more than ${f.limit}`,
    meaning: 'A source has more files or bytes than the limit.',
    advice: () => 'set a smaller path in spec.source, or remove files from it',
    examples: [{ on: [], place: 'git https://git.example.com/web.git', limit: '64 MiB' }],
  }),
  RenderFailed: reason({
    actor: 'author',
    on: ofSource,
    facts: {
      ...place,
      because: oneOf('Tool', 'Timeout', 'Secret', 'Encoding', 'Lfs', 'Depth', 'Yaml', 'Json', 'Values'),
      /** Output of the tool or parser. */
      error: text.optional(),
      seconds: number.optional(),
      limit: number.optional(),
      setting: text.optional(),
    },
    message: (f) => {
      const hint = f.setting === undefined ? '' : `; set ${f.setting}`
      switch (f.because) {
        case 'Tool':
        case 'Yaml':
        case 'Values':
          return `${at(f)}${f.error ?? 'failed without output'}${hint}`
        case 'Timeout':
          return `${at(f)}not complete after ${f.seconds}s`
        case 'Secret':
          return `${at(f)}${f.error ?? 'failed'}; the output of helm is hidden, because values are from Secrets`
        case 'Encoding':
          return `${at(f)}not UTF-8; save it as UTF-8`
        case 'Lfs':
          return `${at(f)}Git LFS pointer; LFS is not supported`
        case 'Depth':
          return `${at(f)}bases are nested deeper than ${f.limit} directories`
        case 'Json':
          return `${at(f)}not JSON`
      }
    },
    meaning: 'Manifests are not made: a file is invalid, or Helm or kustomize fails.',
    advice: (f) =>
      `correct the source${f.place === undefined ? '' : ` at ${f.place}`}; try it with: lockstep render`,
    examples: [
      { on: [], place: 'deploy/web.yaml:3:5', because: 'Yaml', error: 'mapping values are not allowed here' },
      { on: [], place: 'helm', because: 'Timeout', seconds: 60 },
    ],
  }),
  ChartDependencyMissing: reason({
    actor: 'author',
    on: ofSource,
    facts: { place: text, chart: text, version: text.optional() },
    message: (f) =>
      `${f.place}: ${f.chart}${f.version ? ` ${f.version}` : ''} is not in charts/; commit it (helm dependency build)`,
    meaning: 'A chart depends on another chart that is not in its directory charts/.',
    advice: (f) => `run helm dependency build, and commit charts/${f.chart}`,
    examples: [{ on: [], place: 'web/Chart.yaml:7', chart: 'redis', version: '18.1.0' }],
  }),
  NondeterministicRender: reason({
    actor: 'author',
    on: ofSource,
    facts: { object: text, path: text.optional(), file: text },
    message: (f) =>
      f.path === undefined
        ? `helm: only one of two runs renders ${f.object} (${f.file})`
        : `helm: ${f.object}: ${f.path} differs between two runs (${f.file})`,
    meaning: 'Helm renders a chart differently at each run, so its revision is not reproducible.',
    advice: () => 'give the value in spec.render.helm.values, or set spec.render.helm.allowRandom',
    examples: [
      { on: [], object: 'Secret web/admin', path: 'data.password', file: 'web/templates/secret.yaml' },
    ],
  }),
  RemoteBaseRefused: reason({
    actor: 'author',
    on: ofSource,
    facts: { place: text, because: oneOf('Base', 'Schema'), name: text, url: text },
    message: (f) =>
      f.because === 'Base'
        ? `${f.place}: ${f.name}: ${f.url}: remote bases are not fetched; copy it into the repository`
        : `${f.place}: ${f.name} ${f.url}: schemas are not read from other places; copy it into the file, or set spec.render.helm.skipSchemaValidation`,
    meaning: 'A kustomization or a schema of a chart refers to a file outside the source.',
    advice: (f) =>
      f.because === 'Base'
        ? 'copy the base into the repository'
        : 'copy the schema into the file, or set spec.render.helm.skipSchemaValidation',
    examples: [
      {
        on: [],
        place: 'deploy/kustomization.yaml:3',
        because: 'Base',
        name: 'resources.0',
        url: 'https://github.com/example/web',
      },
    ],
  }),
  EmptyRender: reason({
    actor: 'author',
    on: ofSource,
    facts: { field: place.field, object: text.optional() },
    message: (f) =>
      `${at(f)}${f.object ?? 'the bundle'} has no objects and apply.allowEmpty is false; the deployed objects stay`,
    setMessage: (f) =>
      `${at(f)}${f.object ?? 'the bundle'} has no objects and lockstep.dev/allow-empty is not "true"; the deployed objects stay`,
    meaning: 'A source renders no objects, which deletes nothing unless spec.apply.allowEmpty is set.',
    advice: () => 'correct spec.source, or set spec.apply.allowEmpty: true to remove all objects',
    examples: [{ on: [], object: 'Module platform/hello' }],
  }),
  BundleTooLarge: reason({
    actor: 'author',
    on: ofSource,
    facts: { ...place, size: text.optional(), limit: text },
    message: (f) =>
      `${at(f)}${f.size === undefined ? `more than ${f.limit}` : `${f.size}, the limit is ${f.limit}`}; split the Module`,
    meaning: 'A Module has more objects or bytes than a bundle can store.',
    advice: () => 'split the Module',
    examples: [{ on: [], size: '12000 objects', limit: '10000 objects' }],
  }),
  BundleConflict: reason({
    actor: 'platform',
    on: ofSource,
    facts: { bundle: text, error: text },
    message: (f) => `bundle ${f.bundle} is stored with other content (${f.error}); delete its Secrets`,
    meaning: 'Secrets of a bundle exist and do not have its content.',
    advice: (f) => `delete the Secrets lockstep-bundle-${f.bundle}-*; the bundle is then stored again`,
    examples: [{ on: [], bundle: '3f9a1c2b7d', error: 'BundleCorrupt' }],
  }),
  BundleCorrupt: reason({
    actor: 'platform',
    on: ofSource,
    facts: {
      place: text,
      because: oneOf('Index', 'Shard', 'Packed', 'Content', 'Key'),
      shard: number.optional(),
      shards: number.optional(),
    },
    message: (f) => {
      switch (f.because) {
        case 'Index':
          return `${f.place}: the index is for another bundle`
        case 'Shard':
          return `${f.place}: shard ${f.shard} of ${f.shards} has other content than its digest`
        case 'Packed':
          return `${f.place}: the content does not unpack`
        case 'Content':
          return `${f.place}: the content does not match its digest`
        case 'Key':
          return `${f.place}: key current names none of its keys; restore it from a backup`
      }
    },
    meaning: 'The content of a stored bundle or key is not the content that was stored.',
    advice: (f) =>
      f.because === 'Key'
        ? `restore ${f.place} from a backup`
        : `delete the Secrets of ${f.place}, and publish again`,
    examples: [{ on: [], place: 'bundle 3f9a1c2b7d', because: 'Shard', shard: 2, shards: 3 }],
  }),
  HmacKeyMissing: reason({
    actor: 'platform',
    on: ofSource,
    facts: {
      secret: text,
      because: oneOf('NoSecret', 'NoKey', 'Differs'),
      key: text.optional(),
      stored: text,
      command: text,
      difference: text.optional(),
    },
    message: (f) => {
      if (f.because === 'Differs')
        return `${f.stored} has lost its key, and its objects differ: ${f.difference}; nothing is written; see ${f.command}`
      const state = f.because === 'NoSecret' ? 'does not exist' : `has no key ${f.key}`
      return `${f.secret} ${state}, but ${f.stored} requires it; restore it from a backup`
    },
    meaning: 'A key of stored digests is missing, so secret values cannot be compared.',
    advice: (f) =>
      f.because === 'Differs'
        ? `correct the objects that ${f.command} shows, or recreate the Module with deletionPolicy: Orphan`
        : `restore ${f.secret} from a backup; without a backup: ${f.command}`,
    examples: [
      {
        on: [key],
        secret: 'Secret lockstep-system/lockstep-hmac',
        because: 'NoSecret',
        stored: 'Inventory platform/m.web.c1',
        command: 'lockstep reconcile module/web --rebuild-digests',
      },
    ],
  }),
} as const
