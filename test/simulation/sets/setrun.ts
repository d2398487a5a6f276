/**
 * One random story of ClusterResourceSets: sets in all modes on a hub of our own or with Cluster API at work, whoever leads,
 * whatever goes wrong, and whatever people do; then calm, and what holds of all of it.
 */
import type { CommitRecord } from '../../../packages/apiserver/src/server/index.ts'
import { createHttpClient } from '../../../packages/kube/src/client/httpclient.ts'
import type { Env, Random } from '../../../packages/kube/src/env/env.ts'
import { seededRandom } from '../../../packages/kube/src/env/sim/seededrandom.ts'
import { at, type KubeObject } from '../../../packages/kube/src/object/index.ts'
import { startManager } from '../../../packages/lockstep/src/controllers/manager/manager.ts'
import type { ManagerOptions } from '../../../packages/lockstep/src/controllers/runtime/options.ts'
import { LIFELIKE } from '../../../packages/simulators/src/world/startworld.ts'
import { SetStory } from '../../fleet/setstory.ts'
import { configManifest } from '../../fleet/steps.ts'
import { TakeoverStory } from '../../fleet/takeoverstory.ts'
import { Fences } from '../fences.ts'
import { type Manage, startReplicas } from '../simreplicas.ts'
import { startCrashes } from '../startcrashes.ts'
import { type RunResult, traceOf } from '../trace.ts'
import { RecordedFacts } from './setfacts.ts'
import { BASE_OBJECT, SetJudge, whoOf } from './setjudge.ts'
import { SetMishaps } from './setmishaps.ts'
import { SetPeople } from './setpeople.ts'
import { BASE, randomPlan, type SetsPlan } from './setsplan.ts'
import { SetVerdict } from './setverdict.ts'
import { resourceOf } from './sourcecontent.ts'

/** A process dies within so many writes. */
const WRITES = 60
const ACTS = { least: 8, more: 14 }
/** Longer than anything waits before it is tried again, of what is fought over too. */
const CALM_S = 900
const QUIET_S = 900
const REFUSED_S = 330
/** Writes on the hub that say that something takes too long. */
const OVERDUE = 12
/** Cluster API renews its Lease every two seconds. */
const BUSY_QUIET_S = 150

/** `look` is given the story before anything happens: for whoever replays a seed, as `tell` is told of it when it fails. */
export async function setRun(
  seed: string,
  tell: (line: string) => void = () => {},
  look: (story: SetStory) => void = () => {},
): Promise<RunResult> {
  const random = seededRandom(`sets/${seed}`)
  const plan = randomPlan(random.fork('plan'))
  const story = await openStory(seed, plan)
  look(story)
  const run = new SetRun(story, plan, random.fork('run'), tell)
  await run.play()
  const { tested, ...trace } = traceOf(story.fleet)
  return { seed, problems: run.problems, tested: { ...tested, ...run.tested }, ...trace }
}

/** Nobody works on it yet. */
async function openStory(seed: string, { hub, clusters, isLifelike }: SetsPlan): Promise<SetStory> {
  const options = isLifelike ? { delays: LIFELIKE } : {}
  const story =
    hub === 'own'
      ? await SetStory.open(`sets/${seed}`, clusters, options)
      : await TakeoverStory.with(`sets/${seed}`, hub, clusters, {}, options)
  story.manager.stop()
  return story
}

class SetRun {
  private readonly story: SetStory
  private readonly plan: SetsPlan
  private readonly random: Random
  private readonly tell: (line: string) => void
  private readonly facts: RecordedFacts
  private readonly fences: Fences
  private readonly judge: SetJudge
  private readonly people: SetPeople
  private readonly mishaps: SetMishaps
  private readonly verdict: SetVerdict

