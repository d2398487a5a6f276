/** The demo on a terminal: frames over each other, or a line a change. */
import { sleep } from '@lockstep/kube/env'
import type { CommandContext } from '../../kit/index.ts'
import { FLEET_NAMESPACE } from '../../kit/localfleet/index.ts'
import { COLORS, drawFleetCounts, drawMatrix, GLYPHS, matrixOf } from '../../kit/snapshot/index.ts'
import {
  createFrameDisplay,
  cut,
  FRAME_MS,
  type FrameDisplay,
  padEnd,
  wrap,
} from '../../kit/terminal/index.ts'
import { drawWhy, readTree } from '../../kit/why/index.ts'
import { type Cells, cellsOf, type DemoEvent, eventsBetween } from './demoevents.ts'
import type { DemoFleet } from './demofleet.ts'
import type { DemoAudience } from './demostory.ts'

export interface DemoPace {
  /** Virtual seconds a real second. */
  readonly speed: number
  readonly pause: boolean
}

const SHOWN_EVENTS = 6
/** How long a picture stays for reading. */
const READING_MS = 2500

export function createDemoAudience(c: CommandContext, fleet: DemoFleet, pace: DemoPace): DemoAudience {
  return new DemoScreen(c, fleet, pace)
}

class DemoScreen implements DemoAudience {
  readonly signal: AbortSignal
  private readonly c: CommandContext
  private readonly fleet: DemoFleet
  private readonly pace: DemoPace
  private readonly screen: FrameDisplay
  private readonly clusters: readonly string[]
  private cells: Cells = new Map()
  private recent: string[] = []
  private lastFrame = 0
  /** The real instant at which the fleet's time should be where it is. */
  private aim = 0
  private lastVirtual = 0

  constructor(c: CommandContext, fleet: DemoFleet, pace: DemoPace) {
    this.c = c
    this.fleet = fleet
    this.pace = pace
    this.signal = c.signal
    this.screen = createFrameDisplay(c.host, c.terminal)
    this.clusters = [...fleet.local.clusters.keys()]
    this.fromNow()
  }

  async chapter(title: string, text: string): Promise<void> {
    const { terminal: t, host, signal } = this.c
    t.print('')
    t.print(t.paint('bold', title))
    t.print(t.paint('dim', wrap(text, t.look.width, 0)))
    this.recent = []
    if (this.pace.pause) {
      t.talk('  press Enter to continue')
      await host.stdin.line(signal)
    }
    this.fromNow()
  }

  async tick(): Promise<void> {
    this.look()
    const { clock } = this.c.env
    const virtual = this.fleet.env.clock.steady()
    this.aim += (virtual - this.lastVirtual) / this.pace.speed
    this.lastVirtual = virtual
    if (this.c.terminal.look.live && clock.steady() - this.lastFrame >= FRAME_MS) {
      this.lastFrame = clock.steady()
      this.screen.draw(this.frame())
    }
    const ahead = this.aim - clock.steady()
    if (ahead > 1) await sleep(clock, ahead, this.signal)
    // What could not keep up is not made up for later.
    else this.aim = clock.steady()
  }

  settled(note: string): void {
    this.look()
    const line = `  ${clockText(this.fleet.env.clock.steady())}  ${this.c.terminal.paint('dim', note)}`
    if (this.c.terminal.look.live) this.recent = [...this.recent, line].slice(-SHOWN_EVENTS)
    else this.c.terminal.print(line)
    if (this.c.terminal.look.live) this.screen.draw(this.frame())
    else for (const line of this.matrix()) this.c.terminal.print(line)
    this.screen.keep()
    this.fromNow()
  }

  async why(module: string, cluster: string): Promise<void> {
    const { terminal: t, env } = this.c
    const s = this.fleet.snapshot()
    const found = s.modules.find((m) => m.metadata.name === module)
    if (!found) return
    const hub = { client: this.fleet.user, server: 'hub', namespace: FLEET_NAMESPACE }
    const unit = { kind: 'Unit', name: module, cluster } as const
    const work = readTree({ ...this.c, env: this.fleet.env }, hub, s, unit)
    const tree = await this.fleet.wait(work)
    if (!tree.ok) return
    t.print('')
    t.print(t.paint('dim', `$ lockstep why ${module}@${cluster}`))
    for (const line of drawWhy(t, tree.value, s.nowMs)) t.print(line)
    if (t.look.live && !this.pace.pause) await sleep(env.clock, READING_MS, this.signal)
    this.fromNow()
  }

  private fromNow(): void {
    this.aim = this.c.env.clock.steady()
    this.lastVirtual = this.fleet.env.clock.steady()
  }

  private matrix(): string[] {
    const { terminal: t } = this.c
    const rows = matrixOf(this.fleet.snapshot(), this.clusters)
    return drawMatrix(t, rows, this.clusters, t.look.width) ?? drawFleetCounts(t, rows)
  }

  private frame(): string[] {
    const { width } = this.c.terminal.look
    return [...this.matrix(), '', ...this.recent.map((l) => cut(l, width))]
  }

  /** Tells what has changed since the last look. */
  private look(): void {
    const { terminal: t } = this.c
    const s = this.fleet.snapshot()
    const after = cellsOf(matrixOf(s, this.clusters), this.clusters)
    for (const e of eventsBetween(this.cells, after, s)) {
      const line = eventLine(t, this.fleet, e)
      if (t.look.live) this.recent = [...this.recent, line].slice(-SHOWN_EVENTS)
      else t.print(cut(line, t.look.width))
    }
    this.cells = after
  }
}

/** `0:07  ✔ prod-eu/certs  is ready at 2026.11`. */
function eventLine(t: CommandContext['terminal'], fleet: DemoFleet, e: DemoEvent): string {
  const who =
    e.clusters.length === 1 ? `${e.clusters[0]}/${e.module}` : `${e.module} (${e.clusters.length} clusters)`
  const glyph = t.paint(COLORS[e.cell.state], GLYPHS[e.cell.state])
  return `  ${clockText(fleet.env.clock.steady())}  ${glyph} ${padEnd(who, 26)}  ${e.text}`
}

/** Minutes and seconds of the fleet's own time. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
