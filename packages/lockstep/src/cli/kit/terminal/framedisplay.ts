/** Frames drawn over each other. */
import type { HostProcess } from '../index.ts'
import { toAscii } from './ascii.ts'
import type { Terminal } from './terminal.ts'
import { cut } from './texttable.ts'

export interface FrameDisplay {
  /** Replaces the last frame. */
  draw(lines: readonly string[]): void
  /** Leaves the last frame where it is; the next one begins below. */
  keep(): void
}

export function createFrameDisplay(host: HostProcess, t: Terminal): FrameDisplay {
  let height = 0
  let last = ''
  return {
    draw(lines) {
      // Nobody can draw over what has scrolled away.
      const fitting = lines.slice(0, (host.stdout.rows ?? Number.POSITIVE_INFINITY) - 1)
      const shown = fitting.map((l) => cut(t.look.unicode ? l : toAscii(l), t.look.width))
      const frame = shown.join('\n')
      if (frame === last) return
      last = frame
      const up = height > 0 ? `\u001b[${height}A\r` : ''
      const body = shown.map((l) => `\u001b[2K${l}\n`).join('')
      host.stdout.write(`${up}${body}\u001b[0J`)
      height = shown.length
    },
    keep() {
      height = 0
      last = ''
    },
  }
}
