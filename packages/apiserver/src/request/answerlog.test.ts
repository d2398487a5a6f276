/** `pods/log` of simulated containers. */
import { expect, it } from 'vitest'
import { testCluster } from '../server/testcluster.cases.ts'

const PODS = '/api/v1/namespaces/default/pods'

const ended = { terminated: { exitCode: 1, reason: 'Error', message: 'one\ntwo\nthree' } }
const status = (state: object) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'main', image: 'app:1', imageID: '', ready: false, restartCount: 0, state }],
})

/** What `GET …/p/log` says of a Pod with these containers. */
async function logOf(
  containers: readonly string[],
  said: object | undefined,
  query: string,
): Promise<string> {
  const { call, server } = testCluster()
  const spec = { containers: containers.map((name) => ({ name, image: 'app:1' })) }
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' }, spec }
  const made = server.local.create(pod, 'test')
  if (!made.ok) throw new Error(made.error.message)
  if (said) server.local.updateStatus({ ...made.value, status: said }, 'test')
  const answer = await call('GET', `${PODS}/p/log${query}`)
  return answer.status === 200 ? answer.body : `${answer.status} ${answer.body.message}`
}

it.each<[string, readonly string[], object | undefined, string, string]>([
  ['all', ['main'], status(ended), '', 'simulated container of image app:1\none\ntwo\nthree\n'],
  ['its last lines', ['main'], status(ended), '?tailLines=2', 'two\nthree\n'],
  ['so many bytes of them', ['main'], status(ended), '?tailLines=2&limitBytes=5', 'two\nt'],
  ['of one that runs', ['main'], status({ running: {} }), '', 'simulated container of image app:1\n'],
  ['the one that is named', ['main', 'side'], status(ended), '?container=main&tailLines=1', 'three\n'],
  [
    'no name',
    ['main', 'side'],
    status(ended),
    '',
    '400 a container name must be specified for pod p, choose one of: [main side]',
  ],
  ['a wrong name', ['main'], status(ended), '?container=x', '400 container x is not valid for pod p'],
  [
    'not started',
    ['main'],
    undefined,
    '',
    '400 container "main" in pod "p" is waiting to start: ContainerCreating',
  ],
  [
    'not started, and why',
    ['main'],
    status({ waiting: { reason: 'ImagePullBackOff' } }),
    '',
    '400 container "main" in pod "p" is waiting to start: ImagePullBackOff',
  ],
])('%s', async (_, containers, said, query, text) => expect(await logOf(containers, said, query)).toBe(text))

it('is read only, and of Pods that there are', async () => {
  const { call } = testCluster()
  expect((await call('GET', `${PODS}/p/log`)).status).toBe(404)
  expect((await call('POST', `${PODS}/p/log`, {})).status).toBe(405)
})
