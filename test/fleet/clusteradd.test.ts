/** Command lines of `lockstep cluster` that write nothing. */
import { beforeAll, expect, it } from 'vitest'
import { at, type KubeObject, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import { ClusterDesk } from './clusterdesk.ts'

let desk: ClusterDesk
beforeAll(async () => {
  desk = await ClusterDesk.open('cluster-add')
})

it.each<[string, string, number, string]>([
  ['a context that does not exist', 'cluster add c7', 2, 'has no context "c7"'],
  ['the hub', 'cluster add hub', 1, 'is the hub itself'],
  ['a name that no object can have', 'cluster add c1 --name A@b', 2, 'cannot be the name of an object'],
  ['labels without values', 'cluster add c1 --labels prod', 2, 'is not KEY=VALUE'],
  ['a token that is too short', 'cluster add c1 --token-ttl 5m', 2, 'at least 10m'],
  [
    'an address without TLS',
    'cluster add c1 --cluster-server http://c1.test',
    2,
    'the controller connects by https only',
  ],
  [
    'a flag of another action',
    'cluster rotate c1 --labels a=b',
    2,
    '--labels has no effect on cluster rotate',
  ],
  ['no context', 'cluster add', 2, 'cluster add requires CONTEXT'],
  ['no cluster', 'cluster rotate c9', 2, 'no cluster Secret "c9"'],
  ['rights without a context', 'rights --cluster c1 --apply', 2, '--apply requires --cluster-context'],
])('refuses %s, and writes nothing', async (_, line, code, problem) => {
  const from = desk.story.fleet.commits.length
  const ran = await desk.run(line)
  expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(problem)])
  expect(desk.story.fleet.commits.slice(from).filter((c) => c.actor === 'lockstep-cli')).toEqual([])
})

it('--dry-run prints the objects without a token, and writes nothing', async () => {
  const from = desk.story.fleet.commits.length
  const { code, out } = await desk.run('cluster add c1 --dry-run -o yaml')
  expect(code).toBe(0)
  const items = at(parseYamlStream(out)[0], 'items') as unknown as KubeObject[]
  expect(items.map((o) => o.kind)).toEqual([
    'ServiceAccount',
    'ClusterRole',
    'ClusterRoleBinding',
    'Role',
    'RoleBinding',
    'Secret',
  ])
  expect(desk.story.fleet.commits.slice(from).filter((c) => c.actor === 'lockstep-cli')).toEqual([])
})
