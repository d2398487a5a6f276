import { z } from 'zod'
import { dnsLabel, dnsName, goDuration, rules } from '../schemarules.ts'

const item = z.object({
  name: dnsName.describe('Name of an object in the namespace of this Module.'),
  key: z
    .string()
    .min(1)
    .max(253)
    .optional()
    .describe('Key of the object; if omitted, all keys in byte order.'),
})

const secretRef = z.object({ name: dnsName.describe('Name of the Secret.') })

const resource = z.object({
  kind: z.enum(['ConfigMap', 'Secret']).describe('Kind of the object.'),
  name: dnsName.describe('Name of the object.'),
})

const gitRef = z
  .object({
    branch: z.string().max(255).optional().describe('Name of a branch.'),
    tag: z.string().max(255).optional().describe('Name of a tag.'),
    semver: z
      .string()
      .max(255)
      .optional()
      .describe('Range of versions, whose highest tag is used: ^1.2, ~1.2.3, >=1.2 <2, 1.x.'),
    tagPrefix: z.string().max(255).optional().describe('Text before the version in tags.'),
    name: z
      .string()
      .max(1024)
      .optional()
      .describe('Full reference such as refs/pull/7/head, or HEAD for the default branch.'),
    commit: z
      .string()
      .max(64)
      .optional()
      .describe('Commit hash of 40 or 64 hex digits. With `branch`, `tag` or `name` a pin that must agree.'),
  })
  .meta(
    rules(
      {
        rule: 'has(self.commit) || [has(self.branch), has(self.tag), has(self.semver), has(self.name)].exists(given, given)',
        message: 'must set one of branch, tag, semver, name and commit',
      },
      {
        rule: '[has(self.branch), has(self.tag), has(self.semver), has(self.name)].filter(given, given).size() <= 1',
        message: 'at most one of branch, tag, semver and name',
      },
      {
        rule: '!has(self.semver) || !has(self.commit)',
        message: 'commit must not be set with semver',
      },
      { rule: '!has(self.tagPrefix) || has(self.semver)', message: 'tagPrefix requires semver' },
    ),
  )
  .describe('Revision of the repository, by exactly one of `branch`, `tag`, `semver`, `name` and `commit`.')

const git = z
  .object({
    url: z
      .string()
      .min(1)
      .max(2048)
      .describe('URL of the repository, https://host/path or ssh://git@host/path, without credentials.'),
    ref: gitRef,
    path: z.string().max(1024).default('.').describe('Directory in the repository.'),
    secretRef: secretRef
      .optional()
      .describe(
        'Secret with `username` and `password`, `bearerToken`, `ca.crt`, `tls.crt` and `tls.key`; for ssh `identity` and `known_hosts`.',
      ),
  })
  .describe('Directory of a Git repository.')

export type GitSource = z.output<typeof git>

const helm = z
  .object({
    repository: z
      .string()
      .min(1)
      .max(2048)
      .describe(
        'URL of the repository: https://host/path with an index.yaml, or oci://host/path of the parent of the chart.',
      ),
    chart: z
      .string()
      .min(1)
      .max(253)
      .regex(/^[A-Za-z0-9_-][A-Za-z0-9._-]*$/)
      .describe('Name of the chart.'),
    version: z
      .string()
      .min(1)
      .max(255)
      .describe('Version of the chart, or a range: ^1.2, ~1.2.3, >=1.2 <2, 1.x, *.'),
    digest: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/)
      .optional()
      .describe('Digest of the .tgz or the OCI manifest. Pin with which an exact version must agree.'),
    secretRef: secretRef
      .optional()
      .describe(
        'Secret with `username` and `password`, or `bearerToken`; for oci:// also `.dockerconfigjson`.',
      ),
    certSecretRef: secretRef
      .optional()
      .describe('Secret with `ca.crt`, trusted in addition; `tls.crt` and `tls.key` as client certificate.'),
    passCredentials: z
      .boolean()
      .optional()
      .describe('Whether credentials are also sent to other hosts in the index.'),
  })
  .describe('Chart of a Helm repository or OCI registry.')

export type HelmSource = z.output<typeof helm>

const ref = z
  .object({
    name: dnsLabel.describe('Name of the repository in `valuesFiles`, as $name/path.'),
    git: git.omit({ path: true }).describe('Repository and revision.'),
  })
  .describe('Additional repository.')

export const sourceSpec = z
  .object({
    interval: goDuration('30s', '24h', 'Polling interval of branches, tags and ranges,').default('5m'),
    timeout: goDuration('10s', '10m', 'Timeout of one request to a source,').default('60s'),
    ignore: z
      .string()
      .max(65_536)
      .optional()
      .describe('Patterns as in .gitignore, after the defaults and the .sourceignore files of the tree.'),
    git: git.optional(),
    helm: helm.optional(),
    refs: z
      .array(ref)
      .max(4)
      .optional()
      .meta({ listType: 'map', mapKeys: ['name'] })
      .describe('Additional repositories for render.helm.valuesFiles.'),
    configMaps: z
      .array(item)
      .min(1)
      .max(100)
      .optional()
      .describe('ConfigMaps with YAML streams, in the order of this list.'),
    secrets: z
      .array(item)
      .min(1)
      .max(100)
      .optional()
      .describe('Secrets with YAML streams, in the order of this list. The bundle is stored as a Secret.'),
    resources: z
      .array(resource)
      .min(1)
      .max(100)
      .optional()
      .describe(
        'ConfigMaps and Secrets as in a ClusterResourceSet: all keys, also JSON arrays. The revision has the hashes of Cluster API.',
      ),
    ordering: z
      .enum(['Graph', 'Listed'])
      .optional()
      .describe(
        'Order of `resources`. `Graph`: one order over all objects, the default. `Listed`: all objects of one resource are healthy before the next begins.',
      ),
    inline: z
      .object({
        objects: z
          .array(z.unknown().meta({ anyObject: true }))
          .max(1000)
          .describe('Manifests, in the order of this list.'),
      })
      .optional()
      .describe('Manifests in this field, without Secrets that have data.'),
    none: z
      .object({})
      .optional()
      .describe('No manifests. The Module is a checkpoint, which is ready when its dependencies are.'),
  })
  .meta({
    exactlyOne: ['git', 'helm', 'configMaps', 'secrets', 'resources', 'inline', 'none'],
    ...rules({
      rule: '!has(self.ordering) || has(self.resources)',
      message: 'requires resources',
      fieldPath: '.ordering',
    }),
  })
  .describe('Origin of the manifests. Exactly one.')
