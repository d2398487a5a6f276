/** Frames drawn over each other. */
import { toAscii } from './ascii.ts'
import { safe, type Terminal } from './terminal.ts'
import { cut } from './texttable.ts'

export interface FrameDisplay {
  /** Replaces the last frame. */
  draw(lines: readonly string[]): void
  /** Leaves the last frame where it is; the next one begins below. */
  keep(): void
}

/** The part of the process that frames are written to. */
interface FrameHost {
  readonly stdout: { readonly rows: number | undefined; write(text: string): void }
}

export function createFrameDisplay(host: FrameHost, t: Terminal): FrameDisplay {
  let height = 0
  let last = ''
  return {
    draw(lines) {
      // Lines that have scrolled away cannot be drawn over.
      const fitting = lines.slice(0, (host.stdout.rows ?? Number.POSITIVE_INFINITY) - 1)
      const shown = fitting
        .map((l) => safe(t.look, l))
        .map((l) => cut(t.look.unicode ? l : toAscii(l), t.look.width))
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
