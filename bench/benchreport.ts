/** Rows and figures, for people and for programs. Only counts have goals; wall time is printed, never judged. */
import type { Spent } from './spent.ts'

interface ReportRow extends Spent {
  readonly name: string
  /** Most requests. */
  readonly goal?: number
}

interface Figure {
  readonly name: string
  readonly value: number
  readonly goal?: number
}

export class BenchReport {
  private readonly rows: ReportRow[] = []
  private readonly figures: Figure[] = []

  row(name: string, spent: Spent, goal?: number): void {
    this.rows.push({ name, ...spent, ...(goal === undefined ? {} : { goal }) })
  }

  figure(name: string, value: number, goal?: number): void {
    this.figures.push({ name, value, ...(goal === undefined ? {} : { goal }) })
  }

  get missed(): string[] {
    const judged = [...this.rows.map((r) => ({ ...r, value: r.requests })), ...this.figures]
    return judged.filter((x) => x.goal !== undefined && x.value > x.goal).map((x) => x.name)
  }

  json(machine: Readonly<Record<string, unknown>>): string {
    return JSON.stringify(
      { machine, rows: this.rows, figures: this.figures, missed: this.missed },
      undefined,
      2,
    )
  }

  table(): string {
    const width = Math.max(...[...this.rows, ...this.figures].map((r) => r.name.length))
    const cells = (...values: (string | number)[]) => values.map((v) => String(v).padStart(9)).join('')
    const lines = [`${''.padEnd(width)}${cells('requests', 'goal', 'writes', 'sent B', 'rcvd B')}`]
    for (const r of this.rows)
      lines.push(
        `${r.name.padEnd(width)}${cells(r.requests, goalText(r.goal), r.writes, r.sent, r.received)}`,
      )
    lines.push('', `${''.padEnd(width)}${cells('value', 'goal')}`)
    for (const f of this.figures)
      lines.push(`${f.name.padEnd(width)}${cells(Math.round(f.value * 100) / 100, goalText(f.goal))}`)
    return lines.join('\n')
  }
}

const goalText = (goal: number | undefined): string =>
  goal === undefined ? '' : `≤ ${Math.round(goal * 100) / 100}`
