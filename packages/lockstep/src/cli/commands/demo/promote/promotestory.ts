/** The story: a revision moves on, the controller dies in the worst moment, and somebody takes the revision back. */

import type { ApiServer, CommitRecord } from '@lockstep/apiserver/server'
import { type Env, sleep } from '@lockstep/kube/env'
import type { Stored } from '@lockstep/kube/object'
import type { Hold, Pipeline, Promotion } from '../../../../api/kinds/index.ts'
import { isEnded, keyOfPromotion } from '../../../../decisions/promotion/index.ts'
import { ControllerProcesses, type ProgramStart } from './controllerprocess.ts'
import { openPromoteStage, type PromoteStage, STAGE_NAMESPACE } from './promotestage.ts'

const NEW = '6.1.0'
/** Nothing of it takes so long: what has not come by then does not come. */
const PATIENCE_MS = 20_000
const LOOK_MS = 20

export type StoryTeller = (who: string, text: string, mood?: 'good' | 'bad') => void

export interface PromoteStoryResult {
  /** Pull requests that were opened for the promotion, and changes of main by it. */
  readonly pulls: number
  readonly changes: number
  /** Of the base, by the promotion. */
  readonly promoted: string
  readonly phase: string | undefined
  /** Controllers that were started: one more than died. */
  readonly starts: number
  readonly hold: string | undefined
  /** Promotions that were made after the revision was taken back. */
  readonly after: number
  /** What was waited for in vain. */
  readonly missed?: string
}

export interface Chapters {
  chapter(text: string): void
  readonly tell: StoryTeller
  readonly signal: AbortSignal
}

/** Plays it. `dir`: an empty directory. Undefined: it was interrupted. */
export async function playPromoteStory(
  env: Env,
  dir: string,
  program: ProgramStart,
  c: Chapters,
): Promise<PromoteStoryResult | undefined> {
  const stage = await openPromoteStage(env, dir, (record) => announce(c.tell, record))
  const players = new ControllerProcesses(env, program, dir)
  try {
    return await tellStory(env, stage, players, c)
  } finally {
    await players.stop()
    await stage.stop()
  }
}

async function tellStory(
  env: Env,
  stage: PromoteStage,
  players: ControllerProcesses,
  c: Chapters,
): Promise<PromoteStoryResult | undefined> {
  const { host, hub } = stage
  const until = async (holds: () => boolean): Promise<boolean> => {
    const end = env.clock.steady() + PATIENCE_MS
    while (!holds() && !c.signal.aborted && env.clock.steady() < end)
      await sleep(env.clock, LOOK_MS, c.signal)
    return holds()
  }
  const promotions = () =>
    hub.local.list('promotions.lockstep.dev', STAGE_NAMESPACE) as readonly Stored<Promotion>[]
  const ended = () => promotions().filter((p) => isEnded(p.status?.phase))
  const holds = () => hub.local.list('holds.lockstep.dev', STAGE_NAMESPACE) as readonly Stored<Hold>[]

  c.chapter('Both environments run 6.0.0. The controller starts and reads their revisions.')
  await players.start(stage.kubeconfig, stage.hostAddress)
  const isAt6 = await until(
    () => settledIn(hub, 'prod') === '6.0.0' && ended().length === promotions().length,
  )
  if (!isAt6) return missed('both environments settle', stage, players)
  const before = promotions().length

  c.chapter(`${NEW} is written for staging, and staging runs it. It must be promoted to prod once.`)
  let died = false
  host.faults.add(
    { method: 'POST', path: /\/pulls$/, nth: 1 },
    {
      kind: 'after',
      act: async () => {
        await players.kill()
        died = true
        c.tell('✂ kill -9', 'the pull request is open, but not recorded', 'bad')
      },
    },
  )
  await stage.write('staging', NEW, `Try ${NEW} in staging`)
  if (!(await until(() => died))) return missed('a pull request is opened', stage, players)

  c.chapter('Another controller starts. It reads only the hub and the Git host.')
  await players.start(stage.kubeconfig, stage.hostAddress)
  const promotion = () => promotions()[before]
  if (!(await until(() => promotion()?.status?.phase === 'Succeeded')))
    return missed(`${NEW} is promoted to prod`, stage, players)
  const key = keyOfPromotion(promotion()!.spec)
  const promoted = await stage.atBase('prod')

  c.chapter('A user reverts the merge on main. No promotion overwrites that.')
  c.tell('main', 'Revert: 6.0.0 for prod')
  await stage.revertMerge()
  if (!(await until(() => holds().length > 0))) return missed('a Hold is created', stage, players)
  if (c.signal.aborted) return undefined
  const { journal } = host.repository('shop/fleet')
  return {
    pulls: journal.pullsOf(key).length,
    changes: journal.changesOf(key, 'main').filter((x) => x.by !== 'person').length,
    promoted,
    phase: promotion()?.status?.phase,
    starts: players.starts,
    hold: holds()[0]?.spec.reason,
    after: promotions().length - before - 1,
  }
}

const missed = (
  what: string,
  { host }: PromoteStage,
  { starts }: ControllerProcesses,
): PromoteStoryResult => ({
  pulls: host.repository('shop/fleet').pulls.list().length,
  changes: 0,
  promoted: '',
  phase: undefined,
  starts,
  hold: undefined,
  after: 0,
  missed: what,
})

const settledIn = ({ local }: ApiServer, environment: string): string | undefined => {
  const [pipeline] = local.list('pipelines.lockstep.dev', STAGE_NAMESPACE) as readonly Stored<Pipeline>[]
  return pipeline?.status?.environments?.find((e) => e.name === environment)?.settled?.revision
}

/** What is stored on the hub, as it is stored. */
function announce(tell: StoryTeller, { resource, old, next }: CommitRecord): void {
  if (resource === 'promotions.lockstep.dev' && next) {
    const was = (old as Stored<Promotion> | undefined)?.status
    const { status, spec, metadata } = next as Stored<Promotion>
    if (!old) tell('hub', `Promotion ${metadata.name}: ${spec.revision} into ${spec.environment}`)
    if (status?.phase === undefined || status.phase === was?.phase) return
    const pull = status.result?.pullRequest
    const number = pull && status.phase === 'Open' ? `: pull request #${pull.number}` : ''
    tell('hub', `${status.phase}${number}`, status.phase === 'Succeeded' ? 'good' : undefined)
  }
  if (resource === 'holds.lockstep.dev' && next && !old) tell('hub', `Hold ${next.metadata.name}`, 'good')
}
