import type { Result } from '@lockstep/kube/env'
import { encodeYaml } from '@lockstep/kube/object'
import { SYSTEM_NAMESPACE } from '../../../api/labels.ts'
import { PROFILES, type Profile } from '../../../api/rights.ts'
import { type CliFailure, type Command, type Flags, failed, isSet, textFlag } from '../../kit/index.ts'
import { type ControllerPods, type Installation, installManifests } from '../../kit/install/index.ts'
import { listOf } from '../../kit/output/index.ts'

/** `lockstep install`. */
export const installCommand: Command = {
  name: 'install',
  summary: 'Print manifests for a hub: CRDs, RBAC, policies, controller',
  detail:
    'Prints YAML for kubectl and changes nothing. The controller is a Deployment with two replicas in lockstep-system; with --controller=false, run lockstep controller under the ServiceAccount lockstep-system/lockstep-controller. In each namespace of --namespaces it prints the ServiceAccount lockstep-deployer, as which Modules of that namespace act on the hub.',
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
    { flags: '--image <reference>', text: 'image of the controller, as npm run image builds it' },
    {
      flags: '--controller <boolean>',
      text: 'print the controller; false where it runs elsewhere, or to add namespaces',
      choices: ['true', 'false'],
      default: 'true',
    },
  ],
  formats: ['yaml', 'json'],
  examples: [
    [
      'Install on the current context, for one namespace',
      'install --namespaces platform --image registry.example.com/lockstep:0.1.0 | kubectl apply --server-side -f -',
    ],
    [
      'Add a namespace, and leave the controller as it is',
      'install --namespaces team-a --controller=false | kubectl apply --server-side -f -',
    ],
    [
      'Serve clusters of Cluster API and ClusterResourceSets',
      'install --namespaces platform --with capi,resource-sets --controller=false',
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

function installationOf(flags: Flags): Result<Installation, CliFailure> {
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
  const controller = controllerOf(flags)
  if (!controller.ok) return controller
  const all = [...new Set([...profiles, ...sets])] as Profile[]
  return { ok: true, value: { namespaces, profiles: all, controller: controller.value } }
}

/** Host, path, tag and digest. Nothing is published under a public name, so there is not a default: users name their registry. */
const REFERENCE = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)*(:\w[\w.-]*)?(@sha256:[0-9a-f]{64})?$/

/** Undefined: the manifests leave the controller out. */
function controllerOf(flags: Flags): Result<ControllerPods | undefined, CliFailure> {
  const image = textFlag(flags, 'image')
  const isWanted = textFlag(flags, 'controller') !== 'false'
  if (!isWanted && image === undefined) return { ok: true, value: undefined }
  if (!isWanted)
    return failed('E_USAGE', {
      problem: '--image and --controller=false exclude each other',
      suggestion: 'use one of them',
    })
  if (image !== undefined && REFERENCE.test(image)) return { ok: true, value: { image } }
  return failed('E_USAGE', {
    problem:
      image === undefined
        ? '--image is missing'
        : `--image: ${JSON.stringify(image)} is not an image reference`,
    suggestion:
      'for example: --image registry.example.com/lockstep:0.1.0; without the controller: --controller=false',
  })
}

const listIn = (value: unknown): string[] =>
  typeof value === 'string' ? [...new Set(value.split(',').map((v) => v.trim()))].filter((v) => v !== '') : []
