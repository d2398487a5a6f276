/** `demo fleet` on a terminal: a line a stage, a glyph a cluster. */
import { sleep } from '@lockstep/kube/env'
import type { CommandContext } from '../../../kit/index.ts'
import {
  COLORS,
  cellOf,
  type FleetSnapshot,
  GLYPHS,
  type MatrixCell,
  pinsOf,
} from '../../../kit/snapshot/index.ts'
import {
  createFrameDisplay,
  cut,
  FRAME_MS,
  type FrameDisplay,
  padEnd,
  type Terminal,
  wrap,
} from '../../../kit/terminal/index.ts'
import { clockText, type DemoPace } from '../demoaudience.ts'
import type { DemoFleet } from '../demofleet.ts'
import { type FleetAudience, type Regions, STORY_MODULE } from './fleetstory.ts'

/** A picture: what a program would not ask twice for. */
export function drawFleetPicture(t: Terminal, s: FleetSnapshot, regions: Regions): string[] {
  const module = s.modules.find((m) => m.metadata.name === STORY_MODULE)
  const { rollout, release } = module?.status ?? {}
  if (!module || !rollout) return []
  const inFlight = rollout.ledger?.filter((e) => e.failed === undefined).length ?? 0
  const { max = 0 } = rollout.budgets?.maxUnavailable ?? {}
  const pinned = new Set(pinsOf(s, module).flatMap((p) => p.clusters))
  // Pinned ones are in no total, though they may be at the same release.
  const meant = [...regions.values()].flat().filter((name) => !pinned.has(name))
  const there = meant.filter((name) => !cellOf(s, module, name).isOld).length
  const head = [
    t.paint('bold', padEnd(rollout.phase, 13)),
    `${release ?? ''} published`,
    `${there}/${meant.length} at ${rollout.release ?? ''}${pinned.size > 0 ? `, ${pinned.size} pinned` : ''}`,
    `${inFlight} deploying (limit ${max})`,
  ]
  const lines = [...regions].map(([region, names]) => {
    const cells = names.map((name) => glyphOf(t, cellOf(s, module, name)))
    return `  ${padEnd(region, 8)}${cells.join('')}  ${t.paint('dim', stageText(region, names, module, s))}`
  })
  const blocker = module.status?.blockers?.[0]
  const waits = blocker ? [`  ${t.paint('yellow', blocker.reason)}: ${blocker.message}`] : []
  return [head.join('   '), ...lines, ...waits].map((line) => cut(line, t.look.width))
}

const OLD = '·'
/** Reasons to wait that the story is about. */
const TOLD: ReadonlySet<string> = new Set(['Soaking', 'AwaitingApproval', 'Halted', 'RollbackFailed'])

function glyphOf(t: Terminal, cell: MatrixCell): string {
  const isStill = cell.isOld && (cell.state === 'ready' || cell.state === 'waiting')
  return isStill ? t.paint('dim', OLD) : t.paint(COLORS[cell.state], GLYPHS[cell.state])
}

function stageText(
  region: string,
  names: readonly string[],
  module: FleetSnapshot['modules'][number],
  s: FleetSnapshot,
): string {
  const stage = module.status?.rollout?.stages?.find((x) => x.name === region)
  if (!stage) return ''
  if (stage.pinned === names.length) return `pinned at ${cellOf(s, module, names[0]!).version}`
  const soak = stage.soakSeconds && !stage.completedAt ? [`soaks ${stage.soakSeconds} s`] : []
  const consent = stage.approvedBy === undefined ? [] : [`approved by ${stage.approvedBy}`]
  return [...soak, ...consent, ...(stage.completedAt ? ['complete'] : [])].join(', ')
}

export function createFleetAudience(
  c: CommandContext,
  fleet: DemoFleet,
  regions: Regions,
  pace: DemoPace,
): FleetAudience {
  return new FleetScreen(c, fleet, regions, pace)
}

class FleetScreen implements FleetAudience {
  readonly signal: AbortSignal
  private readonly c: CommandContext
  private readonly fleet: DemoFleet
  private readonly regions: Regions
  private readonly pace: DemoPace
  private readonly screen: FrameDisplay
  private told = ''
  private lastFrame = 0
  private aim = 0
  private lastVirtual = 0

  constructor(c: CommandContext, fleet: DemoFleet, regions: Regions, pace: DemoPace) {
    this.c = c
    this.fleet = fleet
    this.regions = regions
    this.pace = pace
    this.signal = c.signal
    this.screen = createFrameDisplay(c.host, c.terminal)
    this.fromNow()
  }

  async chapter(title: string, text: string): Promise<void> {
    const { terminal: t, host, signal } = this.c
    t.print('')
    t.print(t.paint('bold', `${clockText(this.fleet.env.clock.steady())}  ${title}`))
    t.print(t.paint('dim', wrap(text, t.look.width, 0)))
    if (this.pace.pause) {
      t.talk('  press Enter to continue')
      await host.stdin.line(signal)
    }
    this.fromNow()
  }

  typed(line: string): void {
    const { terminal: t } = this.c
    if (t.look.live) this.screen.keep()
    t.print(cut(t.paint('cyan', `$ ${line}`), t.look.width))
  }

  async tick(): Promise<void> {
    const { terminal: t, env } = this.c
    const virtual = this.fleet.env.clock.steady()
    this.aim += (virtual - this.lastVirtual) / this.pace.speed
    this.lastVirtual = virtual
    if (!t.look.live) this.tell()
    else if (env.clock.steady() - this.lastFrame >= FRAME_MS) {
      this.lastFrame = env.clock.steady()
      this.screen.draw(this.picture())
    }
    const ahead = this.aim - env.clock.steady()
    if (ahead > 1) await sleep(env.clock, ahead, this.signal)
    // What could not keep up is not made up for later.
    else this.aim = env.clock.steady()
  }

  settled(): void {
    if (this.c.terminal.look.live) {
      this.screen.draw(this.picture())
      this.screen.keep()
    } else for (const line of this.picture()) this.c.terminal.print(line)
    this.fromNow()
  }

  /** Without a live terminal: one line where what there is to say has changed. */
  private tell(): void {
    const { terminal: t } = this.c
    const module = this.fleet.snapshot().modules.find((m) => m.metadata.name === STORY_MODULE)
    const { phase, stage } = module?.status?.rollout ?? {}
    const blocker = module?.status?.blockers?.map((b) => b.reason).find((r) => TOLD.has(r))
    const text = [phase, stage && `stage ${stage}`, blocker].filter((x) => x !== undefined).join(', ')
    if (text === this.told || text === '') return
    this.told = text
    t.print(`  ${clockText(this.fleet.env.clock.steady())}  ${text}`)
  }

  private picture = (): string[] => drawFleetPicture(this.c.terminal, this.fleet.snapshot(), this.regions)

  private fromNow(): void {
    this.aim = this.c.env.clock.steady()
    this.lastVirtual = this.fleet.env.clock.steady()
  }
}