  constructor(story: SetStory, plan: SetsPlan, random: Random, tell: (line: string) => void) {
    this.story = story
    this.plan = plan
    this.random = random
    this.tell = tell
    const { fleet } = story
    const clock = () => fleet.env.clock.steady()
    const facts = new RecordedFacts(clock, plan.hub === 'own')
    const fences = new Fences(clock)
    const judge = new SetJudge(facts, (number) => fences.late.has(number))
    judge.live = (cluster, o) =>
      fleet.clusters.get(cluster)!.api.local.get(resourceOf(o), o.metadata.namespace ?? '', o.metadata.name!)
    judge.clusterUid = (cluster) => story.kubeSystem(cluster)
    if (plan.leaders === 'elected') judge.graceMs = 40_000
    this.facts = facts
    this.fences = fences
    this.judge = judge
    this.people = new SetPeople(story, plan, facts, judge)
    this.mishaps = new SetMishaps(story, plan, judge, story instanceof TakeoverStory ? story : undefined)
    const { people, mishaps } = this
    this.verdict = new SetVerdict(story, {
      plan,
      facts,
      judge,
      people,
      silent: mishaps.silent,
      hasFailed: () => mishaps.hasFailed || people.hasLost,
    })
    this.watch()
  }

  /** Commits are looked at when they are made: the checks know the time. Those of the opening, too. */
  private watch(): void {
    const { commits } = this.story.fleet
    for (const c of commits) this.facts.see(c)
    const push = commits.push.bind(commits)
    commits.push = (...more) => {
      for (const [i, c] of more.entries()) {
        this.fences.see(c, commits.length + i)
        this.facts.see(c)
        this.judge.see(c, commits.length + i)
      }
      return push(...more)
    }
  }

  get problems(): readonly string[] {
    const { fleet } = this.story
    return [
      ...fleet.oracles.violations
        .filter((v) => v.invariant !== 'I2' || !this.fences.late.has(v.at))
        .map((v) => `${v.invariant} at commit ${v.at}: ${v.message}`),
      ...fleet.rollouts.problems,
      ...this.fences.problems,
      ...this.judge.problems,
      ...this.verdict.problems,
    ]
  }

  get tested(): Readonly<Record<string, number>> {
    const { judge, verdict, people, mishaps, fences } = this
    return { ...verdict.tested, ...judge.tested, ...people.done, ...mishaps.done, I10: fences.tested }
  }

  async play(): Promise<void> {
    const { people, random } = this
    await this.base()
    await people.begin()
    const leaders = this.lead()
    const calmness = random.next()
    for (let i = ACTS.least + Math.floor(random.next() * ACTS.more); i > 0; i--) {
      await people.act()
      await this.story.pass(0.2 * 200 ** random.next())
      if (random.next() > calmness) this.mishaps.happen()
    }
    leaders.calm()
    this.mishaps.calm()
    if (random.next() < 0.5) await this.rest(false)
    this.mishaps.putRight()
    await people.mendAll()
    await this.rest(true)
    if (random.next() < 0.5) {
      await people.deleteAll()
      await this.rest(true)
    }
    if (this.problems.length > 0) this.explain()
  }

  private async base(): Promise<void> {
    if (!this.plan.sets.some((s) => JSON.stringify(s.annotations).includes(`\\"${BASE}\\"`))) return
    await this.story.config(BASE, configManifest(BASE_OBJECT, '1'))
    await this.story.module(BASE, BASE, { targets: { inventories: ['ClusterAPI'], clusterSelector: {} } })
  }

  /** Nothing goes wrong any more: what can be done is done, and then nothing is. */
  private async rest(isMended: boolean): Promise<void> {
    const { story, verdict } = this
    // What a cluster has refused to delete is tried again so late, once.
    await story.pass(this.mishaps.hasRefused ? REFUSED_S : 60)
    this.mishaps.hasRefused = false
    await story.until(() => verdict.unfinished().length === 0, CALM_S)
    await story.pass(60)
    verdict.all(isMended)
    this.blame()
    const before = story.fleet.commits.length
    await story.pass(this.plan.hub === 'own' ? QUIET_S : BUSY_QUIET_S)
    const written = withoutUpkeep(story.fleet.commits.slice(before))
    const texts = written.map((c) => `${c.actor} ${c.verb} ${c.resource} ${c.key} on ${c.cluster}`)
    // What is stuck may be found to be so for too long, once.
    const isQuiet = isMended
      ? texts.length === 0
      : texts.length <= OVERDUE && texts.every((t) => t.endsWith(' hub'))
    if (!isQuiet)
      this.verdict.problems.push(`I12: ${texts.length} writes at rest: ${texts.slice(0, 4).join(', ')}`)
    for (const l of story.fleet.env.lines)
      if (l.level === 'error') this.verdict.problems.push(`a bug: ${JSON.stringify(l).slice(0, 1000)}`)
  }

