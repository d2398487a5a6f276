/** Fields of the objects that clusters are, as commands read them. */
import { expect, it } from 'vitest'
import type { KubeObject } from '../../../../../kube/src/object/index.ts'
import type { ModuleBinding } from '../../../api/kinds/module/modulebindings.ts'
import { hubView } from '../../../fleet/clusters/cluster.ts'
import type { CommandContext } from '../command.ts'
import { type BindingReader, readBindings } from './readbindings.ts'

const VERSION = {
  name: 'version',
  type: 'String',
  cluster: { fieldPath: 'spec.topology.version' },
} as ModuleBinding
const EU = {
  ...hubView('prod'),
  name: 'eu-1',
  objectName: 'eu-1',
  kind: 'ClusterAPI' as const,
  access: { type: 'Missing' as const, message: 'none' },
}
const object = (version: string, spec: object): KubeObject =>
  ({
    apiVersion: `cluster.x-k8s.io/${version}`,
    kind: 'Cluster',
    metadata: { name: 'eu-1', namespace: 'prod' },
    spec,
  }) as unknown as KubeObject

/** A hub that serves nothing of that kind: what there is stands in files. */
async function versionOn(cluster: BindingReader['cluster'], beside: readonly KubeObject[]) {
  const clusters = { reach: async () => ({ served: [], client: {} }) }
  const place = { cluster, beside, clusters, hub: {} } as unknown as BindingReader
  const context = { signal: new AbortController().signal } as unknown as CommandContext
  const found = await readBindings(context, place, [VERSION], ['version'], new Map())
  return found.ok ? found.value.get('version')?.value : found.error.message
}

it.each(['v1beta2', 'v1beta1'])('are read in whichever version there is: %s', async (version) => {
  const there = object(version, { topology: { version: 'v1.33.0' } })
  expect(await versionOn(EU, [there])).toBe('v1.33.0')
})

it('that are not there are said, with what to do', async () => {
  expect(await versionOn(EU, [object('v1beta2', {})])).toBe(
    'version: Cluster prod/eu-1 has no spec.topology.version; set it or give a default',
  )
})

it('of a Secret, and of the hub, are not read', async () => {
  expect(await versionOn({ ...EU, kind: 'Secret' }, [])).toBe(
    'version: Secret prod/eu-1 is not read field by field; use label or annotation, or give a default',
  )
  expect(await versionOn(hubView('prod'), [])).toBe(
    'version: the hub has no object with fields; use name, or give a default',
  )
})
