import { encodeYaml } from '@lockstep/kube/object'
import { type Command, failed, isSet } from '../../kit/index.ts'
import { installManifests } from '../../kit/install/index.ts'
import { listOf } from '../../kit/output/index.ts'

/** `lockstep install --export`. */
export const installCommand: Command = {
  name: 'install',
  summary: 'Print manifests for a hub: CRDs, namespace, RBAC, policy',
  detail:
    'Prints YAML for kubectl and changes nothing. Then run lockstep controller under the ServiceAccount lockstep-system/lockstep-controller.',
  options: [
    { flags: '--export', text: 'print the manifests on standard output (required)' },
    {
      flags: '--resource-sets',
      text: 'add ClusterResourceSet, for hubs without Cluster API',
    },
  ],
  formats: ['yaml', 'json'],
  examples: [
    ['Install on the current context', 'install --export | kubectl apply --server-side -f -'],
    ['Look first', 'install --export | less'],
    ['Install ClusterResourceSets without Cluster API', 'install --export --resource-sets'],
  ],
  async run(c, _args, flags) {
    if (!isSet(flags, 'export'))
      return failed('E_USAGE', {
        problem: 'install only prints manifests',
        suggestion: 'lockstep install --export | kubectl apply --server-side -f -',
      })
    const objects = installManifests(isSet(flags, 'resourceSets'))
    if (c.globals.output === 'json') {
      c.terminal.data(`${JSON.stringify(listOf(objects as never), null, 2)}\n`)
      return { ok: true, value: 0 }
    }
    c.terminal.data(objects.map((o) => encodeYaml(o)).join('---\n'))
    return { ok: true, value: 0 }
  },
}
