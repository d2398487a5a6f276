/** Scrapes of each fault of a simulated fleet: its alert fires, and no other one does. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { secretKind } from '../../packages/kube/src/kinds/types.ts'
import { clusterSecret, must } from '../fleet/simfleet.ts'
import { configManifest, deploymentManifest, Story } from '../fleet/steps.ts'
import { hasPromtool, promtoolProblemsOf } from './promtool.ts'
import { ScrapeRecorder } from './scraperecorder.ts'

const RULES = 'monitoring/rules.yaml'
const WRITE = { purpose: 'user', manager: 'user', precondition: 'any', force: true } as const
const DAY_M = 24 * 60
const DAY_S = DAY_M * 60

interface Fault {
  readonly alert: string | undefined
  /** Minutes that are recorded, and between two scrapes. */
  readonly minutes: number
  readonly stepM?: number
  readonly begin?: (story: Story) => Promise<void>
  readonly change?: (recorder: ScrapeRecorder, story: Story, scrape: number) => void
}

const never = { health: { timeoutSeconds: DAY_S }, rollout: { progressDeadlineSeconds: DAY_S } }

async function fail(story: Story, outcome: 'ImagePull' | 'NeverReady', options: object): Promise<void> {
  for (const { world } of story.fleet.clusters.values()) world.fail({ image: 'web:2', outcome })
  const patient = deploymentManifest('web', 'web:2').replace(
    'spec:',
    `spec:\n  progressDeadlineSeconds: ${DAY_S}`,
  )
  await story.config('next', patient)
  await story.module('next', 'next', options)
}

/** The kubeconfig of the cluster gets a token that ends in two days. */
async function expiringToken(story: Story): Promise<void> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(story.fleet.env.clock.now() / 1000) + 2 * 86_400
  const secret = clusterSecret('c0', { env: 'prod' })
  const text = Buffer.from(secret.data.kubeconfig, 'base64').toString()
  const kubeconfig = Buffer.from(text.replace('token: t', `token: ${part({})}.${part({ exp })}.x`)).toString(
    'base64',
  )
  must(await story.during(story.fleet.hub.apply(secretKind, { ...secret, data: { kubeconfig } }, WRITE)))
}

const faults: readonly Fault[] = [
  { alert: undefined, minutes: 60 },
  {
    alert: 'LockstepNoLeader',
    minutes: 10,
    change(recorder) {
      recorder.replicas = recorder.replicas.map(({ instance }) => ({ instance, leads: false }))
    },
  },
  {
    alert: 'LockstepNoStandby',
    minutes: 20,
    change(recorder) {
      recorder.replicas = recorder.replicas.slice(0, 1)
    },
  },
  {
    alert: 'LockstepLeaderFlapping',
    minutes: 30,
    change(recorder, _, scrape) {
      if (scrape % 3 === 2)
        recorder.replicas = recorder.replicas.map(({ instance, leads }) => ({ instance, leads: !leads }))
    },
  },
  {
    alert: 'LockstepHubErrors',
    minutes: 20,
    change(_, { fleet }) {
      const request = { scope: 'hub', verb: 'update', cluster: 'hub', resource: 'modules', why: 'status' }
      fleet.env.meters.count('lockstep_client_requests_total', { ...request, code: '200' }, 90)
      fleet.env.meters.count('lockstep_client_requests_total', { ...request, code: '429' }, 10)
    },
  },
  {
    alert: 'LockstepRolloutHalted',
    minutes: 10,
    begin: (story) => fail(story, 'ImagePull', { health: { timeoutSeconds: 20 } }),
  },
  { alert: 'LockstepRolloutStuck', minutes: 150, begin: (story) => fail(story, 'NeverReady', never) },
  {
    alert: 'LockstepApprovalPending',
    minutes: DAY_M + 60,
    stepM: 4,
    async begin(story) {
      const stages = [{ name: 'prod', clusterSelector: {}, approvalBefore: 'Required' }]
      await story.config('next', configManifest('next', '1'))
      await story.module('next', 'next', { rollout: { strategy: 'Staged', stages } })
    },
  },
  {
    alert: 'LockstepClusterUnreachable',
    minutes: 20,
    async begin({ fleet }) {
      fleet.env.net.unserve('https://c0.test')
      fleet.env.net.cut('https://c0.test')
    },
  },
  { alert: 'LockstepCredentialExpiring', minutes: 15, begin: expiringToken },
  {
    alert: 'LockstepSourceFailing',
    minutes: 40,
    begin: (story) => story.module('next', 'missing'),
  },
  {
    alert: 'LockstepBug',
    minutes: 10,
    change(_, { fleet }, scrape) {
      if (scrape === 5) fleet.env.meters.count('lockstep_exceptions_total', { scope: 'cluster' })
    },
  },
]

describe.skipIf(!hasPromtool)('scrapes of a fault', () => {
  it.each(faults)('$alert', async ({ alert, minutes, stepM = 1, begin, change }) => {
    const story = await Story.begin(`alert-${alert}`, ['c0'])
    await story.config('web', configManifest('web', '1'))
    await story.module('web', 'web')
    expect(await story.until(() => story.isReady('web'))).toBe(true)
    const recorder = new ScrapeRecorder(story)
    await recorder.record(5, stepM * 60)
    await begin?.(story)
    await recorder.record(minutes / stepM, stepM * 60, (scrape) => change?.(recorder, story, scrape))
    const test = {
      interval: `${stepM}m`,
      input_series: recorder.series(),
      promql_expr_test: [
        {
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
          eval_time: `${minutes + 4 * stepM}m`,
          exp_samples: alert === undefined ? [] : [{ labels: `{alertname="${alert}"}`, value: 1 }],
        },
      ],
    }
    const file = { rule_files: [resolve(RULES)], evaluation_interval: '1m', tests: [test] }
    expect(promtoolProblemsOf(['test', 'rules'], file)).toBe('')
  })

  it('are recorded for each alert', () => {
    const { groups } = parse(readFileSync(RULES, 'utf8'))
    const names = groups.flatMap((g: { rules: { alert: string }[] }) => g.rules.map((r) => r.alert))
    expect(faults.flatMap((f) => f.alert ?? []).toSorted()).toEqual(names.toSorted())
  })
})
