/** The real program as processes: one per group of commands, so that every commit starts what people start. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { allCommands } from '../../packages/lockstep/src/cli/commands/registry.ts'
import { lockstep, type ServedFleet, startFleet } from './lockstep.ts'
import { FLUX } from './reportmanifests.ts'

const MODULE = `apiVersion: lockstep.dev/v1alpha1
kind: Module
metadata: {name: web}
spec:
  release: "1"
  source: {inline: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: web, namespace: default}, data: {a: "1"}}]}}
  targets: {clusterSelector: {}}
`

interface ProcessRun {
  readonly args: string
  readonly code: number
  readonly says: RegExp
  readonly input?: string
}

/** Commands that are loaded alike, and one run of one of them. The fleet itself is the run of `up`. */
const GROUPS: Readonly<Record<string, ProcessRun>> = {
  'apply delete': {
    args: 'apply -f -',
    input: MODULE,
    code: 0,
    says: /^module\.lockstep\.dev\/web created\n$/,
  },
  'wait reconcile': {
    args: 'wait module/web --timeout 60s',
    code: 0,
    // On a busy machine it waits, and reports the cause on standard error.
    says: /^module\.lockstep\.dev\/web is ready\n(module\.lockstep\.dev\/web: Progressing: .*\n)*$/,
  },
  'get status why graph events': {
    args: 'status web',
    code: 0,
    says: /Module platform\/web +release 1 [\s\S]*2\/2 +✔ complete/,
  },
  'render post-render': { args: 'render module/web', code: 0, says: /kind: ConfigMap\n[\s\S]*name: web\n/ },
  'plan diff': {
    args: 'plan -f -',
    input: MODULE.replace('{a: "1"}', '{a: "2"}'),
    code: 0,
    says: /^Release 1: 1 module × 2 clusters: 2 units move\n/,
  },
  'adopt takeover handback': {
    args: 'adopt web --dry-run',
    code: 0,
    says: /all existing objects are managed by Lockstep/,
  },
  'rollout promote suspend resume pin unpin': { args: 'rollout status web', code: 0, says: /✔ complete/ },
  cluster: { args: 'cluster accept cluster-1 --yes', code: 0, says: /already accepted/ },
  'controller install uninstall': {
    args: 'install --namespaces platform --controller=false',
    code: 0,
    says: /kind: CustomResourceDefinition/,
  },
  'removal rights': {
    args: 'removal allow --all -n platform',
    code: 0,
    says: /^No Module of namespace platform waits for a removal\.\n$/,
  },
  check: {
    args: 'check --kubeconfig /nonexistent/k',
    code: 1,
    says: /✗ +hub +for everything but demo and up/,
  },
  import: {
    args: 'import flux - --accept-loss',
    input: FLUX,
    code: 0,
    says: /kind: Module\n[\s\S]*name: web\n/,
  },
  'explain completion version': { args: 'version', code: 0, says: /^lockstep \d+\.\d+\.\d+ / },
}

let fleet: ServedFleet

beforeAll(async () => {
  fleet = await startFleet(2)
})
afterAll(async () => {
  expect(await fleet.stop()).toBe(130)
})

it('every command is in one group', async () => {
  const grouped = ['demo', 'up', ...Object.keys(GROUPS).flatMap((group) => group.split(' '))]
  expect(grouped.sort()).toEqual((await allCommands()).map((c) => c.name).sort())
})

it('demo up', () => {
  expect(fleet.output()).toContain('in memory and lost when this stops')
})

it.sequential.each(Object.entries(GROUPS))('%s', async (_, { args, input, code, says }) => {
  const ran = await lockstep(args.split(' '), { env: { KUBECONFIG: fleet.kubeconfig }, input: input ?? '' })
  expect(ran.out + ran.err).toMatch(says)
  expect(ran.code).toBe(code)
})
