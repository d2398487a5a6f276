import { z } from 'zod'
import { dnsLabel, dnsName, goDuration, rules } from '../schemarules.ts'

const item = z.object({
  name: dnsName.describe('Name of an object in the namespace of this Module.'),
  key: z.string().min(1).max(253).optional().describe('One key; absent: all keys, sorted by bytes.'),
})

const secretRef = z.object({ name: dnsName })

const resource = z.object({ kind: z.enum(['ConfigMap', 'Secret']), name: dnsName })

const gitRef = z
  .object({
    branch: z.string().max(255).optional(),
    tag: z.string().max(255).optional(),
    semver: z
      .string()
      .max(255)
      .optional()
      .describe('The highest tag in a range: ^1.2, ~1.2.3, >=1.2 <2, 1.x.'),
    tagPrefix: z.string().max(255).optional().describe('What tags begin with before their version.'),
    name: z
      .string()
      .max(1024)
      .optional()
      .describe('A whole reference: refs/pull/7/head; or HEAD, the default branch.'),
    commit: z
      .string()
      .max(64)
      .optional()
      .describe('40 or 64 hex digits. Beside branch, tag or name: a pin that it must agree with.'),
  })
  .meta(
    rules(
      {
        rule: 'has(self.commit) || [has(self.branch), has(self.tag), has(self.semver), has(self.name)].exists(given, given)',
        message: 'is empty; give one of branch, tag, semver, name, commit',
      },
      {
        rule: '[has(self.branch), has(self.tag), has(self.semver), has(self.name)].filter(given, given).size() <= 1',
        message: 'exactly one of branch, tag, semver, name, commit',
      },
      {
        rule: '!has(self.semver) || !has(self.commit)',
        message: 'a commit pins branch, tag or name; with semver, leave it out',
      },
      { rule: '!has(self.tagPrefix) || has(self.semver)', message: 'tagPrefix is for semver' },
    ),
  )
  .describe('Exactly one of branch, tag, semver, name and commit.')

const git = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('https://host/path or ssh://git@host/path, without credentials.'),
    ref: gitRef,
    path: z.string().max(1024).default('.').describe('A directory of the repository.'),
    secretRef: secretRef
      .optional()
      .describe(
        'username and password, bearerToken, ca.crt, tls.crt and tls.key; for ssh identity and known_hosts.',
      ),
  })
  .describe('A directory of a Git repository.')

export type GitSource = z.output<typeof git>

const helm = z
  .object({
    repository: z
      .string()
      .min(1)
      .max(2048)
      .describe('https://host/path, below which index.yaml is; or oci://host/path, the parent of the chart.'),
    chart: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/)
      .describe('Name of the chart.'),
    version: z.string().min(1).max(255).describe('A version, or a range: ^1.2, ~1.2.3, >=1.2 <2, 1.x, *.'),
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/)
      .optional()
      .describe('Of the .tgz, or of the OCI manifest: a pin that an exact version must agree with.'),
    secretRef: secretRef
      .optional()
      .describe('username and password, or bearerToken; for oci:// also .dockerconfigjson.'),
    certSecretRef: secretRef
      .optional()
      .describe('ca.crt, which is trusted in addition; tls.crt and tls.key, shown to the repository.'),
    passCredentials: z
      .boolean()
      .optional()
      .describe('Credentials are sent to another host that the index names, too. Absent: they are not.'),
  })
  .describe('A chart of a Helm repository or of an OCI registry.')

export type HelmSource = z.output<typeof helm>

const ref = z
  .object({
    name: dnsLabel.describe('What valuesFiles call it: $name/path.'),
    git: git.omit({ path: true }),
  })
  .describe('A further repository.')

export const sourceSpec = z
  .object({
    interval: goDuration(
      '30s',
      '24h',
      'How often what can move is looked at: branches, tags, ranges.',
    ).default('5m'),
    timeout: goDuration('10s', '10m', 'For one request to a source.').default('60s'),
    ignore: z
      .string()
      .max(65_536)
      .optional()
      .describe('Lines as in .gitignore, after the defaults and the .sourceignore files of the tree.'),
    git: git.optional(),
    helm: helm.optional(),
    refs: z
      .array(ref)
      .max(4)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe('Further repositories, for render.helm.valuesFiles alone.'),
    configMaps: z
      .array(item)
      .min(1)
      .max(100)
      .optional()
      .describe('YAML streams in ConfigMaps, in the order of this list.'),
    secrets: z
      .array(item)
      .min(1)
      .max(100)
      .optional()
      .describe('YAML streams in Secrets, in the order of this list. The bundle is stored as a secret.'),
    resources: z
      .array(resource)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'ConfigMaps and Secrets as ClusterResourceSets have them: all keys of each, also JSON arrays. Their hashes in the revision are those of Cluster API.',
      ),
    ordering: z
      .enum(['Graph', 'Listed'])
      .optional()
      .describe(
        'Of resources. Graph, the default: one order over all objects. Listed: all of one is healthy before the next begins.',
      ),
    inline: z
      .object({ objects: z.array(z.unknown().meta({ anyObject: true })).max(1000) })
      .optional()
      .describe('Manifests written here; at most 256 KiB in all, no Secret with data.'),
    none: z
      .object({})
      .optional()
      .describe('No manifests: a checkpoint, which only checks that others are ready.'),
  })
  .meta({
    exactlyOne: ['git', 'helm', 'configMaps', 'secrets', 'resources', 'inline', 'none'],
    ...rules({
      rule: '!has(self.ordering) || has(self.resources)',
      message: 'is for resources',
      fieldPath: '.ordering',
    }),
  })
  .describe('Where the manifests come from. Exactly one.')
