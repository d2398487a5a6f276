import { encodeYaml } from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { PROFILES, type Profile } from '../../../api/rights.ts'
import { type CliFailure, type Command, type Flags, failed, isSet } from '../../kit/index.ts'
import { type Installation, installManifests } from '../../kit/install/index.ts'
import { listOf } from '../../kit/output/index.ts'

/** `lockstep install`. */
export const installCommand: Command = {
  name: 'install',
  summary: 'Print manifests for a hub: CRDs, accounts, RBAC, policies',
  detail:
    'Prints YAML for kubectl and changes nothing. Then run lockstep controller under the ServiceAccount lockstep-system/lockstep-controller. In each namespace of --namespaces it prints the ServiceAccount lockstep-deployer, as which Modules of that namespace act on the hub.',
  options: [
    {
      flags: '--namespaces <names>',
      text: 'namespaces with Modules and clusters, separated by commas',
    },
    {
      flags: '--with <profiles>',
      text: `what else is served, separated by commas: ${PROFILES.join(', ')}`,
    },
    { flags: '--resource-sets', text: 'the same as --with resource-sets' },
  ],
  formats: ['yaml', 'json'],
  examples: [
    [
      'Install on the current context, for one namespace',
      'install --namespaces platform | kubectl apply --server-side -f -',
    ],
    ['Look first', 'install --namespaces platform | less'],
    [
      'Serve clusters of Cluster API and ClusterResourceSets',
      'install --namespaces platform,team-a --with capi,resource-sets',
    ],
  ],
  async run(c, _args, flags) {
    const read = installationOf(flags)
    if (!read.ok) return read
    const objects = installManifests(read.value)
    if (c.globals.output === 'json') {
      c.terminal.data(`${JSON.stringify(listOf(objects as never), null, 2)}\n`)
      return { ok: true, value: 0 }
    }
    c.terminal.data(objects.map((o) => encodeYaml(o)).join('---\n'))
    return { ok: true, value: 0 }
  },
}

/** Their accounts own the cluster: a right to impersonate them is too much. */
const UNMANAGED: ReadonlySet<string> = new Set([
  'kube-system',
  'kube-public',
  'kube-node-lease',
  SYSTEM_NAMESPACE,
])
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

function installationOf(flags: Flags): { ok: true; value: Installation } | { ok: false; error: CliFailure } {
  const namespaces = listIn(flags.namespaces)
  const profiles = listIn(flags.with)
  const refused = namespaces.find((n) => UNMANAGED.has(n))
  if (refused !== undefined)
    return failed('E_USAGE', { problem: `${refused} cannot be managed: its accounts own the cluster` })
  const misnamed = namespaces.find((n) => !NAME.test(n))
  if (misnamed !== undefined)
    return failed('E_USAGE', {
      problem: `--namespaces: ${JSON.stringify(misnamed)} is not the name of a namespace`,
    })
  const unknown = profiles.find((p) => !PROFILES.includes(p as Profile))
  if (unknown !== undefined)
    return failed('E_USAGE', {
      problem: `--with: ${JSON.stringify(unknown)} is not known`,
      suggestion: `use ${PROFILES.join(', ')}`,
    })
  const sets = isSet(flags, 'resourceSets') ? ['resource-sets'] : []
  return { ok: true, value: { namespaces, profiles: [...new Set([...profiles, ...sets])] as Profile[] } }
}

const listIn = (value: unknown): string[] =>
  typeof value === 'string' ? [...new Set(value.split(',').map((v) => v.trim()))].filter((v) => v !== '') : []