  /**
   * Units on clusters that nobody can ask, or of sets that are paused, are as they were, and so are those of a cluster before
   * the one that is there.
   */
  private blame(): void {
    const { violations } = this.story.fleet.oracles
    const from = violations.length
    this.story.fleet.oracles.atRest()
    const found = violations.splice(from)
    violations.push(
      ...found.filter(({ message }) => {
        const [, set, cluster, former] =
          /^Inventory (?:m\.crs-|.*\.)(.*)\.(c\d)(\.[0-9a-f]{8})? waits/.exec(message) ?? []
        if (set === undefined || cluster === undefined) return true
        const isPaused = this.facts.sets.get(set)?.now?.isPaused === true
        return former === undefined && !isPaused && this.verdict.isOpen(cluster)
      }),
    )
  }

  /** For whoever replays it. */
  private explain(): void {
    this.tell(JSON.stringify(this.plan))
    const at = (line: string) => Number.parseFloat(line)
    for (const line of [...this.people.did, ...this.mishaps.happened].sort((a, b) => at(a) - at(b)))
      this.tell(line)
  }

  private lead(): { calm(): void } {
    const { story, random } = this
    const work = (env: Env, options: ManagerOptions = {}) => {
      const own = this.around(env)
      const hub = own.net.connect({ url: 'https://hub.test' }, 'operator')
      const client = createHttpClient(own, 'hub', hub, 'lockstep-controller')
      return startManager(own, client, { workers: 4, ...options })
    }
    if (this.plan.leaders === 'one') return startCrashes(story.fleet, random, WRITES, (env) => work(env))
    const manage: Manage = (env, _client, { term }) => work(env, { term })
    const replicas = startReplicas(story.fleet, ['one', 'other'], manage)
    return {
      // A Lease that is renewed every two seconds for an hour would be most of what a run costs.
      calm() {
        replicas.stop()
        const { clock } = story.fleet.env
        // As long as what they have sent may be under way.
        clock.at(clock.steady() + 30_000, () => void work(story.fleet.env))
      },
    }
  }

  /** Its watches may be held back. */
  private around(env: Env): Env {
    return { ...env, net: this.mishaps.held.around(env.net) }
  }
}

/** Leases are renewed, Cluster API looks at everything now and then, and what nobody needs any more is swept up in its time. */
function withoutUpkeep(commits: readonly CommitRecord[]): CommitRecord[] {
  const busy = new Set<string>()
  return commits.filter((c) => {
    // What it makes on a cluster has that cluster's own controllers at work.
    if (whoOf(c) === 'upstream') busy.add(c.cluster)
    const isFollowing = whoOf(c) === 'nobody' && c.cluster !== 'hub' && busy.has(c.cluster)
    return !isUpkeep(c) && !isFollowing
  })
}

const isUpkeep = (c: CommitRecord): boolean => c.actor === 'manager' || isTimed(c) || isSwept(c)

const isSwept = ({ resource, key }: CommitRecord): boolean =>
  resource === 'leases.coordination.k8s.io' || (resource === 'secrets' && key.includes('/lockstep-bundle-'))

/** For how long what is stuck has been under way, until that is too long. */
const isTimed = ({ resource, old, next }: CommitRecord): boolean =>
  resource === 'modules.lockstep.dev' && old !== undefined && untimed(old) === untimed(next)

const untimed = (o: KubeObject | undefined): string =>
  JSON.stringify({ spec: at(o, 'spec'), status: at(o, 'status') }).replace(/"(run|ready)Seconds":\d+/g, '')
